//! Writes records in batches.

use serde_json::json;
use textsearch_core::{
    Error, Result,
    text_analysis::SparseWriter,
    vector::{Batches, InterruptedUpsert, StoredRecord, keep_last_of_each_key},
};

use crate::{
    CONNECTOR,
    handle::{Handle, METADATA_BYTES},
    key::id_of,
    record::{GIVEN, NONE, ZERO},
    wire::{NewVector, SparseValues},
    words::MAX_WORDS,
};

/// Limits of one request.
const MAX_RECORDS: usize = 1_000;
const MAX_BYTES: usize = 2_000_000;

/// Pinecone takes elements below this for zeros, and rejects vectors of zeros.
const SMALLEST: f32 = 1e-8;

impl Handle {
    /// Checks all records before the first is sent. If several have the same key, the last one
    /// wins.
    pub(crate) async fn write(&self, mut records: Vec<StoredRecord>) -> Result<()> {
        keep_last_of_each_key(&mut records);
        let mut words = self.words.writer();
        let vectors = records.iter().map(|record| self.vector(record, &mut words));
        let vectors: Vec<String> = vectors.collect::<Result<_>>()?;
        // An error before the first request says nothing about records.
        self.check_fits().await?;
        let start = match self.namespace() {
            Some(namespace) => format!("{{\"namespace\":{},\"vectors\":[", json!(namespace)),
            None => "{\"vectors\":[".to_owned(),
        };
        // Each with a comma.
        let sizes = vectors.iter().map(|vector| vector.len() + 1);
        for batch in Batches::new(MAX_RECORDS, MAX_BYTES - start.len() - 2).split(sizes) {
            #[expect(clippy::indexing_slicing, reason = "batches are ranges of the vectors")]
            let body = vectors[batch.clone()].join(",");
            let sent = self.upsert(format!("{start}{body}]}}")).await;
            sent.map_err(|cause| {
                InterruptedUpsert::at(&records, &batch, cause.is_refusal(), cause)
            })?;
        }
        Ok(())
    }

    /// Returns the record as Pinecone stores it, in JSON.
    fn vector(&self, record: &StoredRecord, words: &mut SparseWriter<'_>) -> Result<String> {
        self.definition.check_record(CONNECTOR, record)?;
        let key = &record.key;
        let id = id_of(&self.definition.key, key).unwrap_or_default();
        let vector = record.vectors.values().next();
        let is_zero = |vector: &[f32]| vector.iter().all(|element| element.abs() < SMALLEST);
        let tiny = |vector: &[f32]| vector.iter().any(|element| *element != 0.0);
        let (values, kind) = match vector {
            Some(vector) if is_zero(vector) && tiny(vector) => {
                let fault = "no element of its vector reaches 1e-8, so Pinecone takes it for zeros; \
                             scale the vector";
                return Err(Error::invalid_record(CONNECTOR, key, fault));
            }
            Some(vector) if is_zero(vector) => (None, ZERO),
            Some(vector) => (Some(&**vector), GIVEN),
            None => (None, NONE),
        };
        let placeholder = self.placeholder();
        let values = values.unwrap_or(&placeholder);
        let sparse_values = sparse_values(record, words)?;
        let written = self.layout.metadata(record, kind).and_then(|metadata| {
            let bytes = serde_json::to_string(&metadata)?.len();
            let vector = NewVector { id: &id, values, sparse_values, metadata };
            Ok((serde_json::to_string(&vector)?, bytes))
        });
        let (vector, bytes) =
            written.map_err(|error| Error::invalid_record(CONNECTOR, key, error))?;
        if bytes > METADATA_BYTES {
            let fault = format!(
                "its data and filterable values need {bytes} bytes of metadata; at most \
                 {METADATA_BYTES} are possible"
            );
            return Err(Error::invalid_record(CONNECTOR, key, fault));
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

/// Returns the words of the record; `None` if it has none.
fn sparse_values(
    record: &StoredRecord,
    words: &mut SparseWriter<'_>,
) -> Result<Option<SparseValues>> {
    let terms = words.document(&record.data);
    if terms.numbers.len() > MAX_WORDS {
        let fault = format!(
            "its full-text fields need {} sparse values; at most {MAX_WORDS} are possible; split its \
             texts",
            terms.numbers.len()
        );
        return Err(Error::invalid_record(CONNECTOR, &record.key, fault));
    }
    let values = SparseValues { indices: terms.numbers, values: terms.weights };
    Ok((!values.indices.is_empty()).then_some(values))
}
