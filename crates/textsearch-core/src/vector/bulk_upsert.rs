//! Upserts of more records than fit into memory.

use std::{
    error, fmt,
    pin::pin,
    sync::atomic::{AtomicUsize, Ordering},
};

use futures_core::Stream;
use futures_util::{StreamExt as _, TryStreamExt as _, future};

use super::{Collection, CollectionRecord};
use crate::{Error, Result};

/// Settings of [`Collection::bulk_upsert`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BulkSettings {
    /// The number of records in an upsert. Default: 1,000.
    pub max_batch_records: usize,
    /// The number of upserts at the same time. Default: 4.
    pub concurrent_batches: usize,
}

impl Default for BulkSettings {
    fn default() -> Self {
        Self { max_batch_records: 1_000, concurrent_batches: 4 }
    }
}

impl BulkSettings {
    fn check(&self, connector: &str) -> Result<()> {
        let values = [
            ("max_batch_records", self.max_batch_records),
            ("concurrent_batches", self.concurrent_batches),
        ];
        match values.into_iter().find(|(_, value)| *value == 0) {
            Some((name, value)) => {
                Err(Error::invalid_options(connector, name, value, "at least 1"))
            }
            None => Ok(()),
        }
    }
}

/// Reports how far a failed bulk upsert came, as the [source](error::Error::source) of its error.
///
/// To go on, skip the first `stored` records of the same stream: storing the unsure ones again is
/// safe.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct InterruptedBulkUpsert {
    /// The number of records at the start of the stream that are all stored.
    pub stored: usize,
    /// The number of records after those that were sent: each may or may not be stored. Later
    /// records aren't.
    pub unsure: usize,
    /// Why it failed. Its source may [name the records](super::InterruptedUpsert) of the failed
    /// batch.
    pub cause: Error,
}

impl InterruptedBulkUpsert {
    fn into_error(self) -> Error {
        let cause = &self.cause;
        let message = format!(
            "the bulk upsert was interrupted: the first {} records are stored, the next {} may be; \
             go on after the stored ones: {}",
            self.stored,
            self.unsure,
            cause.message()
        );
        Error::new(cause.kind().clone(), cause.connector(), message)
            .with_retry_after(cause.retry_after())
            .with_attempts(cause.attempts())
            .with_source(self)
    }
}

impl fmt::Display for InterruptedBulkUpsert {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.cause.message())
    }
}

impl error::Error for InterruptedBulkUpsert {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        self.cause.source()
    }
}

impl<R: CollectionRecord> Collection<R> {
    /// Stores the records of a stream in batches, several at the same time, and returns how many
    /// there were.
    ///
    /// It reads no further than the batches that are being stored, so that memory holds at most
    /// `concurrent_batches` of them, plus the one being read. If a key repeats, either record may
    /// win. Dropping the future stops it; batches already sent may still be stored.
    ///
    /// ```
    /// use futures_util::{StreamExt as _, stream};
    /// use textsearch_core::vector::{BulkSettings, Collection, StoredRecord};
    ///
    /// # async fn example(notes: Collection, records: Vec<StoredRecord>) -> textsearch_core::Result<()> {
    /// let records = stream::iter(records).map(Ok);
    /// let stored = notes.bulk_upsert(records, &BulkSettings::default()).await?;
    /// println!("{stored} records");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// - [`InvalidOptions`](crate::ErrorKind::InvalidOptions) if a setting is 0.
    /// - The first error of the stream or of an [upsert](Self::upsert), with an
    ///   [`InterruptedBulkUpsert`] as the source. Nothing is read or sent after it.
    pub async fn bulk_upsert(
        &self,
        records: impl Stream<Item = Result<R>> + Send,
        settings: &BulkSettings,
    ) -> Result<usize> {
        settings.check(self.store_name())?;
        let sent = AtomicUsize::new(0);
        let batches = until_error(records)
            .try_chunks(settings.max_batch_records)
            .map(|batch| self.store_batch(batch.map_err(|error| error.1), &sent))
            .buffered(settings.concurrent_batches);
        let mut batches = pin!(batches);
        let mut stored = 0;
        // In the order of the stream, so that the stored records are its beginning.
        while let Some(batch) = batches.next().await {
            stored += batch.map_err(|cause| {
                let unsure = sent.load(Ordering::Relaxed).saturating_sub(stored);
                InterruptedBulkUpsert { stored, unsure, cause }.into_error()
            })?;
        }
        Ok(stored)
    }

    async fn store_batch(&self, batch: Result<Vec<R>>, sent: &AtomicUsize) -> Result<usize> {
        let batch = batch?;
        let count = batch.len();
        sent.fetch_add(count, Ordering::Relaxed);
        self.upsert(batch).await?;
        Ok(count)
    }
}

/// Ends the stream after its first error.
fn until_error<T>(records: impl Stream<Item = Result<T>>) -> impl Stream<Item = Result<T>> {
    records.scan(false, |has_failed, record| {
        let next = (!*has_failed).then_some(record);
        *has_failed = next.as_ref().is_none_or(Result::is_err);
        future::ready(next)
    })
}
