//! A run of rows: payloads, vectors one after another, and the lengths of texts.

use std::sync::Arc;

use serde_json::Value;

use super::prepare::Prepared;
use crate::{cached::Cached, columns::Column, rows::Payload, vectors::VectorBlock};

/// At most [`CHUNK_ROWS`] rows; some may be free.
#[derive(Clone, Default)]
pub(crate) struct Chunk {
    payloads: Vec<Option<Arc<Payload>>>,
    vectors: Vec<VectorBlock>,
    columns: Vec<Column>,
    /// For filters on keys.
    keys: Cached<Column>,
    /// The number of terms in each full-text field.
    lengths: Vec<Vec<u32>>,
    records: usize,
    /// Memory for these rows is allocated at once. 0 if unknown.
    expected_rows: usize,
}

impl Chunk {
    pub(crate) fn with_capacity(rows: usize) -> Self {
        Self { expected_rows: rows, ..Self::default() }
    }

    /// In use or free.
    pub(crate) fn rows(&self) -> usize {
        self.payloads.len()
    }

    /// The number of rows in use.
    pub(crate) fn records(&self) -> usize {
        self.records
    }

    pub(crate) fn payload(&self, offset: usize) -> Option<&Arc<Payload>> {
        self.payloads.get(offset)?.as_ref()
    }

    pub(crate) fn payloads(&self) -> impl Iterator<Item = (usize, &Arc<Payload>)> {
        let rows = self.payloads.iter().enumerate();
        rows.filter_map(|(offset, payload)| Some((offset, payload.as_ref()?)))
    }

    pub(crate) fn block(&self, place: usize) -> Option<&VectorBlock> {
        self.vectors.get(place)
    }

    pub(crate) fn vector(&self, place: usize, dimensions: usize, offset: usize) -> Option<&[f32]> {
        self.vectors.get(place)?.row(offset, dimensions)
    }

    /// Returns `None` if no row has a value.
    pub(crate) fn column(&self, place: usize) -> Option<&Column> {
        self.columns.get(place)
    }

    pub(crate) fn key_column(&self) -> &Column {
        self.keys.get_or_compute(|| {
            let mut column = Column::default();
            for (offset, payload) in self.payloads() {
                column.set(offset, &Value::from(payload.key()));
            }
            column
        })
    }

    /// Returns null if the row has no value.
    pub(crate) fn value(&self, place: usize, offset: usize) -> &Value {
        self.columns.get(place).map_or(&Value::Null, |column| column.get(offset))
    }

    pub(crate) fn text_length(&self, place: usize, offset: usize) -> u32 {
        self.lengths.get(place).and_then(|lengths| lengths.get(offset)).copied().unwrap_or_default()
    }

    pub(crate) fn push_free(&mut self) -> usize {
        self.payloads.push(None);
        self.payloads.len() - 1
    }

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

    pub(crate) fn clear(&mut self, offset: usize) {
        self.keys.clear();
        if let Some(payload) = self.payloads.get_mut(offset) {
            self.records -= usize::from(payload.take().is_some());
        }
        self.vectors.iter_mut().for_each(|block| block.remove(offset));
        self.columns.iter_mut().for_each(|column| column.set(offset, &Value::Null));
        if self.records == 0 {
            // Keep the rows.
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
