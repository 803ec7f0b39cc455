//! Deletion of records.

use std::collections::HashSet;

use textsearch_core::{Error, ErrorKind, Filter, Result, vector::RecordKey};

use crate::{CONNECTOR, handle::Index, key::document_key};

impl Index {
    /// Deletes the documents of these keys. A missing one is no error.
    pub(crate) async fn delete_keys(&self, keys: &[RecordKey]) -> Result<()> {
        let field = &self.definition.key;
        let mut seen = HashSet::new();
        let canonical = keys.iter().map(|key| field.canonical(key).into_owned());
        let keys: Vec<RecordKey> =
            canonical.filter(|key| field.accepts(key) && seen.insert(key.clone())).collect();
        if keys.is_empty() {
            return self.check_exists().await;
        }
        let action = |key: &RecordKey| {
            let action =
                serde_json::json!({ "@search.action": "delete", &field.name: document_key(key) });
            action.to_string()
        };
        let actions: Vec<String> = keys.iter().map(action).collect();
        for batch in self.batches(&actions) {
            #[expect(clippy::indexing_slicing, reason = "batches are ranges of the actions")]
            let (batch_actions, sent) = (&actions[batch.clone()], &keys[batch]);
            let outcome = self.run(batch_actions, sent).await?;
            if let Some(cause) = outcome.cause {
                return Err(cause);
            }
            let first = outcome
                .rejected
                .first()
                .map(|(place, status, reason)| (*place, format!("status {status}: {reason}")));
            let unsure = || Some((*outcome.unsure.first()?, "the response lacks it".to_owned()));
            if let Some((place, reason)) = first.or_else(unsure) {
                let key = sent.get(place).map(RecordKey::to_string).unwrap_or_default();
                let message = format!("deleting the record `{key}` failed: {reason}; delete again");
                return Err(Error::new(ErrorKind::Unavailable, CONNECTOR, message));
            }
        }
        Ok(())
    }

    pub(crate) async fn delete_matches(&self, filter: &Filter) -> Result<()> {
        let keys = self.matching_keys(filter).await?;
        if keys.is_empty() { Ok(()) } else { self.delete_keys(&keys).await }
    }
}
