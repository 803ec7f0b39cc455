//! Writes records in batches, and reports which were stored if that fails.

use std::{
    collections::HashMap,
    fmt,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

use prost::Message as _;
use qdrant_client::qdrant::{PointStruct, UpsertPoints};
use textsearch_core::{
    Error, ErrorKind, Result,
    vector::{RecordKey, StoredRecord},
};

use crate::{
    CONNECTOR, batch::Batches, handle::QdrantCollection, path::RESERVED, point::PointWriter, status,
};

/// The state of the records of an upsert that failed partway: the
/// [source](std::error::Error::source) of its error. Writing the same records again is always safe.
///
/// ```
/// use textsearch_qdrant::{Error, InterruptedUpsert};
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
    /// Keys of records that may or may not be stored.
    pub unsure: Vec<RecordKey>,
    /// Keys of records that were not sent.
    pub not_sent: Vec<RecordKey>,
    /// Why it failed.
    pub cause: Error,
}

impl fmt::Display for InterruptedUpsert {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.cause.message())
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

impl QdrantCollection {
    /// If several records have the same key, the last one wins.
    pub(crate) async fn write(&self, mut records: Vec<StoredRecord>) -> Result<()> {
        for record in &records {
            self.definition.check_record(CONNECTOR, record)?;
            check_reserved(record)?;
        }
        keep_last_of_each_key(&mut records);
        if records.is_empty() {
            return self.check_exists().await;
        }
        let mut writer = self.writer();
        let config = self.nodes.config();
        let mut batches = Batches::new(config.max_batch_records, config.max_batch_bytes);
        let mut points: Vec<PointStruct> = Vec::new();
        for record in &records {
            let point = writer.point(record);
            if let Some(batch) = batches.add(point.encoded_len()) {
                let ready = std::mem::take(&mut points);
                self.write_batch(&records, batch, ready, &mut writer).await?;
            }
            points.push(point);
        }
        match batches.take() {
            Some(batch) => self.write_batch(&records, batch, points, &mut writer).await,
            None => Ok(()),
        }
    }

    async fn write_batch(
        &self,
        records: &[StoredRecord],
        batch: std::ops::Range<usize>,
        points: Vec<PointStruct>,
        writer: &mut PointWriter<'_>,
    ) -> Result<()> {
        let of_batch = records.get(batch.clone()).unwrap_or_default();
        // Rebuild the points only for a retry; a copy for every attempt would cost more than
        // sending.
        let mut ready = Some(points);
        let (attempts, is_refused) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (attempts, is_refused) = (&attempts, &is_refused);
        let written = self.request(|client| {
            let is_first = attempts.fetch_add(1, Ordering::Relaxed) == 0;
            let points = ready.take();
            let points =
                points.unwrap_or_else(|| of_batch.iter().map(|one| writer.point(one)).collect());
            let request = UpsertPoints {
                collection_name: self.name.clone(),
                wait: Some(self.nodes.config().wait_for_writes),
                points,
                ..UpsertPoints::default()
            };
            async move {
                let written = client.upsert_points(request).await;
                let is_refusal = written.as_ref().err().is_some_and(status::is_refusal);
                is_refused.store(is_first && is_refusal, Ordering::Relaxed);
                written
            }
        });
        let waits = self.nodes.config().wait_for_writes;
        let done = written.await.and_then(|answer| status::check_written(&answer, waits));
        let Err(cause) = done else { return Ok(()) };
        if batch.len() == records.len() && is_refused.load(Ordering::Relaxed) {
            // The whole request was rejected, and no earlier attempt can have stored it.
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
        Err(interrupted.into_error())
    }
}

/// A field of the reserved name would be mistaken for this crate's own data.
fn check_reserved(record: &StoredRecord) -> Result<()> {
    if !record.data.contains_key(RESERVED) {
        return Ok(());
    }
    let key = &record.key;
    let message = format!(
        "the record `{key}` has a field `{RESERVED}`, which is reserved for this connector: rename it"
    );
    Err(Error::new(ErrorKind::invalid_record(key.to_string()), CONNECTOR, message))
}

fn keep_last_of_each_key(records: &mut Vec<StoredRecord>) {
    let places = records.iter().enumerate().map(|(place, record)| (record.key.clone(), place));
    let last: HashMap<RecordKey, usize> = places.collect();
    if last.len() < records.len() {
        let mut place = 0..;
        records.retain(|record| last.get(&record.key).copied() == place.next());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_lists_stored_and_unsure_records() {
        let keys = |range: std::ops::Range<u64>| range.map(RecordKey::Integer).collect();
        let cause = Error::new(ErrorKind::Unavailable, CONNECTOR, "gone");
        let interrupted = InterruptedUpsert {
            stored: keys(0..3),
            unsure: keys(3..4),
            not_sent: keys(4..4),
            cause,
        };
        let error = interrupted.into_error();
        assert_eq!(
            error.to_string(),
            "qdrant: the upsert was interrupted: 3 stored (`0` to `2`); 1 unsure (`3`); 0 not sent: gone"
        );
        assert!(error.is_retryable());
    }
}
