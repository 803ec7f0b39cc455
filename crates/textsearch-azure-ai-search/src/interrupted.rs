//! The outcome of a failed upsert.

use std::fmt;

use textsearch_core::{Error, vector::RecordKey};

use crate::CONNECTOR;

/// The state of the records of an upsert that failed partway: the
/// [source](std::error::Error::source) of its error. Writing the same records again is safe.
///
/// ```
/// use textsearch_azure_ai_search::{Error, InterruptedUpsert};
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
    /// Keys of records that the service rejected, with its reasons.
    pub rejected: Vec<(RecordKey, String)>,
    /// Keys of records that may or may not be stored.
    pub unsure: Vec<RecordKey>,
    /// Keys of records that were not sent.
    pub not_sent: Vec<RecordKey>,
    /// Why it failed.
    pub cause: Error,
}

impl InterruptedUpsert {
    pub(crate) fn into_error(self) -> Error {
        let rejected: Vec<RecordKey> = self.rejected.iter().map(|(key, _)| key.clone()).collect();
        let message = format!(
            "the upsert was interrupted: {}; {}; {}; {}: {}",
            described(&self.stored, "stored"),
            described(&rejected, "rejected"),
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

impl fmt::Display for InterruptedUpsert {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.cause.message())
    }
}

impl std::error::Error for InterruptedUpsert {}
