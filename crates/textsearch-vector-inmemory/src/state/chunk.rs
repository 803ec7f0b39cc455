//! A run of rows: payloads, vectors one after another, and the lengths of texts.

use std::sync::Arc;

use serde_json::Value;

use super::prepare::Prepared;
use crate::{cached::Cached, columns::Column, rows::Payload, vectors::VectorBlock};

/// At most [`CHUNK_ROWS`] rows, some of which may be free.
#[derive(Clone, Default)]
pub(crate) struct Chunk {
    payloads: Vec<Option<Arc<Payload>>>,
    vectors: Vec<VectorBlock>,
    /// The values of each filterable field.
    columns: Vec<Column>,
    /// The keys as a column, for filters on them.
    keys: Cached<Column>,
    /// The number of terms in each full-text field.
    lengths: Vec<Vec<u32>>,
    records: usize,
    /// The expected number of rows, 0 if unknown. Memory for them is allocated at once.
    expected_rows: usize,
}

impl Chunk {
    /// Creates an empty chunk that expects `rows` rows.
    pub(crate) fn of(rows: usize) -> Self {
        Self { expected_rows: rows, ..Self::default() }
    }

    /// Returns the number of rows, in use or free.
    pub(crate) fn rows(&self) -> usize {
        self.payloads.len()
    }

    /// Returns the number of rows in use.
    pub(crate) fn records(&self) -> usize {
        self.records
    }

    pub(crate) fn payload(&self, offset: usize) -> Option<&Arc<Payload>> {
        self.payloads.get(offset)?.as_ref()
    }

    /// Iterates over the payloads with the offsets of their rows.
    pub(crate) fn payloads(&self) -> impl Iterator<Item = (usize, &Arc<Payload>)> {
        let rows = self.payloads.iter().enumerate();
        rows.filter_map(|(offset, payload)| Some((offset, payload.as_ref()?)))
    }

    /// Returns the vectors of the field at `place`.
    pub(crate) fn block(&self, place: usize) -> Option<&VectorBlock> {
        self.vectors.get(place)
    }

    /// Returns one row's vector of the field at `place`.
    pub(crate) fn vector(&self, place: usize, dimensions: usize, offset: usize) -> Option<&[f32]> {
        self.vectors.get(place)?.row(offset, dimensions)
    }

    /// Returns the values of the filterable field at `place`, or `None` if no row has one.
    pub(crate) fn column(&self, place: usize) -> Option<&Column> {
        self.columns.get(place)
    }

    /// Returns the keys as a column.
    pub(crate) fn key_column(&self) -> &Column {
        self.keys.get_or_compute(|| {
            let mut column = Column::default();
            for (offset, payload) in self.payloads() {
                column.set(offset, &Value::from(payload.key()));
            }
            column
        })
    }

    /// Returns one row's value of the filterable field at `place`, or null.
    pub(crate) fn value(&self, place: usize, offset: usize) -> &Value {
        self.columns.get(place).map_or(&Value::Null, |column| column.get(offset))
    }

    /// Returns one row's number of terms in the full-text field at `place`.
    pub(crate) fn text_length(&self, place: usize, offset: usize) -> u32 {
        self.lengths.get(place).and_then(|lengths| lengths.get(offset)).copied().unwrap_or_default()
    }

    /// Adds a free row and returns its offset.
    pub(crate) fn push_free(&mut self) -> usize {
        self.payloads.push(None);
        self.payloads.len() - 1
    }

    /// Stores a record in the row at `offset`, replacing the one there.
    pub(crate) fn set(&mut self, offset: usize, record: &Prepared<'_>) {
        self.keys.clear();
        if let Some(payload) = self.payloads.get_mut(offset) {
            self.records += usize::from(payload.is_none());
            *payload = Some(Arc::clone(&record.payload));
        }
        grow_to(&mut self.vectors, record.vectors.len(), VectorBlock::default());
        for (block, vector) in self.vectors.iter_mut().zip(&record.vectors) {
            block.set(offset, vector.as_ref(), self.expected_rows);
        }
        grow_to(&mut self.columns, record.columns.len(), Column::default());
        for (column, value) in self.columns.iter_mut().zip(&record.columns) {
            column.set(offset, value);
        }
        grow_to(&mut self.lengths, record.texts.len(), Vec::new());
        for (lengths, text) in self.lengths.iter_mut().zip(&record.texts) {
            grow_to(lengths, offset + 1, 0);
            if let Some(length) = lengths.get_mut(offset) {
                *length = text.length;
            }
        }
    }

    /// Frees the row at `offset`.
    pub(crate) fn clear(&mut self, offset: usize) {
        self.keys.clear();
        if let Some(payload) = self.payloads.get_mut(offset) {
            self.records -= usize::from(payload.take().is_some());
        }
        self.vectors.iter_mut().for_each(|block| block.remove(offset));
        self.columns.iter_mut().for_each(|column| column.set(offset, &Value::Null));
        if self.records == 0 {
            // Free the memory of an empty chunk, but keep its rows.
            self.vectors = Vec::new();
            self.columns = Vec::new();
            self.lengths = Vec::new();
        }
    }
}

fn grow_to<T: Clone>(items: &mut Vec<T>, length: usize, filler: T) {
    if items.len() < length {
        items.resize(length, filler);
    }
}
