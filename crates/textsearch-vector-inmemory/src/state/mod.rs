//! All records of a collection at one moment.

mod chunk;
mod matcher;
mod prepare;
mod shared;

use std::{borrow::Cow, sync::Arc};

use serde_json::{Map, Value};
use textsearch_core::{
    Error, ErrorKind, Result,
    filter::lookup,
    text_analysis::{DocumentTerms, TermReader},
    vector::{RecordKey, StoredRecord},
};

use self::prepare::Terms;
pub(crate) use self::{
    chunk::Chunk,
    matcher::Matcher,
    prepare::{Batch, Prepared, Preparer, prepare},
    shared::SharedState,
};
#[cfg(feature = "hnsw")]
use crate::hnsw::Indexes;
use crate::{
    error::CONNECTOR,
    rows::{CHUNK_ROWS, KeyHash, Keys, Payload, Row},
    schema::Schema,
    terms::{Postings, Texts},
};

/// The records of a collection with their indexes. Clones share all unchanged parts. So a reader
/// keeps a state almost for free, and a writer copies only the parts that it changes, and only
/// while a reader holds them.
#[derive(Clone)]
pub(crate) struct State {
    schema: Arc<Schema>,
    chunks: Vec<Arc<Chunk>>,
    keys: Keys,
    free: Arc<Vec<Row>>,
    texts: Vec<Postings>,
    #[cfg(feature = "hnsw")]
    indexes: Indexes,
    /// Records that have any term.
    documents: u64,
}

/// Checked records.
pub(crate) struct Loaded {
    chunk: Chunk,
    hashes: Vec<KeyHash>,
    texts: Vec<Vec<DocumentTerms>>,
    terms: Terms,
}

impl Loaded {
    /// `batch` must fit into one chunk.
    pub(crate) fn new(batch: Batch<'_>) -> Self {
        let mut chunk = Chunk::with_capacity(batch.records.len());
        for record in &batch.records {
            let offset = chunk.push_free();
            chunk.set(offset, record);
        }
        let hashes = batch.records.iter().map(|record| record.hash).collect();
        let texts = batch.records.into_iter().map(|record| record.texts).collect();
        Self { chunk, hashes, texts, terms: batch.terms }
    }

    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }
}

/// Rows whose records are removed, with the terms to remove from the indexes.
#[derive(Default)]
pub(crate) struct Outdated {
    rows: Vec<(Row, Vec<DocumentTerms>)>,
    terms: Terms,
}

impl State {
    pub(crate) fn new(schema: Arc<Schema>) -> Self {
        let texts = schema.text_fields().iter().map(|_| Postings::default()).collect();
        Self {
            #[cfg(feature = "hnsw")]
            indexes: Indexes::new(schema.definition()),
            schema,
            chunks: Vec::new(),
            keys: Keys::default(),
            free: Arc::default(),
            texts,
            documents: 0,
        }
    }

    /// The records must fit `schema`.
    pub(crate) fn under(&self, schema: Arc<Schema>) -> Result<Self> {
        if self.schema.is_stored_like(&schema) {
            return Ok(Self {
                #[cfg(feature = "hnsw")]
                indexes: self.indexes.under(schema.definition()),
                schema,
                ..self.clone()
            });
        }
        let mut state = Self::new(Arc::clone(&schema));
        for chunk in self.rows_by_chunk() {
            let records = chunk.iter().map(|row| self.record(*row, true));
            let records = records.collect::<Result<Vec<_>>>()?;
            state.store(&prepare(records, &schema)?, &Outdated::default());
        }
        Ok(state)
    }

    pub(crate) fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    pub(crate) fn chunks(&self) -> &[Arc<Chunk>] {
        &self.chunks
    }

    #[cfg(feature = "hnsw")]
    pub(crate) fn indexes(&self) -> &Indexes {
        &self.indexes
    }

