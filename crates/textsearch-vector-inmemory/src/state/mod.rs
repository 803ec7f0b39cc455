//! All records of a collection at one moment.

mod chunk;
mod matcher;
mod prepare;
mod shared;

use std::{borrow::Cow, collections::BTreeSet, ops::Range, sync::Arc};

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
    disk::{self, Segment},
    error::CONNECTOR,
    rows::{Bitmap, CHUNK_ROWS, KeyHash, Keys, Payload, Row},
    schema::Schema,
    terms::{Posting, PostingList, Postings, Statistics, TextLength, Texts},
};

/// The records of a collection with their indexes. Clones share all unchanged parts. So a reader
/// keeps a state almost for free, and a writer copies only the parts that it changes, and only
/// while a reader holds them.
#[derive(Clone)]
pub(crate) struct State {
    schema: Arc<Schema>,
    /// Those on disk come first.
    chunks: Vec<Arc<Chunk>>,
    /// The segments of the chunks on disk, in order.
    segments: Vec<Arc<Segment>>,
    /// Of the records in memory, like `free`.
    keys: Keys,
    free: Arc<Vec<Row>>,
    texts: Vec<Postings>,
    #[cfg(feature = "hnsw")]
    indexes: Indexes,
    /// Records that have any term.
    documents: u64,
}

