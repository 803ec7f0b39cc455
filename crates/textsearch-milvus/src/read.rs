//! Reading by key.

use std::collections::HashMap;

use textsearch_core::{
    Result,
    vector::{RecordKey, StoredRecord},
};

use crate::handle::Handle;

impl Handle {
    /// Reads the records with these keys, in this order.
    pub(crate) async fn read(
        &self,
        keys: &[RecordKey],
        with_vectors: bool,
    ) -> Result<Vec<StoredRecord>> {
        let keys = self.canonical(keys);
        let records = self.records_of(&keys, with_vectors).await?;
        Ok(keys.iter().filter_map(|key| records.get(key).cloned()).collect())
    }

    /// Returns the keys in their canonical form, without keys that no record can have.
    pub(crate) fn canonical(&self, keys: &[RecordKey]) -> Vec<RecordKey> {
        let field = &self.definition.key;
        let keys = keys.iter().map(|key| field.canonical(key).into_owned());
        keys.filter(|key| field.accepts(key)).collect()
    }

    /// Reads records by their keys, which are canonical.
    pub(crate) async fn records_of(
        &self,
        keys: &[RecordKey],
        with_vectors: bool,
    ) -> Result<HashMap<RecordKey, StoredRecord>> {
        if keys.is_empty() {
            return self.check_exists().await.map(|()| HashMap::new());
        }
        let rows = self.rows_of(keys, with_vectors).await?.into_iter();
        rows.map(|row| Ok((row.key.clone(), self.record(row)?))).collect()
    }
}
