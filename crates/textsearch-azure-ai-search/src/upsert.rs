//! Writing of records.

use textsearch_core::{
    Error, ErrorKind, Result,
    vector::{InterruptedUpsert, RecordKey, StoredRecord, keep_last_of_each_key},
};

use crate::{
    CONNECTOR,
    actions::{Outcome, body},
    handle::Index,
};

impl Index {
    /// Stores the records. If several have the same key, the last one wins.
    pub(crate) async fn write(&self, mut records: Vec<StoredRecord>) -> Result<()> {
        records.iter().try_for_each(|record| self.definition.check_record(CONNECTOR, record))?;
        keep_last_of_each_key(&mut records);
        let actions = records.iter().map(|record| self.upload(record));
        let actions = actions.collect::<Result<Vec<String>>>()?;
        // One alone may be as large as the service allows, whatever is configured.
        let is_too_long = |action: &&String| body(std::slice::from_ref(*action)).len() > 16_000_000;
        if let Some((_, record)) =
            actions.iter().zip(&records).find(|(action, _)| is_too_long(action))
        {
            return Err(Error::invalid_record(
                CONNECTOR,
                &record.key,
                "a document has at most 16,000,000 bytes",
            ));
        }
        if actions.is_empty() {
            return self.check_exists().await;
        }
        let keys: Vec<RecordKey> = records.iter().map(|record| record.key.clone()).collect();
        for batch in self.batches(&actions) {
            #[expect(clippy::indexing_slicing, reason = "batches are ranges of the actions")]
            let (batch_actions, sent) = (&actions[batch.clone()], &keys[batch.clone()]);
            let outcome = self.run(batch_actions, sent).await.map_err(|cause| {
                InterruptedUpsert::at(&records, &batch, cause.is_refusal(), cause)
            })?;
            if !outcome.rejected.is_empty() || !outcome.unsure.is_empty() {
                let (before, _) = keys.split_at(batch.start);
                let (_, rest) = keys.split_at(batch.end);
                return Err(partly(outcome, before, sent, rest));
            }
        }
        Ok(())
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
    let cause = match (outcome.cause, outcome.rejected.first()) {
        (Some(cause), _) => cause,
        (None, Some((place, status, reason))) => {
            let name = key(place).map(|key| key.to_string()).unwrap_or_default();
            let message =
                format!("the service rejects the record `{name}` with {status}: {reason}");
            let kind = match status {
                400..=499 if ![409, 422, 429].contains(status) => ErrorKind::invalid_record(name),
                _ => ErrorKind::Unavailable,
            };
            Error::new(kind, CONNECTOR, message)
        }
        (None, None) => {
            let message = "the response lacks the status of some records";
            Error::new(ErrorKind::Undecodable, CONNECTOR, message)
        }
    };
    let rejected = outcome.rejected.iter();
    let rejected = rejected.filter_map(|(place, _, reason)| Some((key(place)?, reason.clone())));
    let mut interrupted = InterruptedUpsert::new(cause);
    interrupted.stored = stored;
    interrupted.rejected = rejected.collect();
    interrupted.unsure = outcome.unsure.iter().filter_map(key).collect();
    interrupted.not_stored = rest.to_vec();
    interrupted.into_error()
}