/// Rows whose records are removed, with what to remove from the indexes.
#[derive(Default)]
pub(crate) struct Outdated {
    rows: Vec<Row>,
    /// The records that have any term.
    documents: u64,
    /// Of each full-text field.
    statistics: Vec<Statistics>,
    /// Of the rows in memory. The terms of those on disk stay in their segments.
    texts: Vec<(Row, Vec<DocumentTerms>)>,
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
            segments: Vec::new(),
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
        self.rewritten(&schema, |state, _| Ok(state))
    }

    /// Prepares all records for another schema. `then` receives the state after each chunk, and the
    /// bytes that were added, and returns the state to continue with.
    pub(crate) fn rewritten(
        &self,
        schema: &Arc<Schema>,
        mut then: impl FnMut(Self, u64) -> Result<Self>,
    ) -> Result<Self> {
        let mut state = Self::new(Arc::clone(schema));
        for rows in self.rows_by_chunk() {
            let records = rows.iter().map(|row| self.record(*row, true));
            let batch = prepare(records.collect::<Result<_>>()?, schema)?;
            state.replace(&batch)?;
            state = then(state, batch.bytes())?;
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

    pub(crate) fn row(&self, key: &RecordKey) -> Result<Option<Row>> {
        self.row_of_hashed(key, KeyHash::new(key))
    }

    pub(crate) fn row_of(&self, record: &Prepared<'_>) -> Result<Option<Row>> {
        self.row_of_hashed(record.payload.key(), record.hash)
    }

    fn row_of_hashed(&self, key: &RecordKey, hash: KeyHash) -> Result<Option<Row>> {
        let known = self.keys.get(key, hash);
        if known.is_some() || self.segments.is_empty() {
            return Ok(known);
        }
        let hash = disk::key_hash(key);
        for (first, segment) in self.segments_by_row() {
            for row in segment.rows_with_hash(hash)? {
                let row = Row(first.0 + row);
                if self.key(row)?.is_some_and(|known| *known == *key) {
                    return Ok(Some(row));
                }
            }
        }
        Ok(None)
    }

    /// With the first row of each.
    fn segments_by_row(&self) -> impl Iterator<Item = (Row, &Arc<Segment>)> {
        self.segments.iter().scan(0, |chunks, segment| {
            let first = Row::new(*chunks, 0);
            *chunks += segment.chunks().len();
            Some((first, segment))
        })
    }

    pub(crate) fn payload(&self, row: Row) -> Result<Option<Cow<'_, Arc<Payload>>>> {
        let chunk = self.chunks.get(row.chunk());
        chunk.map_or(Ok(None), |chunk| chunk.payload(row.offset()))
    }

    pub(crate) fn key(&self, row: Row) -> Result<Option<Cow<'_, RecordKey>>> {
        self.chunks.get(row.chunk()).map_or(Ok(None), |chunk| chunk.key(row.offset()))
    }

    /// Returns `None` for a record on disk.
    pub(crate) fn memory_payload(&self, row: Row) -> Option<&Arc<Payload>> {
        self.chunks.get(row.chunk())?.memory_payload(row.offset())
    }

    /// Returns the rows that have the term in the full-text field at `place`.
    pub(crate) fn postings(&self, place: usize, term: &str) -> Result<Option<PostingList>> {
        let in_memory = self.texts.get(place).and_then(|index| index.list(term));
        if self.segments.is_empty() {
            return Ok(in_memory.cloned());
        }
        let mut postings = Vec::new();
        for (first, segment) in self.segments_by_row() {
            let Some(list) = segment.postings(place, term)? else { continue };
            for posting in list {
                let row = Row(first.0 + posting.row.0);
                let Some(chunk) = self.chunks.get(row.chunk()) else { continue };
                if chunk.live().contains(row.offset()) {
                    chunk.stored().map_or(Ok(()), |stored| stored.read_lengths())?;
                    postings.push(Posting { row, ..posting });
                }
            }
        }
        let mut list = PostingList::default();
        list.add(&postings);
        if let Some(in_memory) = in_memory {
            list.add(&in_memory.iter().collect::<Vec<_>>());
        }
        Ok(Some(list).filter(|list| !list.is_empty()))
    }

    pub(crate) fn text_length(&self, place: usize, row: Row) -> u32 {
        self.chunks.get(row.chunk()).map_or(0, |chunk| chunk.text(place, row.offset()).length())
    }

    pub(crate) fn matching(&self, matcher: &Matcher<'_>) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        for (number, chunk) in self.chunks.iter().enumerate() {
            let selected = matcher.select(chunk)?.and(chunk.live());
            rows.extend(selected.rows().map(|offset| Row::new(number, offset.into())));
        }
        Ok(rows)
    }

    pub(crate) fn matches(&self, matcher: &mut Matcher<'_>, row: Row) -> Result<bool> {
        let chunk = self.chunks.get(row.chunk());
        chunk.map_or(Ok(false), |chunk| matcher.matches(row.chunk(), chunk, row.offset()))
    }

    /// Missing and null values are `None`.
    pub(crate) fn values(&self, row: Row, fields: &[&str]) -> Result<Vec<Option<Cow<'_, Value>>>> {
        let columns: Vec<_> = fields.iter().map(|name| self.schema.column(name)).collect();
        let payload = if columns.contains(&None) { self.payload(row)? } else { None };
        let data = payload.map(|payload| payload.data()).transpose()?.unwrap_or_default();
        let chunk = self.chunks.get(row.chunk());
        let value = |(column, name): (&Option<usize>, &&str)| match (column, chunk) {
            (Some(place), Some(chunk)) => {
                chunk.value(*place, row.offset()).map(Cow::Borrowed).map(Some)
            }
            (Some(_), None) => Ok(None),
            (None, _) => Ok(lookup(&data, name).cloned().map(Cow::Owned)),
        };
        let values = columns.iter().zip(fields).map(value);
        values.map(|value| Ok(value?.filter(|value| !value.is_null()))).collect()
    }

    /// Returns `None` for a vector on disk.
    pub(crate) fn memory_vector(&self, place: usize, row: Row) -> Option<&[f32]> {
        let dimensions = self.schema.definition().vectors.get(place)?.dimensions;
        let block = self.chunks.get(row.chunk())?.memory_block(place)?;
        let has_vector = block.present().contains(row.offset());
        has_vector.then(|| block.elements_of(row.offset(), dimensions))
    }

    pub(crate) fn record(&self, row: Row, with_vectors: bool) -> Result<StoredRecord> {
        let data = self
            .payload(row)?
            .map_or_else(|| Ok(Map::<String, Value>::new()), |payload| payload.data())?;
        let mut record = StoredRecord::new(data, self.schema.definition())?;
        let Some(chunk) = self.chunks.get(row.chunk()).filter(|_| with_vectors) else {
            return Ok(record);
        };
        for (place, field) in self.schema.definition().vectors.iter().enumerate() {
            let Some(block) = chunk.block(place)? else { continue };
            if let Some(elements) = block.row(row.offset(), field.dimensions)? {
                record = record.with_vector(&field.name, &*elements);
            }
        }
        Ok(record)
    }

    pub(crate) fn rows_by_chunk(&self) -> impl Iterator<Item = Vec<Row>> {
        let chunks = self.chunks.iter().enumerate();
        chunks.map(|(number, chunk)| {
            chunk.live().rows().map(|offset| Row::new(number, offset.into())).collect()
        })
    }

    pub(crate) fn outdated(&self, rows: impl IntoIterator<Item = Row>) -> Result<Outdated> {
        let mut readers = self.schema.term_readers();
        let mut outdated = Outdated::default();
        outdated.statistics.resize(self.texts.len(), Statistics::default());
        for row in rows {
            outdated.rows.push(row);
            let mut has_terms = false;
            for (place, statistics) in outdated.statistics.iter_mut().enumerate() {
                let text = self.text_at(place, row)?;
                statistics.add(text);
                has_terms |= text.has_terms();
            }
            outdated.documents += u64::from(has_terms);
            if let Some(payload) = self.memory_payload(row)
                && !self.texts.is_empty()
            {
                let texts = prepare::terms(&payload.data()?, &self.schema, &mut readers);
                outdated.texts.push((row, texts));
            }
        }
        outdated.terms = readers.into_iter().map(TermReader::into_terms).collect();
        Ok(outdated)
    }

    fn text_at(&self, place: usize, row: Row) -> Result<TextLength> {
        let Some(chunk) = self.chunks.get(row.chunk()) else { return Ok(TextLength::default()) };
        chunk.stored().map_or(Ok(()), |stored| stored.read_lengths())?;
        Ok(chunk.text(place, row.offset()))
    }

    /// Returns the records that the batch replaces.
    pub(crate) fn replaced_by(&self, batch: &Batch<'_>) -> Result<Outdated> {
        let rows = batch.records.iter().map(|record| self.row_of(record));
        let rows = rows.filter_map(Result::transpose).collect::<Result<Vec<_>>>()?;
        self.outdated(rows)
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
        // Records in memory were replaced in place.
        for row in &outdated.rows {
            if let Some(chunk) = self.chunks.get_mut(row.chunk())
                && chunk.stored().is_some()
            {
                Arc::make_mut(chunk).clear(row.offset());
            }
        }
    }

    /// Starts a chunk with room for `rows` records, which the next records go into.
    pub(crate) fn start_chunk(&mut self, rows: usize) {
        self.chunks.push(Arc::new(Chunk::with_capacity(rows)));
    }

    pub(crate) fn remove(&mut self, outdated: &Outdated) {
        self.update_texts(outdated, &[], &[]);
        #[cfg(feature = "hnsw")]
        self.indexes.forget(outdated.rows.iter().copied());
        for row in &outdated.rows {
            if let Some(payload) = self.memory_payload(*row) {
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
        let new = added.iter().filter(|(_, texts)| has_terms(texts)).count() as u64;
        self.documents = self.documents.saturating_sub(outdated.documents).saturating_add(new);
        for (place, index) in self.texts.iter_mut().enumerate() {
            let rows = outdated.texts.iter();
            let removed = rows.filter_map(|(row, texts)| Some((*row, texts.get(place)?)));
            let removed = Texts::new(&outdated.terms, place, removed.collect());
            let added = added.iter().filter_map(|(row, texts)| Some((*row, texts.get(place)?)));
            let statistics = outdated.statistics.get(place).copied().unwrap_or_default();
            index.update(statistics, &removed, &Texts::new(terms, place, added.collect()));
        }
    }
}

/// Records on disk.
impl State {
    pub(crate) fn segments(&self) -> &[Arc<Segment>] {
        &self.segments
    }

    /// The segments with their rows in use.
    pub(crate) fn parts(&self) -> impl Iterator<Item = StoredPart> {
        let mut chunks = self.chunks.iter();
        self.segments.iter().map(move |segment| {
            let live = chunks.by_ref().take(segment.chunks().len()).map(|chunk| chunk.live());
            StoredPart { segment: Arc::clone(segment), live: live.collect() }
        })
    }

    /// Returns the state with other segments in the place of those in `range`, and without the
    /// records in memory.
    pub(crate) fn with_parts(
        &self,
        range: Range<usize>,
        parts: impl IntoIterator<Item = StoredPart>,
    ) -> Self {
        let mut all: Vec<_> = self.parts().collect();
        all.splice(range, parts);
        let chunks = all.iter().flat_map(|part| {
            let chunks = part.segment.chunks().iter().zip(&part.live);
            chunks.map(|(chunk, live)| Arc::new(Chunk::from_stored(Arc::clone(chunk), *live)))
        });
        let mut state = Self {
            chunks: chunks.collect(),
            segments: all.iter().map(|part| Arc::clone(&part.segment)).collect(),
            ..Self::new(Arc::clone(&self.schema))
        };
        state.set_statistics(self.documents, &self.statistics());
        state
    }

    /// The chunks behind those on disk.
    pub(crate) fn memory_chunks(&self) -> &[Arc<Chunk>] {
        let stored = self.segments.iter().map(|segment| segment.chunks().len()).sum();
        self.chunks.get(stored..).unwrap_or_default()
    }

    pub(crate) fn stored_records(&self) -> usize {
        self.len() - self.memory_records()
    }

    pub(crate) fn memory_records(&self) -> usize {
        self.memory_chunks().iter().map(|chunk| chunk.records()).sum()
    }

    pub(crate) fn statistics(&self) -> Vec<Statistics> {
        self.texts.iter().map(Postings::statistics).collect()
    }

    /// Of records on disk.
    pub(crate) fn set_statistics(&mut self, documents: u64, statistics: &[Statistics]) {
        self.documents = documents;
        for (text, statistics) in self.texts.iter_mut().zip(statistics) {
            *text = Postings::with_statistics(*statistics);
        }
    }

    /// Stores a batch in place of the records with the same keys.
    pub(crate) fn replace(&mut self, batch: &Batch<'_>) -> Result<()> {
        self.check_room(batch.records.len())?;
        let outdated = self.replaced_by(batch)?;
        self.store(batch, &outdated);
        Ok(())
    }

    pub(crate) fn remove_keys(&mut self, keys: &[RecordKey]) -> Result<()> {
        let rows = keys.iter().map(|key| self.row(key)).filter_map(Result::transpose);
        let rows = rows.collect::<Result<BTreeSet<Row>>>()?;
        let outdated = self.outdated(rows)?;
        self.remove(&outdated);
        Ok(())
    }
}

/// A segment with the rows in use of each chunk.
pub(crate) struct StoredPart {
    pub(crate) segment: Arc<Segment>,
    pub(crate) live: Vec<Bitmap>,
}

fn pop_free(free: &mut Arc<Vec<Row>>) -> Option<Row> {
    if free.is_empty() { None } else { Arc::make_mut(free).pop() }
}

fn push_row(chunks: &mut Vec<Arc<Chunk>>) -> Row {
    let is_full = |chunk: &Arc<Chunk>| chunk.rows() == CHUNK_ROWS || chunk.stored().is_some();
    if chunks.last().is_none_or(is_full) {
        // The first chunk grows as it fills, so that a small collection stays small.
        let rows = if chunks.is_empty() { 0 } else { CHUNK_ROWS };
        chunks.push(Arc::new(Chunk::with_capacity(rows)));
    }
    let number = chunks.len().saturating_sub(1);
    let chunk = chunks.last_mut().map(Arc::make_mut);
    Row::new(number, chunk.map_or(0, Chunk::push_free))
}
