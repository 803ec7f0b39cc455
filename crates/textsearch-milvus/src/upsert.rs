//! Writes records in batches, and reports which were stored if that fails.

use std::{collections::HashMap, fmt, ops::Range};

use textsearch_core::{
    Error, ErrorKind, Result,
    text_analysis::SparseWriter,
    vector::{RecordKey, StoredRecord},
};

use crate::{
    CONNECTOR,
    data::DataText,
    error::Failure,
    handle::Handle,
    proto,
    terms::{Weights, weights},
    write::Table,
};

/// The state of the records of an upsert that failed partway: the
/// [source](std::error::Error::source) of its error. Writing the same records again is always safe.
///
/// ```
/// use textsearch_milvus::{Error, InterruptedUpsert};
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
    /// Keys of records that are not stored: the server rejected them, or they were not sent.
    pub not_stored: Vec<RecordKey>,
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
    fn new(records: &[StoredRecord], batch: &Range<usize>, failure: Failure) -> Self {
        let keys = |range: Range<usize>| -> Vec<RecordKey> {
            let records = records.get(range).unwrap_or_default();
            records.iter().map(|record| record.key.clone()).collect()
        };
        let first_unsent = if failure.is_refusal { batch.start } else { batch.end };
        Self {
            stored: keys(0..batch.start),
            unsure: keys(batch.start..first_unsent),
            not_stored: keys(first_unsent..records.len()),
            cause: failure.error,
        }
    }

    fn into_error(self) -> Error {
        let Self { stored, unsure, not_stored, cause } = &self;
        let message = format!(
            "the upsert was interrupted: {}, {}, {}: {}",
            described(stored, "stored"),
            described(unsure, "unsure"),
            described(not_stored, "not stored"),
            cause.message()
        );
        Error::new(cause.kind().clone(), CONNECTOR, message).with_source(self)
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

/// A record with its computed columns.
pub(crate) struct Prepared<'a> {
    pub(crate) record: &'a StoredRecord,
    pub(crate) data: DataText,
    pub(crate) terms: Weights,
}

impl Prepared<'_> {
    /// Returns about the bytes in a request.
    fn size(&self, handle: &Handle) -> usize {
        let vectors: usize = handle.columns.vectors.iter().map(|column| column.dimensions).sum();
        // Columns repeat parts of the data.
        4 * vectors + 2 * self.data.len() + 13 * self.terms.len() + 64
    }
}

impl Handle {
    /// If several records have the same key, the last one wins.
    pub(crate) async fn upsert(&self, mut records: Vec<StoredRecord>) -> Result<()> {
        for record in &records {
            self.definition.check_record(CONNECTOR, record)?;
            self.columns.check(record)?;
        }
        keep_last_of_each_key(&mut records);
        if records.is_empty() {
            return self.check_exists().await;
        }
        let config = self.client.config();
        let mut writer = self.text_fields.writer();
        let mut table = Table::new(&self.columns);
        let (mut start, mut bytes) = (0, 0);
        for (place, record) in records.iter().enumerate() {
            let prepared = prepared(record, &mut writer).map_err(|error| {
                // Nothing of this batch was sent.
                let failure = Failure { is_refusal: true, ..Failure::from(error) };
                stopped(&records, &(start..place), failure)
            })?;
            let size = prepared.size(self);
            let is_full =
                place - start >= config.max_batch_records || bytes + size > config.max_batch_bytes;
            // A record that exceeds the limit alone is a batch; the server decides about it.
            if is_full && place > start {
                let ready = std::mem::replace(&mut table, Table::new(&self.columns));
                self.write(&records, start..place, ready).await?;
                (start, bytes) = (place, 0);
            }
            bytes += size;
            table.push(&prepared);
        }
        self.write(&records, start..records.len(), table).await
    }

    async fn write(
        &self,
        records: &[StoredRecord],
        batch: Range<usize>,
        table: Table<'_>,
    ) -> Result<()> {
        let request = proto::Upsert {
            db_name: self.client.database(),
            collection_name: self.encoded(),
            num_rows: u32::try_from(batch.len()).unwrap_or(u32::MAX),
            fields_data: table.into_fields(),
        };
        let written: Result<proto::Written, Failure> = self.call("Upsert", &request).await;
        match written {
            Ok(written) if written.err_index.is_empty() => {
                self.client.wrote(written.timestamp);
                Ok(())
            }
            Ok(written) => {
                let message =
                    format!("the server stored all but {} of a batch", written.err_index.len());
                let error = Error::new(ErrorKind::Backend, CONNECTOR, message);
                Err(stopped(records, &batch, Failure::from(error)))
            }
            Err(failure) => Err(stopped(records, &batch, failure)),
        }
    }
}

fn prepared<'a>(record: &'a StoredRecord, writer: &mut SparseWriter<'_>) -> Result<Prepared<'a>> {
    let data = DataText::new(&record.data).ok_or_else(|| {
        let key = record.key.to_string();
        let message = format!(
            "the record `{key}` cannot be stored: its data has more than 268 million bytes of JSON"
        );
        Error::new(ErrorKind::invalid_record(key), CONNECTOR, message)
    })?;
    Ok(Prepared { record, data, terms: weights(writer.document(&record.data)) })
}

/// Returns the cause alone if nothing was stored.
fn stopped(records: &[StoredRecord], batch: &Range<usize>, failure: Failure) -> Error {
    if batch.start == 0 && failure.is_refusal {
        return failure.error;
    }
    InterruptedUpsert::new(records, batch, failure).into_error()
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
    use serde_json::json;
    use textsearch_core::vector::RecordDefinition;

    use super::*;

    fn records(keys: std::ops::Range<u32>) -> Vec<StoredRecord> {
        let record = |key: u32| {
            let data = json!({ "id": key.to_string() }).as_object().cloned().unwrap();
            StoredRecord::new(data, &RecordDefinition::new("id")).unwrap()
        };
        keys.map(record).collect()
    }

    fn failure(is_refusal: bool) -> Failure {
        let error = Error::new(ErrorKind::Unavailable, CONNECTOR, "gone");
        Failure { is_refusal, ..Failure::from(error) }
    }

    #[test]
    fn error_lists_stored_and_unsure_records() {
        let error = stopped(&records(0..6), &(2..4), failure(false));
        assert_eq!(
            error.to_string(),
            "milvus: the upsert was interrupted: 2 stored (`0` to `1`), 2 unsure (`2` to `3`), \
             2 not stored (`4` to `5`): gone"
        );
        assert!(error.is_retryable());
    }

    #[test]
    fn refused_batch_is_not_stored() {
        let error = stopped(&records(0..3), &(2..3), failure(true));
        assert!(error.message().contains("0 unsure, 1 not stored (`2`)"), "{error}");
        assert_eq!(stopped(&records(0..3), &(0..3), failure(true)).message(), "gone");
    }

    #[test]
    fn last_record_of_a_key_wins() {
        let mut all = records(0..3);
        all.extend(records(1..2));
        keep_last_of_each_key(&mut all);
        let keys: Vec<String> = all.iter().map(|record| record.key.to_string()).collect();
        assert_eq!(keys, ["0", "2", "1"]);
    }
}
