//! Deletes records.

use textsearch_core::{Filter, Result, vector::RecordKey};

use crate::{
    CONNECTOR,
    handle::Handle,
    key::id_of,
    wire::{Delete, Done},
};

/// Maximum number of identifiers in one request to delete.
const MAX_DELETED: usize = 1_000;

impl Handle {
    pub(crate) async fn delete_keys(&self, keys: &[RecordKey]) -> Result<()> {
        let field = &self.definition.key;
        let mut ids: Vec<String> = keys.iter().filter_map(|key| id_of(field, key)).collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.is_empty() {
            return self.open().await.map(drop);
        }
        for ids in ids.chunks(MAX_DELETED) {
            let body = Delete { ids, namespace: self.namespace() };
            let _: Done = self.post(&["vectors", "delete"], &body).await?;
        }
        Ok(())
    }

    pub(crate) async fn delete_matches(&self, filter: &Filter) -> Result<()> {
        self.definition.check_filter(Some(filter), CONNECTOR)?;
        let mut keys = Vec::new();
        self.each_match(Some(filter), false, |record| keys.push(record.key)).await?;
        self.delete_keys(&keys).await
    }
}