    /// The number of records.
    pub(crate) fn len(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.records()).sum()
    }

    pub(crate) fn text(&self, place: usize) -> Option<&Postings> {
        self.texts.get(place)
    }

    /// The number of records that have any term in any full-text field.
    pub(crate) fn documents(&self) -> u64 {
        self.documents
    }

    pub(crate) fn row(&self, key: &RecordKey) -> Option<Row> {
        self.keys.get(key, KeyHash::new(key))
    }

    pub(crate) fn row_of(&self, record: &Prepared<'_>) -> Option<Row> {
        self.keys.get(record.payload.key(), record.hash)
    }

    pub(crate) fn payload(&self, row: Row) -> Option<&Arc<Payload>> {
        self.chunks.get(row.chunk())?.payload(row.offset())
    }

    pub(crate) fn text_length(&self, place: usize, row: Row) -> u32 {
        self.chunks.get(row.chunk()).map_or(0, |chunk| chunk.text_length(place, row.offset()))
    }

    pub(crate) fn matching<'a>(
        &'a self,
        matcher: Matcher<'a>,
    ) -> impl Iterator<Item = (Row, &'a Arc<Payload>)> {
        let chunks = self.chunks.iter().enumerate();
        chunks.flat_map(move |(number, chunk)| {
            let selected = matcher.select(chunk);
            let payloads = chunk.payloads().filter(move |(offset, _)| selected.contains(*offset));
            payloads.map(move |(offset, payload)| (Row::new(number, offset), payload))
        })
    }

    pub(crate) fn matches(&self, matcher: &mut Matcher<'_>, row: Row) -> bool {
        let chunk = self.chunks.get(row.chunk());
        chunk.is_some_and(|chunk| matcher.matches(row.chunk(), chunk, row.offset()))
    }

    /// Missing and null values are `None`.
    pub(crate) fn values(&self, row: Row, fields: &[&str]) -> Result<Vec<Option<Cow<'_, Value>>>> {
        let columns: Vec<_> = fields.iter().map(|name| self.schema.column(name)).collect();
        let payload = self.payload(row).filter(|_| columns.contains(&None));
        let data = payload.map(|payload| payload.data()).transpose()?.unwrap_or_default();
        let chunk = self.chunks.get(row.chunk());
        let value = |(column, name): (&Option<usize>, &&str)| match column {
            Some(place) => Some(Cow::Borrowed(chunk?.value(*place, row.offset()))),
            None => lookup(&data, name).cloned().map(Cow::Owned),
        };
        let values = columns.iter().zip(fields).map(value);
        Ok(values.map(|value| value.filter(|value| !value.is_null())).collect())
    }

    pub(crate) fn vector(&self, place: usize, row: Row) -> Option<&[f32]> {
        let field = self.schema.definition().vectors.get(place)?;
        self.chunks.get(row.chunk())?.vector(place, field.dimensions, row.offset())
    }

    pub(crate) fn vectors_of(&self, row: Row) -> impl Iterator<Item = (&str, &[f32])> {
        let fields = self.schema.definition().vectors.iter().enumerate();
        fields
            .filter_map(move |(place, field)| Some((field.name.as_str(), self.vector(place, row)?)))
    }

    pub(crate) fn record(&self, row: Row, with_vectors: bool) -> Result<StoredRecord> {
        let data = self
            .payload(row)
            .map_or_else(|| Ok(Map::<String, Value>::new()), |payload| payload.data())?;
        let mut record = StoredRecord::new(data, self.schema.definition())?;
        if with_vectors {
            for (name, elements) in self.vectors_of(row) {
                record = record.with_vector(name, elements);
            }
        }
        Ok(record)
    }

    pub(crate) fn rows_by_chunk(&self) -> impl Iterator<Item = Vec<Row>> {
        let chunks = self.chunks.iter().enumerate();
        chunks.map(|(number, chunk)| {
            chunk.payloads().map(|(offset, _)| Row::new(number, offset)).collect()
        })
    }

    pub(crate) fn outdated(&self, rows: impl IntoIterator<Item = Row>) -> Result<Outdated> {
        let mut readers = self.schema.term_readers();
        let rows = rows.into_iter().map(|row| Ok((row, self.terms(row, &mut readers)?)));
        let rows = rows.collect::<Result<_>>()?;
        Ok(Outdated { rows, terms: readers.into_iter().map(TermReader::into_terms).collect() })
    }

    fn terms(&self, row: Row, readers: &mut [TermReader<'_>]) -> Result<Vec<DocumentTerms>> {
        match self.payload(row) {
            Some(payload) if !self.texts.is_empty() => {
                Ok(prepare::terms(&payload.data()?, &self.schema, readers))
            }
            _ => Ok(Vec::new()),
        }
    }

    pub(crate) fn check_room(&self, records: usize) -> Result<()> {
        let rows =
            (self.chunks.len() * CHUNK_ROWS).saturating_add(records).saturating_add(CHUNK_ROWS);
        if u32::try_from(rows).is_ok() {
            return Ok(());
        }
        let message = format!("a collection holds at most {} records", u32::MAX);
        Err(Error::new(ErrorKind::Backend, CONNECTOR, message))
    }
}

