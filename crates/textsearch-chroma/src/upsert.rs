//! Writing of records in batches, and a report of which were stored if that fails.

use std::{collections::HashMap, fmt, ops::Range};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;
use textsearch_core::{
    Error, Result,
    vector::{RecordKey, StoredRecord},
};

use crate::{
    CONNECTOR,
    api::{Embedding, Upsert},
    document,
    error::is_refusal,
    handle::Handle,
    metadata,
};

/// The state of the records of an upsert that failed partway: the
/// [source](std::error::Error::source) of its error. Writing the same records again is always safe.
///
/// ```
/// use textsearch_chroma::{Error, InterruptedUpsert};
///
/// fn unsure(error: &Error) -> usize {
///     let source = std::error::Error::source(error);
///     source.and_then(|source| source.downcast_ref::<InterruptedUpsert>()).map_or(0, |upsert| upsert.unsure.len())
/// }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct InterruptedUpsert {
    /// Keys of stored records.
    pub stored: Vec<RecordKey>,
    /// Keys of records of which the server stored all or none.
    pub unsure: Vec<RecordKey>,
    /// Keys of records that were not sent.
    pub not_sent: Vec<RecordKey>,
    /// Why it failed.
    pub cause: Error,
}

impl fmt::Display for InterruptedUpsert {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.cause.message())
    }
}

impl std::error::Error for InterruptedUpsert {}

impl InterruptedUpsert {
    fn into_error(self) -> Error {
        let message = format!(
            "the upsert was interrupted: {}; {}; {}: {}",
            described(&self.stored, "stored"),
            described(&self.unsure, "unsure"),
            described(&self.not_sent, "not sent"),
            self.cause.message()
        );
        Error::new(self.cause.kind().clone(), CONNECTOR, message)
            .with_retry_after(self.cause.retry_after())
            .with_source(self)
    }
}

/// Names the first and last key, in the caller's order.
fn described(keys: &[RecordKey], what: &str) -> String {
    match keys {
        [] => format!("0 {what}"),
        [only] => format!("1 {what} (`{only}`)"),
        [first, .., last] => format!("{} {what} (`{first}` to `{last}`)", keys.len()),
    }
}

impl Handle {
    /// If several records have the same key, the last one wins.
    pub(crate) async fn upsert(&self, mut records: Vec<StoredRecord>) -> Result<()> {
        keep_last_of_each_key(&mut records, &|record| {
            self.definition.check_record(CONNECTOR, record)
        })?;
        let written = records.iter().map(|record| document::write(record, &self.definition));
        let documents: Vec<String> = written.collect::<Result<_>>()?;
        if records.is_empty() {
            return self.check_exists().await;
        }
        self.check_writable().await?;
        let sizes = documents.iter().map(|document| document.len() + self.bytes_beside());
        let most = self.most_records().await?;
        for batch in batches(sizes, most, self.api.config().max_batch_bytes) {
            let of_batch = records.get(batch.clone()).unwrap_or_default();
            let documents = documents.get(batch.clone()).unwrap_or_default();
            let Err(cause) = self.write(of_batch, documents).await else { continue };
            if batch.len() == records.len() && is_refusal(&cause) {
                return Err(cause);
            }
            let keys = |records: Option<&[StoredRecord]>| -> Vec<RecordKey> {
                records.unwrap_or_default().iter().map(|record| record.key.clone()).collect()
            };
            let interrupted = InterruptedUpsert {
                stored: keys(records.get(..batch.start)),
                unsure: keys(Some(of_batch)),
                not_sent: keys(records.get(batch.end..)),
                cause,
            };
            return Err(interrupted.into_error());
        }
        Ok(())
    }

    /// Returns the most records of one request.
    pub(crate) async fn most_records(&self) -> Result<usize> {
        let allowed = self.api.limits().await?.max_batch_size.max(1);
        Ok(self.api.config().max_batch_records.map_or(allowed, |most| most.min(allowed)))
    }

    /// The server stores all of them or none.
    async fn write(&self, records: &[StoredRecord], documents: &[String]) -> Result<()> {
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
            metadatas: records.iter().map(|one| metadata::of(one, &self.definition)).collect(),
        };
        self.post_records::<Value>("upsert", &upsert).await.map(drop)
    }

    /// Returns an estimate of a record's bytes beside its document.
    fn bytes_beside(&self) -> usize {
        let dimensions = self.definition.vectors.first().map_or(1, |field| field.dimensions);
        dimensions * 6 + 100 * (1 + self.definition.data.len())
    }
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

/// Splits records of these sizes. One that exceeds the limit alone forms its own batch.
fn batches(
    sizes: impl Iterator<Item = usize>,
    most: usize,
    most_bytes: usize,
) -> Vec<Range<usize>> {
    let (mut all, mut current, mut bytes) = (Vec::new(), 0..0, 0);
    for size in sizes {
        if current.len() >= most || (!current.is_empty() && bytes + size > most_bytes) {
            let next = current.end..current.end;
            all.push(std::mem::replace(&mut current, next));
            bytes = 0;
        }
        current.end += 1;
        bytes += size;
    }
    all.extend(Some(current).filter(|batch| !batch.is_empty()));
    all
}

/// Checks each record first.
fn keep_last_of_each_key(
    records: &mut Vec<StoredRecord>,
    check: &impl Fn(&StoredRecord) -> Result<()>,
) -> Result<()> {
    records.iter().try_for_each(check)?;
    let places = records.iter().enumerate().map(|(place, record)| (record.key.clone(), place));
    let last: HashMap<RecordKey, usize> = places.collect();
    if last.len() < records.len() {
        let mut place = 0..;
        records.retain(|record| last.get(&record.key).copied() == place.next());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_ends_before_either_limit() {
        let of =
            |most, most_bytes, sizes: &[usize]| batches(sizes.iter().copied(), most, most_bytes);
        assert_eq!(of(2, 100, &[1; 5]), [0..2, 2..4, 4..5]);
        assert_eq!(of(10, 100, &[60, 40, 1]), [0..2, 2..3]);
        assert_eq!(of(10, 100, &[1, 500, 1]), [0..1, 1..2, 2..3]);
        assert!(of(10, 100, &[]).is_empty());
    }

    #[test]
    fn vectors_are_written_as_little_endian_bytes() {
        assert_eq!(encoded(&[1.0, -2.5]), "AACAPwAAIMA=");
    }
}
