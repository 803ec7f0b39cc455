//! Writes documents so that the next write detects and repairs a failure midway.
//!
//! The first chunk's record is the head. Its fingerprint shows whether the document is unchanged,
//! so it's written last. If that takes several calls, an unfinished head is written first. Then the
//! next write of the document stores it again and deletes everything that doesn't belong to it.

use std::{collections::HashMap, ops::Range};

use serde_json::{Map, Value};
use textsearch_core::{
    Filter, Result,
    vector::{Batches, GetOptions, RecordKey, StoredRecord},
};

use super::{
    DocumentStore,
    fingerprint::fingerprint,
    group::{Group, MAX_BYTES_TO_EMBED},
    record::{self, StoredDocument},
    report::UpsertReport,
    schema::fields,
    size,
};
use crate::{Document, facts};

/// Per upsert call. Each call has an overhead.
const MAX_RECORDS: usize = 2048;

/// Approximate JSON that is written without an unfinished head. Each record repeats the metadata of
/// its document.
const MAX_BYTES: usize = 4 << 20;

/// Per delete call.
const MAX_KEYS: usize = 10_000;

impl DocumentStore {
    pub(super) async fn heads(
        &self,
        ids: impl Iterator<Item = &str> + Send,
    ) -> Result<HashMap<String, StoredDocument>> {
        let keys: Vec<RecordKey> = ids.map(|id| self.key(id, 0)).collect();
        if keys.is_empty() {
            return Ok(HashMap::new());
        }
        let heads = self.collection.get(&keys, &GetOptions::default()).await?;
        let definition = self.collection.definition();
        let documents = heads.into_iter().map(|head| StoredDocument::from_head(head, definition));
        documents.map(|document| document.map(|document| (document.id.clone(), document))).collect()
    }

    /// Stores the documents. If that fails midway, `report` counts those already stored.
    pub(crate) async fn write(&self, group: &Group, report: &mut UpsertReport) -> Result<()> {
        let ids = group.documents.iter().map(|document| document.id.as_str());
        let heads = self.heads(ids).await?;
        let mut written = UpsertReport::default();
        let mut all = Vec::new();
        let mut all_bytes = 0;
        for document in &group.documents {
            let old = heads.get(&document.id);
            let facts = facts::stored(document, self.collection.definition());
            let max_tokens = self.chunker.max_tokens()?;
            let config = self.chunker.config();
            let fingerprint = fingerprint(document, &facts, config, max_tokens);
            if old.is_some_and(|old| old.fingerprint == fingerprint) {
                report.unchanged += 1;
                continue;
            }
            let mut records = self.records(document, &facts, &fingerprint)?;
            if records.is_empty() {
                self.write_empty(&document.id, old, report).await?;
                continue;
            }
            if let Some(old) = old {
                self.reuse_vectors(old, &mut records).await?;
            }
            let mut outcome = outcome(old, records.len());
            let is_simple = old.is_none_or(|old| is_finished(old) && old.chunks <= records.len());
            let bytes: usize = records.iter().map(|record| size::of_fields(&record.data)).sum();
            let steps = self.steps(&records);
            if !is_simple || steps.len() > 1 || bytes > MAX_BYTES {
                self.write_in_steps(&document.id, old, records, steps).await?;
                report.append(&mut outcome);
                continue;
            }
            if all.len() + records.len() > MAX_RECORDS || all_bytes + bytes > MAX_BYTES {
                self.store(std::mem::take(&mut all)).await?;
                report.append(&mut written);
                all_bytes = 0;
            }
            all_bytes += bytes;
            all.extend(head_last(records));
            written.append(&mut outcome);
        }
        self.store(all).await?;
        report.append(&mut written);
        Ok(())
    }

    /// Returns how many records of one document each upsert call gets. The store splits calls into its
    /// requests, and the embeddings are lost if a call fails.
    fn steps(&self, records: &[StoredRecord]) -> Vec<Range<usize>> {
        let is_embedded = !self.collection.definition().vectors.is_empty();
        let max_bytes = if is_embedded { MAX_BYTES_TO_EMBED } else { usize::MAX };
        let texts = records.iter().map(|record| record.data.get(fields::TEXT));
        let bytes = texts.map(|text| text.and_then(Value::as_str).map_or(0, str::len));
        Batches::new(MAX_RECORDS, max_bytes).split(bytes)
    }

    fn records(
        &self,
        document: &Document,
        facts: &Map<String, Value>,
        fingerprint: &str,
    ) -> Result<Vec<StoredRecord>> {
        let chunked = self.chunker.chunk(document)?;
        let namespace = self.namespace.as_ref();
        let definition = self.collection.definition();
        record::records(namespace, document, facts, chunked, fingerprint, definition)
    }

    async fn write_empty(
        &self,
        id: &str,
        old: Option<&StoredDocument>,
        report: &mut UpsertReport,
    ) -> Result<()> {
        report.without_text.add(1, [id.to_owned()]);
        if old.is_some() {
            report.removed += self.remove([id]).await?;
        }
        Ok(())
    }

    /// For a document that is too large for one call, or that leaves old chunks to delete.
    async fn write_in_steps(
        &self,
        id: &str,
        old: Option<&StoredDocument>,
        mut records: Vec<StoredRecord>,
        steps: Vec<Range<usize>>,
    ) -> Result<()> {
        let count = records.len();
        let head = records.first().cloned();
        if let Some(first) = records.first_mut() {
            *first = record::unfinished(first);
        }
        let mut records = records.into_iter();
        for step in steps {
            self.store(records.by_ref().take(step.len()).collect()).await?;
        }
        if let Some(old) = old {
            self.delete_from(id, count, old).await?;
        }
        self.collection.upsert(head.into_iter().collect()).await
    }

    async fn delete_from(&self, id: &str, count: usize, old: &StoredDocument) -> Result<()> {
        // An implausible stored count must not become a list of keys.
        if is_finished(old) && old.chunks.saturating_sub(count) <= MAX_KEYS {
            let keys: Vec<_> = (count..old.chunks).map(|index| self.key(id, index)).collect();
            return self.collection.delete(&keys).await;
        }
        let from = i64::try_from(count).unwrap_or(i64::MAX);
        let left_over = Filter::eq(fields::DOCUMENT_ID, id).and(Filter::ge(fields::CHUNK, from));
        self.collection.delete_matching(&left_over).await
    }

    pub(super) fn key(&self, id: &str, index: usize) -> RecordKey {
        record::key(self.namespace.as_ref(), id, index)
    }

    async fn store(&self, records: Vec<StoredRecord>) -> Result<()> {
        if records.is_empty() {
            return Ok(());
        }
        tracing::debug!(records = records.len(), "store chunks");
        self.collection.upsert(records).await
    }
}

fn outcome(old: Option<&StoredDocument>, chunks: usize) -> UpsertReport {
    let (added, changed) = if old.is_none() { (1, 0) } else { (0, 1) };
    UpsertReport { added, changed, chunks, ..UpsertReport::default() }
}

fn is_finished(document: &StoredDocument) -> bool {
    !document.fingerprint.is_empty()
}

/// If a store writes only a part of a batch, it then has no finished head.
fn head_last(mut records: Vec<StoredRecord>) -> impl Iterator<Item = StoredRecord> {
    if !records.is_empty() {
        records.rotate_left(1);
    }
    records.into_iter()
}
