//! A run of rows: payloads, vectors one after another, and the lengths of texts.

use std::{borrow::Cow, sync::Arc};

use serde_json::Value;
use textsearch_core::{Result, vector::RecordKey};

use super::prepare::Prepared;
use crate::{
    cached::Cached,
    columns::Column,
    disk::StoredChunk,
    rows::{Bitmap, Payload},
    terms::TextLength,
    vectors::VectorBlock,
};

/// At most [`CHUNK_ROWS`] rows; some may be free.
#[derive(Clone, Default)]
pub(crate) struct Chunk {
    /// Set if the records are on disk; then only `live` and `records` are used beside it.
    stored: Option<Arc<StoredChunk>>,
    /// The rows in use.
    live: Bitmap,
    payloads: Vec<Option<Arc<Payload>>>,
    vectors: Vec<VectorBlock>,
    columns: Vec<Column>,
    /// For filters on keys.
    keys: Cached<Column>,
    /// Of each full-text field.
    lengths: Vec<Vec<TextLength>>,
    records: usize,
    /// Memory for these rows is allocated at once. 0 if unknown.
    expected_rows: usize,
}

impl Chunk {
    pub(crate) fn with_capacity(rows: usize) -> Self {
        Self { expected_rows: rows, ..Self::default() }
    }

    /// Of the stored rows, those in `live` are in use.
    pub(crate) fn from_stored(stored: Arc<StoredChunk>, live: Bitmap) -> Self {
        let records = live.len();
        Self { stored: Some(stored), live, records, ..Self::default() }
    }

    pub(crate) fn stored(&self) -> Option<&Arc<StoredChunk>> {
        self.stored.as_ref()
    }

    /// In use or free.
    pub(crate) fn rows(&self) -> usize {
        self.stored.as_ref().map_or(self.payloads.len(), |stored| stored.rows())
    }

    pub(crate) fn live(&self) -> Bitmap {
        self.live
    }

    /// The number of rows in use.
    pub(crate) fn records(&self) -> usize {
        self.records
    }

    /// # Errors
    ///
    /// Returns an error if the payload is on disk and cannot be read, as do the functions below.
    pub(crate) fn payload(&self, offset: usize) -> Result<Option<Cow<'_, Arc<Payload>>>> {
        match &self.stored {
            Some(stored) if self.live.contains(offset) => {
                stored.payload(offset).map(Arc::new).map(Cow::Owned).map(Some)
            }
            _ => Ok(self.memory_payload(offset).map(Cow::Borrowed)),
        }
    }

    pub(crate) fn key(&self, offset: usize) -> Result<Option<Cow<'_, RecordKey>>> {
        match &self.stored {
            Some(stored) if self.live.contains(offset) => {
                stored.key(offset).map(Cow::Owned).map(Some)
            }
            _ => Ok(self.memory_payload(offset).map(|payload| Cow::Borrowed(payload.key()))),
        }
    }

    /// Returns `None` for a record on disk.
    pub(crate) fn memory_payload(&self, offset: usize) -> Option<&Arc<Payload>> {
        self.payloads.get(offset)?.as_ref()
    }

    /// Without those on disk.
    fn memory_payloads(&self) -> impl Iterator<Item = (usize, &Arc<Payload>)> {
        let rows = self.payloads.iter().enumerate();
        rows.filter_map(|(offset, payload)| Some((offset, payload.as_ref()?)))
    }

    pub(crate) fn block(&self, place: usize) -> Result<Option<&VectorBlock>> {
        match &self.stored {
            Some(stored) => stored.block(place).map(Some),
            None => Ok(self.memory_block(place)),
        }
    }

    /// Returns `None` for vectors on disk.
    pub(crate) fn memory_block(&self, place: usize) -> Option<&VectorBlock> {
        self.vectors.get(place)
    }

    /// Returns `None` if no row has a value.
    pub(crate) fn column(&self, place: usize) -> Result<Option<&Column>> {
        match &self.stored {
            Some(stored) => stored.column(place).map(Some),
            None => Ok(self.columns.get(place)),
        }
    }

    pub(crate) fn key_column(&self) -> Result<&Column> {
        if let Some(stored) = &self.stored {
            return stored.key_column();
        }
        Ok(self.keys.get_or_compute(|| {
            let mut column = Column::default();
            for (offset, payload) in self.memory_payloads() {
                column.set(offset, &Value::from(payload.key()));
            }
            column
        }))
    }

    /// Returns null if the row has no value.
    pub(crate) fn value(&self, place: usize, offset: usize) -> Result<&Value> {
        Ok(self.column(place)?.map_or(&Value::Null, |column| column.get(offset)))
    }

    /// The lengths of a chunk on disk must have been read: [`State::postings`] reads them.
    ///
    /// [`State::postings`]: super::State::postings
    pub(crate) fn text(&self, place: usize, offset: usize) -> TextLength {
        let lengths =
            self.stored.as_ref().map_or(self.lengths.as_slice(), |stored| stored.lengths());
        lengths.get(place).and_then(|lengths| lengths.get(offset)).copied().unwrap_or_default()
    }

    pub(crate) fn push_free(&mut self) -> usize {
        self.payloads.push(None);
        self.payloads.len() - 1
    }

    pub(crate) fn set(&mut self, offset: usize, record: &Prepared<'_>) {
        self.keys.clear();
        if let Some(payload) = self.payloads.get_mut(offset) {
            self.records += usize::from(payload.is_none());
            self.live.insert(offset);
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
        let lengths: Vec<_> = record.texts.iter().map(TextLength::of).collect();
        self.set_lengths(offset, &lengths);
    }

    pub(crate) fn set_lengths(&mut self, offset: usize, texts: &[TextLength]) {
        grow_to(&mut self.lengths, texts.len(), Vec::new());
        for (lengths, text) in self.lengths.iter_mut().zip(texts) {
            grow_to(lengths, offset + 1, TextLength::default());
            if let Some(length) = lengths.get_mut(offset) {
                *length = *text;
            }
        }
    }

    pub(crate) fn clear(&mut self, offset: usize) {
        self.keys.clear();
        self.records -= usize::from(self.live.contains(offset));
        self.live.remove(offset);
        if self.stored.is_some() {
            return;
        }
        if let Some(payload) = self.payloads.get_mut(offset) {
            *payload = None;
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
