//! The error of an upsert that failed partway.

use std::{fmt, ops::Range};

use textsearch_core::{
    Error,
    vector::{RecordKey, StoredRecord},
};

use crate::{CONNECTOR, error::is_refusal};

/// The state of the records of an upsert that failed partway: the
/// [source](std::error::Error::source) of its error. Writing the same records again is always safe.
///
/// ```
/// use textsearch_pinecone::{Error, InterruptedUpsert};
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
    /// Keys of the failed batch. Pinecone may have stored its records.
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

/// Returns the error of an upsert whose batch failed. It is the cause alone if nothing was stored.
pub(crate) fn interrupted(records: &[StoredRecord], batch: &Range<usize>, cause: Error) -> Error {
    if batch.start == 0 && is_refusal(&cause) {
        return cause;
    }
    let keys = |range: Range<usize>| -> Vec<RecordKey> {
        let records = records.get(range).unwrap_or_default();
        records.iter().map(|record| record.key.clone()).collect()
    };
    let interrupted = InterruptedUpsert {
        stored: keys(0..batch.start),
        unsure: keys(batch.clone()),
        not_sent: keys(batch.end..records.len()),
        cause,
    };
    let InterruptedUpsert { stored, unsure, not_sent, cause } = &interrupted;
    let message = format!(
        "the upsert was interrupted: {}; {}; {}: {}; store them again, which is safe",
        described(stored, "stored"),
        described(unsure, "unsure"),
        described(not_sent, "not sent"),
        cause.message()
    );
    Error::new(cause.kind().clone(), CONNECTOR, message)
        .with_retry_after(cause.retry_after())
        .with_source(interrupted)
}

/// Names the first and last key, in the caller's order.
fn described(keys: &[RecordKey], what: &str) -> String {
    match keys {
        [] => format!("0 {what}"),
        [only] => format!("1 {what} (`{only}`)"),
        [first, .., last] => format!("{} {what} (`{first}` to `{last}`)", keys.len()),
    }
}
