//! A query with typed parameters. It needs no preparation, so it takes one round trip, and the
//! server plans it for its values.

use std::fmt;

use deadpool_postgres::Client;
use futures_util::TryStreamExt as _;
use tokio_postgres::{
    Error, GenericClient, Row, Transaction,
    types::{ToSql, Type},
};

/// Rows that are read at once.
const PAGE: i32 = 500;

pub(crate) type Value = Box<dyn ToSql + Send + Sync>;

#[derive(Default)]
pub(crate) struct Query {
    pub(crate) sql: String,
    values: Vec<Value>,
    types: Vec<Type>,
}

/// The most statements that a connection keeps: each takes memory of the server.
const MAX_STATEMENTS: usize = 500;

impl Query {
    /// Adds a parameter and returns its number.
    pub(crate) fn bind(&mut self, value: impl ToSql + Send + Sync + 'static, kind: Type) -> usize {
        self.extend([(Box::new(value) as Value, kind)]);
        self.values.len()
    }

    /// Adds parameters.
    pub(crate) fn extend(&mut self, values: impl IntoIterator<Item = (Value, Type)>) {
        for (value, kind) in values {
            self.values.push(value);
            self.types.push(kind);
        }
    }

    pub(crate) fn parameters(&self) -> usize {
        self.values.len()
    }

    fn typed(&self) -> Vec<(&(dyn ToSql + Sync), Type)> {
        self.untyped().into_iter().zip(self.types.iter().cloned()).collect()
    }

    fn untyped(&self) -> Vec<&(dyn ToSql + Sync)> {
        self.values.iter().map(|value| &**value as &(dyn ToSql + Sync)).collect()
    }

    pub(crate) async fn rows(&self, client: &impl GenericClient) -> Result<Vec<Row>, Error> {
        client.query_typed(&self.sql, &self.typed()).await
    }

    /// Like [`rows`](Self::rows), with a statement that the connection keeps, together with others.
    pub(crate) async fn prepared_rows(&self, client: &Client) -> Result<Vec<Row>, Error> {
        if client.statement_cache.size() >= MAX_STATEMENTS {
            client.statement_cache.clear();
        }
        let statement = client.prepare_typed_cached(&self.sql, &self.types).await?;
        client.query(&statement, &self.untyped()).await
    }

    /// Runs another query with the same parameters.
    pub(crate) async fn rows_of(
        &self,
        sql: &str,
        client: &impl GenericClient,
    ) -> Result<Vec<Row>, Error> {
        client.query_typed(sql, &self.typed()).await
    }

    pub(crate) async fn execute(&self, client: &impl GenericClient) -> Result<u64, Error> {
        client.execute_typed(&self.sql, &self.typed()).await
    }

    /// Reads the rows page by page, until `take` wants no more.
    pub(crate) async fn pages<E: From<Error>>(
        &self,
        transaction: &Transaction<'_>,
        mut take: impl FnMut(Row) -> Result<bool, E> + Send,
    ) -> Result<(), E> {
        let statement = transaction.prepare_typed(&self.sql, &self.types).await?;
        let portal = transaction.bind(&statement, &self.untyped()).await?;
        loop {
            let page: Vec<Row> =
                transaction.query_portal_raw(&portal, PAGE).await?.try_collect().await?;
            let is_last = page.len() < PAGE as usize;
            for row in page {
                if !take(row)? {
                    return Ok(());
                }
            }
            if is_last {
                return Ok(());
            }
        }
    }
}

impl fmt::Debug for Query {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Query").field("sql", &self.sql).finish_non_exhaustive()
    }
}
