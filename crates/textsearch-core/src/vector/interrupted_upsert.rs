//! The error of an upsert that failed partway.

use std::{fmt, ops::Range};

use super::{RecordKey, StoredRecord};
use crate::Error;

/// Reports which records a failed upsert stored. Stores that send batches attach it as the
/// [source](std::error::Error::source) of the error. Upserting the same records again is always
/// safe.
///
/// ```
/// use textsearch_core::{Error, vector::InterruptedUpsert};
///
/// fn unsure(error: &Error) -> usize {
///     let source = std::error::Error::source(error);
///     let interrupted = source.and_then(|source| source.downcast_ref::<InterruptedUpsert>());
///     interrupted.map_or(0, |upsert| upsert.unsure.len())
/// }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct InterruptedUpsert {
    /// Keys of stored records.
    pub stored: Vec<RecordKey>,
    /// Keys of records that the backend rejected, each with the reason.
    pub rejected: Vec<(RecordKey, String)>,
    /// Keys of records that may or may not be stored.
    pub unsure: Vec<RecordKey>,
    /// Keys of other records that aren't stored: not sent, or in a batch that was refused.
    pub not_stored: Vec<RecordKey>,
    /// Why it failed.
    pub cause: Error,
}

impl InterruptedUpsert {
    /// Creates a report without keys.
    pub fn new(cause: Error) -> Self {
        let stored = Vec::new();
        let unsure = Vec::new();
        let not_stored = Vec::new();
        Self { stored, rejected: Vec::new(), unsure, not_stored, cause }
    }

    /// Returns the error of an upsert whose batch `batch` failed: `cause` itself if nothing was stored,
    /// otherwise an error with a report.
    ///
    /// Set `is_refused` if the backend stored nothing of the batch in the last attempt, as
    /// [`Error::is_refusal`] says of services over HTTP. After several
    /// [attempts](Error::attempts), the batch counts as unsure anyway.
    pub fn at(
        records: &[StoredRecord],
        batch: &Range<usize>,
        is_refused: bool,
        cause: Error,
    ) -> Error {
        let is_refused = is_refused && cause.attempts() <= 1;
        if batch.start == 0 && is_refused {
            return cause;
        }
        let keys = |range: Range<usize>| -> Vec<RecordKey> {
            let records = records.get(range).unwrap_or_default();
            records.iter().map(|record| record.key.clone()).collect()
        };
        let first_not_stored = if is_refused { batch.start } else { batch.end };
        let mut interrupted = Self::new(cause);
        interrupted.stored = keys(0..batch.start);
        interrupted.unsure = keys(batch.start..first_not_stored);
        interrupted.not_stored = keys(first_not_stored..records.len());
        interrupted.into_error()
    }

    /// Converts the report into an error of the cause's kind. The message counts the keys; the source
    /// is the report.
    pub fn into_error(self) -> Error {
        let cause = &self.cause;
        let rejected = (!self.rejected.is_empty()).then(|| {
            let keys: Vec<_> = self.rejected.iter().map(|(key, _)| key).collect();
            format!("{}; ", described(&keys, "rejected"))
        });
        let list = |keys: &[RecordKey], what| described(&keys.iter().collect::<Vec<_>>(), what);
        let message = format!(
            "the upsert was interrupted: {}; {}{}; {}: {}",
            list(&self.stored, "stored"),
            rejected.unwrap_or_default(),
            list(&self.unsure, "unsure"),
            list(&self.not_stored, "not stored"),
            cause.message()
        );
        Error::new(cause.kind().clone(), cause.connector(), message)
            .with_retry_after(cause.retry_after())
            .with_attempts(cause.attempts())
            .with_source(self)
    }
}

impl fmt::Display for InterruptedUpsert {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.cause.message())
    }
}

impl std::error::Error for InterruptedUpsert {}

/// Names the first and last key, in the caller's order.
fn described(keys: &[&RecordKey], what: &str) -> String {
    match keys {
        [] => format!("0 {what}"),
        [only] => format!("1 {what} (`{only}`)"),
        [first, .., last] => format!("{} {what} (`{first}` to `{last}`)", keys.len()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::{ErrorKind, vector::RecordDefinition};

    fn records(keys: Range<u32>) -> Vec<StoredRecord> {
        let record = |key: u32| {
            let data = json!({ "id": key.to_string() }).as_object().cloned().unwrap();
            StoredRecord::new(data, &RecordDefinition::new("id")).unwrap()
        };
        keys.map(record).collect()
    }

    fn cause() -> Error {
        let error = Error::new(ErrorKind::Unavailable, "acme", "gone");
        error.with_retry_after(Duration::from_secs(3))
    }

    #[test]
    fn the_error_counts_stored_unsure_and_other_records() {
        let error = InterruptedUpsert::at(&records(0..6), &(2..4), false, cause());
        assert_eq!(
            error.to_string(),
            "acme: the upsert was interrupted: 2 stored (`0` to `1`); 2 unsure (`2` to `3`); \
             2 not stored (`4` to `5`): gone"
        );
        assert!(error.is_retryable());
        assert_eq!(error.retry_after(), Some(Duration::from_secs(3)));
    }

    #[test]
    fn records_of_a_refused_batch_are_not_stored() {
        let error = InterruptedUpsert::at(&records(0..4), &(2..3), true, cause());
        assert!(error.message().contains("0 unsure; 2 not stored (`2` to `3`)"), "{error}");
    }

    #[test]
    fn a_first_batch_that_is_refused_leaves_the_cause() {
        let error = InterruptedUpsert::at(&records(0..4), &(0..2), true, cause());
        assert_eq!(error.message(), "gone");
        assert!(std::error::Error::source(&error).is_none());
    }

    #[test]
    fn a_refusal_after_a_retry_leaves_the_batch_unsure() {
        let error = InterruptedUpsert::at(&records(0..2), &(0..2), true, cause().with_attempts(2));
        assert!(error.message().contains("0 stored; 2 unsure (`0` to `1`)"), "{error}");
    }

    #[test]
    fn rejected_records_are_named_with_reasons() {
        let mut interrupted = InterruptedUpsert::new(cause());
        interrupted.rejected.push(("a".into(), "too long".to_owned()));
        let error = interrupted.into_error();
        assert!(error.message().contains("0 stored; 1 rejected (`a`); 0 unsure"), "{error}");
    }
}