/// Changes. They can't fail, because everything was checked and prepared before.
impl State {
    /// `outdated` are the records with the same keys, which are replaced.
    pub(crate) fn store(&mut self, batch: &Batch<'_>, outdated: &Outdated) {
        let rows = batch.records.iter().map(|record| self.claim(record));
        let rows: Vec<Row> = rows.collect();
        let added = || rows.iter().copied().zip(&batch.records);
        let texts = added().map(|(row, record)| (row, record.texts.as_slice()));
        self.update_texts(outdated, &texts.collect::<Vec<_>>(), &batch.terms);
        #[cfg(feature = "hnsw")]
        self.indexes.forget(rows.iter().copied());
        for (row, record) in added() {
            if let Some(chunk) = self.chunks.get_mut(row.chunk()) {
                Arc::make_mut(chunk).set(row.offset(), record);
            }
        }
    }

    /// Returns `false` if a key exists already; the state is then unusable.
    pub(crate) fn append(&mut self, loaded: Loaded) -> bool {
        let number = self.chunks.len();
        let are_new =
            loaded.chunk.payloads().zip(&loaded.hashes).all(|((offset, payload), hash)| {
                let row = Row::new(number, offset);
                self.keys.claim(payload, *hash, || row) == row
            });
        let rows = (0..).map(|offset| Row::new(number, offset));
        let texts = rows.zip(loaded.texts.iter().map(Vec::as_slice));
        self.update_texts(&Outdated::default(), &texts.collect::<Vec<_>>(), &loaded.terms);
        #[cfg(feature = "hnsw")]
        self.indexes.forget(std::iter::empty());
        self.chunks.push(Arc::new(loaded.chunk));
        are_new
    }

    pub(crate) fn remove(&mut self, outdated: &Outdated) {
        self.update_texts(outdated, &[], &[]);
        #[cfg(feature = "hnsw")]
        self.indexes.forget(outdated.rows.iter().map(|(row, _)| *row));
        for (row, _) in &outdated.rows {
            if let Some(payload) = self.payload(*row) {
                let payload = Arc::clone(payload);
                self.keys.remove(payload.key());
                Arc::make_mut(&mut self.free).push(*row);
            }
            if let Some(chunk) = self.chunks.get_mut(row.chunk()) {
                Arc::make_mut(chunk).clear(row.offset());
            }
        }
    }

    #[cfg(feature = "hnsw")]
    pub(crate) fn indexes_mut(&mut self) -> &mut Indexes {
        &mut self.indexes
    }

    /// Takes the row of the record's key, a free row or a new one.
    fn claim(&mut self, record: &Prepared<'_>) -> Row {
        let free = &mut self.free;
        let chunks = &mut self.chunks;
        let new_row = || pop_free(free).unwrap_or_else(|| push_row(chunks));
        self.keys.claim(&record.payload, record.hash, new_row)
    }

    fn update_texts(
        &mut self,
        outdated: &Outdated,
        added: &[(Row, &[DocumentTerms])],
        terms: &[Vec<Arc<str>>],
    ) {
        let has_terms = |texts: &[DocumentTerms]| texts.iter().any(|terms| !terms.is_empty());
        let removed = outdated.rows.iter().filter(|(_, texts)| has_terms(texts)).count() as u64;
        let new = added.iter().filter(|(_, texts)| has_terms(texts)).count() as u64;
        self.documents = self.documents.saturating_sub(removed) + new;
        for (place, index) in self.texts.iter_mut().enumerate() {
            let rows = outdated.rows.iter();
            let removed = rows.filter_map(|(row, texts)| Some((*row, texts.get(place)?)));
            let removed = Texts::new(&outdated.terms, place, removed.collect());
            let added = added.iter().filter_map(|(row, texts)| Some((*row, texts.get(place)?)));
            index.update(&removed, &Texts::new(terms, place, added.collect()));
        }
    }
}

fn pop_free(free: &mut Arc<Vec<Row>>) -> Option<Row> {
    if free.is_empty() { None } else { Arc::make_mut(free).pop() }
}

fn push_row(chunks: &mut Vec<Arc<Chunk>>) -> Row {
    if chunks.last().is_none_or(|chunk| chunk.rows() == CHUNK_ROWS) {
        // The first chunk grows as it fills, so that a small collection stays small.
        let rows = if chunks.is_empty() { 0 } else { CHUNK_ROWS };
        chunks.push(Arc::new(Chunk::with_capacity(rows)));
    }
    let number = chunks.len().saturating_sub(1);
    let chunk = chunks.last_mut().map(Arc::make_mut);
    Row::new(number, chunk.map_or(0, Chunk::push_free))
}
