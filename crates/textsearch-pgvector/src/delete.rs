//! Deletion of records.

use deadpool_postgres::Client;
use textsearch_core::{Filter, Result, vector::RecordKey};
use tokio_postgres::{GenericClient, Transaction};

use crate::{
    filter::condition,
    query::Query,
    scan::Failure,
    table::{Part, Table},
};

/// Rows that are locked, checked and deleted together.
const LOCKED_AT_ONCE: usize = 1_000;

impl Table {
    pub(crate) async fn delete_keys(
        &self,
        client: &impl GenericClient,
        keys: &[RecordKey],
    ) -> Result<()> {
        let field = &self.definition.key;
        let keys: Vec<RecordKey> =
            keys.iter().map(|key| field.canonical(key).into_owned()).collect();
        let mut query = Query::default();
        let condition = self.with_keys(&keys, &mut query);
        self.delete_where(client, query, &condition).await
    }

    /// Deletes all matching records or none.
    pub(crate) async fn delete_matching(&self, client: &mut Client, filter: &Filter) -> Result<()> {
        let mut query = Query::default();
        let condition = condition(Some(filter), self, &mut query);
        if condition.exact {
            return self.delete_where(&***client, query, &condition.sql).await;
        }
        let failed = |error| self.error(error);
        let transaction = client.transaction().await.map_err(failed)?;
        // Without locks: the condition may hold for all rows.
        let candidates = self.ordered_rows(&condition.sql);
        let keys = self.matching_keys(&transaction, query, &candidates, filter).await?;
        for keys in keys.chunks(LOCKED_AT_ONCE) {
            let mut query = Query::default();
            let condition = self.with_keys(keys, &mut query);
            let locked = self.locked(&condition);
            // Others may have changed the records in the meantime.
            let keys = self.matching_keys(&transaction, query, &locked, filter).await?;
            self.delete_keys(&*transaction, &keys).await?;
        }
        transaction.commit().await.map_err(failed)
    }

    /// Returns the keys of the rows in `from` that match, in the order of the rows.
    async fn matching_keys(
        &self,
        transaction: &Transaction<'_>,
        mut query: Query,
        from: &str,
        filter: &Filter,
    ) -> Result<Vec<RecordKey>> {
        query.sql = format!("SELECT {} {from}", self.selected(Part::Data));
        let mut keys = Vec::new();
        let pages = query.pages(transaction, |row| {
            let record = self.record(&row, Part::Data)?;
            if record.matches(Some(filter)) {
                keys.push(record.key);
            }
            Ok::<_, Failure>(true)
        });
        pages.await.map_err(|failure| failure.into_error(self))?;
        Ok(keys)
    }

    async fn delete_where(
        &self,
        client: &impl GenericClient,
        mut query: Query,
        condition: &str,
    ) -> Result<()> {
        let table = &self.sql;
        let key = &self.key;
        let locked = self.locked(condition);
        query.sql = format!("DELETE FROM {table} WHERE {key} IN (SELECT {key} {locked})");
        let deleted = query.execute(client).await;
        deleted.map(drop).map_err(|error| self.error(error))
    }

    /// Locks rows in the order of their keys, as all writers do: no two wait for each other.
    fn locked(&self, condition: &str) -> String {
        format!("{} FOR UPDATE", self.ordered_rows(condition))
    }

    fn ordered_rows(&self, condition: &str) -> String {
        format!("FROM {} WHERE {condition} ORDER BY {}", self.sql, self.by_key(&self.key))
    }
}
