//! Writing of records.

use std::collections::HashMap;

use textsearch_core::{
    Error, ErrorKind, Result,
    vector::{RecordKey, StoredRecord},
};

use crate::{
    CONNECTOR,
    batch::{batches, body},
    error::invalid_record,
    index::Index,
    interrupted::InterruptedUpsert,
    write::Outcome,
};

impl Index {
    /// Stores the records. If several have the same key, the last one wins.
    pub(crate) async fn put(&self, mut records: Vec<StoredRecord>) -> Result<()> {
        let actions = records.iter().map(|record| self.upload(record));
        let mut actions = actions.collect::<Result<Vec<String>>>()?;
        keep_last_of_each_key(&mut records, &mut actions);
        let config = self.service.config();
        // One alone may be as large as the service allows, whatever is configured.
        let is_too_long = |action: &&String| body(std::slice::from_ref(*action)).len() > 16_000_000;
        if let Some((_, record)) = actions.iter().zip(&records).find(|(one, _)| is_too_long(one)) {
            return Err(invalid_record(&record.key, "a document has at most 16,000,000 bytes"));
        }
        if actions.is_empty() {
            return self.check_exists().await;
        }
        let sizes = actions.iter().map(String::len);
        let keys: Vec<RecordKey> = records.into_iter().map(|record| record.key).collect();
        for batch in batches(sizes, config.max_batch_records, config.max_batch_bytes) {
            let (of_batch, sent) = (actions.get(batch.clone()), keys.get(batch.clone()));
            let (of_batch, sent) = (of_batch.unwrap_or_default(), sent.unwrap_or_default());
            let outcome = self.run(of_batch, sent).await;
            let is_first = batch.start == 0;
            let rest = keys.get(batch.end..).unwrap_or_default();
            let before = keys.get(..batch.start).unwrap_or_default();
            match outcome {
                Ok(outcome) if outcome.rejected.is_empty() && outcome.unsure.is_empty() => {}
                Ok(outcome) => return Err(partly(outcome, before, sent, rest)),
                // The service refused the only request as a whole.
                Err(error) if is_first && rest.is_empty() && is_refusal(&error) => {
                    return Err(error);
                }
                Err(cause) => {
                    let interrupted = InterruptedUpsert {
                        stored: before.to_vec(),
                        rejected: Vec::new(),
                        unsure: sent.to_vec(),
                        not_sent: rest.to_vec(),
                        cause,
                    };
                    return Err(interrupted.into_error());
                }
            }
        }
        Ok(())
    }
}

/// The service read the request and did nothing.
fn is_refusal(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::UnexpectedStatus { status, .. } => (400..500).contains(status),
        ErrorKind::Authentication
        | ErrorKind::CollectionNotFound { .. }
        | ErrorKind::InvalidOptions { .. } => true,
        _ => false,
    }
}

fn partly(outcome: Outcome, before: &[RecordKey], sent: &[RecordKey], rest: &[RecordKey]) -> Error {
    let key = |place: &usize| sent.get(*place).cloned();
    let is_stored = |place: &usize| {
        !outcome.unsure.contains(place)
            && !outcome.rejected.iter().any(|(rejected, ..)| rejected == place)
    };
    let stored = (0..sent.len()).filter(is_stored).filter_map(|place| key(&place));
    let stored = before.iter().cloned().chain(stored).collect();
    let cause = match outcome.rejected.first() {
        Some((place, status, reason)) => {
            let name = key(place).map(|key| key.to_string()).unwrap_or_default();
            let message =
                format!("the service rejects the record `{name}` with {status}: {reason}");
            let kind = match status {
                400..=499 if ![409, 422, 429].contains(status) => ErrorKind::invalid_record(name),
                _ => ErrorKind::Unavailable,
            };
            Error::new(kind, CONNECTOR, message)
        }
        None => {
            let message = "the response lacks the status of some records";
            Error::new(ErrorKind::Undecodable, CONNECTOR, message)
        }
    };
    let rejected = outcome.rejected.iter();
    let rejected = rejected.filter_map(|(place, _, reason)| Some((key(place)?, reason.clone())));
    let interrupted = InterruptedUpsert {
        stored,
        rejected: rejected.collect(),
        unsure: outcome.unsure.iter().filter_map(key).collect(),
        not_sent: rest.to_vec(),
        cause,
    };
    interrupted.into_error()
}

fn keep_last_of_each_key(records: &mut Vec<StoredRecord>, actions: &mut Vec<String>) {
    let places = records.iter().enumerate().map(|(place, record)| (record.key.clone(), place));
    let last: HashMap<RecordKey, usize> = places.collect();
    if last.len() == records.len() {
        return;
    }
    let kept: Vec<bool> = records
        .iter()
        .enumerate()
        .map(|(place, record)| last.get(&record.key) == Some(&place))
        .collect();
    let (mut of_records, mut of_actions) = (kept.iter(), kept.iter());
    records.retain(|_| of_records.next() == Some(&true));
    actions.retain(|_| of_actions.next() == Some(&true));
}
