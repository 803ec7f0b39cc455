//! Writes records in batches.

use std::{collections::HashMap, ops::Range};

use serde_json::json;
use textsearch_core::{
    Result,
    vector::{RecordKey, StoredRecord},
};

use crate::{
    CONNECTOR,
    error::unfit_record,
    handle::{Handle, METADATA_BYTES},
    id::id_of,
    interrupted::interrupted,
    metadata::{GIVEN, NONE, ZERO},
    wire::NewVector,
};

/// Limits of one request.
const MOST_RECORDS: usize = 1_000;
const MOST_BYTES: usize = 2_000_000;

/// Pinecone takes elements below this for zeros, and rejects vectors of zeros.
const SMALLEST: f32 = 1e-8;

impl Handle {
    /// Checks all records before the first is sent. If several have the same key, the last one
    /// wins.
    pub(crate) async fn write(&self, mut records: Vec<StoredRecord>) -> Result<()> {
        keep_last_of_each_key(&mut records);
        let vectors = records.iter().map(|record| self.vector(record));
        let vectors: Vec<String> = vectors.collect::<Result<_>>()?;
        // An error before the first request says nothing about records.
        self.open().await?;
        let start = match self.namespace() {
            Some(namespace) => format!("{{\"namespace\":{},\"vectors\":[", json!(namespace)),
            None => "{\"vectors\":[".to_owned(),
        };
        let sizes: Vec<usize> = vectors.iter().map(String::len).collect();
        for batch in batches(&sizes, MOST_BYTES - start.len() - 2) {
            let body = vectors.get(batch.clone()).unwrap_or_default().join(",");
            let sent = self.upsert(format!("{start}{body}]}}")).await;
            sent.map_err(|cause| interrupted(&records, &batch, cause))?;
        }
        Ok(())
    }

    /// Returns the record as Pinecone stores it, in JSON.
    fn vector(&self, record: &StoredRecord) -> Result<String> {
        self.definition.check_record(CONNECTOR, record)?;
        let key = &record.key;
        let id = id_of(&self.definition.key, key).unwrap_or_default();
        let given = record.vectors.values().next();
        let is_zero = |vector: &[f32]| vector.iter().all(|element| element.abs() < SMALLEST);
        let tiny = |vector: &[f32]| vector.iter().any(|element| *element != 0.0);
        let (values, kind) = match given {
            Some(vector) if is_zero(vector) && tiny(vector) => {
                let fault = "no element of its vector reaches 1e-8, so Pinecone takes it for zeros; \
                             scale the vector";
                return Err(unfit_record(key, fault));
            }
            Some(vector) if is_zero(vector) => (None, ZERO),
            Some(vector) => (Some(&**vector), GIVEN),
            None => (None, NONE),
        };
        let placeholder = self.placeholder();
        let values = values.unwrap_or(&placeholder);
        let written = self.layout.metadata(record, kind).and_then(|metadata| {
            let bytes = serde_json::to_string(&metadata)?.len();
            Ok((serde_json::to_string(&NewVector { id: &id, values, metadata })?, bytes))
        });
        let (vector, bytes) = written.map_err(|error| unfit_record(key, error))?;
        if bytes > METADATA_BYTES {
            let fault = format!(
                "its data and filterable values need {bytes} bytes of metadata; at most \
                 {METADATA_BYTES} are possible"
            );
            return Err(unfit_record(key, fault));
        }
        Ok(vector)
    }

    /// Returns the vector to send instead of a missing or all-zero one.
    fn placeholder(&self) -> Vec<f32> {
        let mut values = vec![0.0; self.dimensions()];
        if let Some(first) = values.first_mut() {
            *first = SMALLEST;
        }
        values
    }
}

fn keep_last_of_each_key(records: &mut Vec<StoredRecord>) {
    let last: HashMap<RecordKey, usize> =
        records.iter().enumerate().map(|(place, record)| (record.key.clone(), place)).collect();
    if last.len() < records.len() {
        let mut place = 0..;
        records.retain(|record| last.get(&record.key).copied() == place.next());
    }
}

/// Splits vectors by their sizes. A vector beyond the limit is sent alone, and Pinecone rejects it.
fn batches(sizes: &[usize], most_bytes: usize) -> Vec<Range<usize>> {
    let (mut batches, mut batch, mut bytes) = (Vec::new(), 0..0, 0);
    for size in sizes {
        // A comma.
        let size = size + 1;
        if !batch.is_empty() && (batch.len() == MOST_RECORDS || bytes + size > most_bytes) {
            batches.push(batch.clone());
            (batch, bytes) = (batch.end..batch.end, 0);
        }
        batch.end += 1;
        bytes += size;
    }
    batches.extend(Some(batch).filter(|batch| !batch.is_empty()));
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_keep_both_limits() {
        assert_eq!(batches(&[9; 5], 20), [0..2, 2..4, 4..5]);
        assert_eq!(batches(&[1; 2_500], 1_000_000), [0..1_000, 1_000..2_000, 2_000..2_500]);
        assert_eq!(batches(&[1, 500, 1], 20), [0..1, 1..2, 2..3]);
        assert!(batches(&[], 20).is_empty());
    }
}
