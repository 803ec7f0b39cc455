//! Writes records in batches.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;
use textsearch_core::{
    Result,
    vector::{Batches, InterruptedUpsert, StoredRecord, keep_last_of_each_key},
};

use crate::{
    CONNECTOR,
    client::{Embedding, Upsert},
    handle::Handle,
    metadata, record,
};

/// Bytes of a record's quotes, commas and marks in metadata, at most.
const FRAME: usize = 256;

impl Handle {
    /// If several records have the same key, the last one wins.
    pub(crate) async fn write(&self, mut records: Vec<StoredRecord>) -> Result<()> {
        records.iter().try_for_each(|record| self.definition.check_record(CONNECTOR, record))?;
        keep_last_of_each_key(&mut records);
        let written = records.iter().map(|record| record::write(record, &self.definition));
        let documents: Vec<String> = written.collect::<Result<_>>()?;
        if records.is_empty() {
            return self.check_exists().await;
        }
        self.check_writable().await?;
        let vector_bytes = self.bytes_of_vector().await?;
        let sizes = documents.iter().zip(&records).map(|(document, record)| {
            // Metadata repeat parts of the document.
            2 * escaped_len(document) + record.key.to_string().len() + vector_bytes + FRAME
        });
        let max = self.max_records().await?;
        for batch in Batches::new(max, self.api.config().max_batch_bytes).split(sizes) {
            #[expect(clippy::indexing_slicing, reason = "batches are ranges of the documents")]
            let (batch_records, documents) = (&records[batch.clone()], &documents[batch.clone()]);
            self.write_batch(batch_records, documents).await.map_err(|cause| {
                InterruptedUpsert::at(&records, &batch, cause.is_refusal(), cause)
            })?;
        }
        Ok(())
    }

    /// Returns the most records of one request.
    pub(crate) async fn max_records(&self) -> Result<usize> {
        let allowed = self.api.limits().await?.max_batch_size.max(1);
        Ok(self.api.config().max_batch_records.map_or(allowed, |max| max.min(allowed)))
    }

    /// The server stores all of them or none.
    async fn write_batch(&self, records: &[StoredRecord], documents: &[String]) -> Result<()> {
        let is_base64 = self.api.limits().await?.supports_base64_encoding;
        let field = self.definition.vectors.first();
        let placeholder = placeholder(field.map_or(1, |field| field.dimensions));
        let ids: Vec<String> = records.iter().map(|record| record.key.to_string()).collect();
        let embedding = |record| -> Embedding<'_> {
            let record: &StoredRecord = record;
            let vector = field.and_then(|field| record.vectors.get(&field.name));
            let vector = vector.map_or(placeholder.as_slice(), |vector| vector);
            if is_base64 { Embedding::Base64(encoded(vector)) } else { Embedding::Numbers(vector) }
        };
        let upsert = Upsert {
            ids: &ids,
            embeddings: records.iter().map(embedding).collect(),
            documents,
            metadatas: records
                .iter()
                .map(|record| metadata::filterable_values(record, &self.definition))
                .collect(),
        };
        self.post_records::<Value>("upsert", &upsert).await.map(drop)
    }

    /// Returns at least the bytes of a vector in a request.
    async fn bytes_of_vector(&self) -> Result<usize> {
        let dimensions = self.definition.vectors.first().map_or(1, |field| field.dimensions);
        let is_base64 = self.api.limits().await?.supports_base64_encoding;
        Ok(dimensions * if is_base64 { 6 } else { 16 })
    }
}

/// Returns at least the bytes of a JSON text as a JSON string.
fn escaped_len(json: &str) -> usize {
    json.len() + json.bytes().filter(|byte| matches!(byte, b'"' | b'\\')).count()
}

/// The vector of a record without one. No distance rejects it.
fn placeholder(dimensions: usize) -> Vec<f32> {
    let mut vector = vec![0.0; dimensions];
    vector.iter_mut().take(1).for_each(|element| *element = 1.0);
    vector
}

fn encoded(vector: &[f32]) -> String {
    let bytes: Vec<u8> = vector.iter().flat_map(|element| element.to_le_bytes()).collect();
    STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_backslashes_count_twice() {
        let json = r#"{"a":"b\"}"#;
        assert_eq!(escaped_len(json) + 2, serde_json::to_string(json).unwrap().len());
    }

    #[test]
    fn vectors_are_written_as_little_endian_bytes() {
        assert_eq!(encoded(&[1.0, -2.5]), "AACAPwAAIMA=");
    }
}
