//! Deletion of records.

use serde_json::Value;
use textsearch_core::{
    Filter, Result,
    vector::{RecordKey, StoredRecord},
};

use crate::{CONNECTOR, client::Delete, filter::Where, handle::Handle};

impl Handle {
    pub(crate) async fn delete_keys(&self, keys: &[RecordKey]) -> Result<()> {
        let field = &self.definition.key;
        let keys: Vec<RecordKey> =
            keys.iter().map(|key| field.canonical(key).into_owned()).collect();
        self.delete_ids(&self.ids_of(&keys), &Where::ALL).await
    }

    /// Reads the records first, unless the server checks all of the filter.
    pub(crate) async fn delete_matches(&self, filter: &Filter) -> Result<()> {
        self.definition.check_filter(Some(filter), CONNECTOR)?;
        let selection = self.selection(Some(filter)).await?;
        let mut ids = Vec::new();
        if selection.is_exact && !selection.is_never {
            ids = self.select(&selection).await?;
        } else if !selection.is_never {
            let each = |record: StoredRecord| ids.push(record.key.to_string());
            self.for_each(&selection, Some(filter), false, each).await?;
        }
        self.delete_ids(&ids, &selection).await
    }

    /// Sends the conditions again: a record may have changed since its id was read.
    async fn delete_ids(&self, ids: &[String], selection: &Where) -> Result<()> {
        if ids.is_empty() {
            return self.check_exists().await;
        }
        let max = self.max_records().await?;
        for ids in ids.chunks(max) {
            let delete = Delete { ids, selection };
            self.post_selection::<Value>("delete", &delete, selection).await?;
        }
        Ok(())
    }
}
