//! Deletion of records.

use textsearch_core::{Filter, Result, vector::RecordKey};

use crate::{
    CONNECTOR,
    filter::{Candidates, Condition},
    handle::{Handle, batches},
    proto,
};

impl Handle {
    pub(crate) async fn delete_keys(&self, keys: &[RecordKey]) -> Result<()> {
        let keys = self.canonical(keys);
        if keys.is_empty() {
            return self.check_exists().await;
        }
        for keys in batches(&keys) {
            self.delete_those(self.with_keys(keys)).await?;
        }
        Ok(())
    }

    /// Deletes on the server if it can check all of the filter, and key by key if not.
    pub(crate) async fn delete_matches(&self, filter: &Filter) -> Result<()> {
        self.definition.check_filter(Some(filter), CONNECTOR)?;
        let condition = Condition::new(Some(filter), &self.columns);
        match (&condition.candidates, condition.is_exact) {
            (Candidates::None, _) => self.check_exists().await,
            (Candidates::Those(expression), true) => self.delete_those(expression.clone()).await,
            _ => {
                let mut keys = Vec::new();
                let outputs = self.record_columns(false);
                let reading = self.each(condition.expression(), outputs, |row| {
                    let record = self.record(row)?;
                    if record.matches(Some(filter)) {
                        keys.push(record.key);
                    }
                    Ok(true)
                });
                reading.await?;
                self.delete_keys(&keys).await
            }
        }
    }

    async fn delete_those(&self, expression: String) -> Result<()> {
        let request = proto::Delete {
            db_name: self.client.database(),
            collection_name: self.encoded(),
            expr: expression,
            consistency_level: self.client.config().consistency_level.number(),
        };
        let deleted: proto::Written = self.call_loaded("Delete", &request).await?;
        self.client.wrote(deleted.timestamp);
        Ok(())
    }
}
