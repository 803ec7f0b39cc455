//! Deletion of records.

use deadpool_postgres::Client;
use textsearch_core::{Filter, Result, vector::RecordKey};
use tokio_postgres::GenericClient;

use crate::{
    error::collection_error,
    filter::condition,
    query::Query,
    read::matches,
    scan::Failure,
    table::{Part, Table},
};

impl Table {
    pub(crate) async fn delete_keys(
        &self,
        client: &impl GenericClient,
        keys: &[RecordKey],
    ) -> Result<()> {
        let key = &self.definition.key;
        let keys: Vec<RecordKey> = keys.iter().map(|one| key.canonical(one).into_owned()).collect();
        let mut query = Query::default();
        let condition = self.with_keys(&keys, &mut query);
        self.delete_where(client, query, &condition).await
    }

    pub(crate) async fn delete_matching(&self, client: &mut Client, filter: &Filter) -> Result<()> {
        let mut query = Query::default();
        let condition = condition(Some(filter), self, &mut query);
        if condition.is_exact {
            return self.delete_where(&***client, query, &condition.sql).await;
        }
        let failed = |error| collection_error(&self.name, error);
        let transaction = client.transaction().await.map_err(failed)?;
        query.sql = format!("SELECT {} {}", self.selected(Part::Data), self.locked(&condition.sql));
        let mut keys = Vec::new();
        let pages = query.pages(&transaction, |row| {
            let record = self.record(&row, Part::Data)?;
            if matches(Some(filter), &record) {
                keys.push(record.key);
            }
            Ok::<_, Failure>(true)
        });
        pages.await.map_err(|failure| failure.of(self))?;
        self.delete_keys(&*transaction, &keys).await?;
        transaction.commit().await.map_err(failed)
    }

    async fn delete_where(
        &self,
        client: &impl GenericClient,
        mut query: Query,
        condition: &str,
    ) -> Result<()> {
        let (table, key, locked) = (&self.sql, &self.key, self.locked(condition));
        query.sql = format!("DELETE FROM {table} WHERE {key} IN (SELECT {key} {locked})");
        let deleted = query.execute(client).await;
        deleted.map(drop).map_err(|error| collection_error(&self.name, error))
    }

    /// Locks rows in the order of their keys, as all writers do: no two wait for each other.
    fn locked(&self, condition: &str) -> String {
        format!(
            "FROM {} WHERE {condition} ORDER BY {} FOR UPDATE",
            self.sql,
            self.by_key(&self.key)
        )
    }
}
