//! The connections to the database.

use std::fmt;

use deadpool_postgres::{Client, Manager, Pool, Transaction};
use textsearch_core::{Error, ErrorKind, Result};
use tokio_postgres::{NoTls, config::SslMode};

use crate::{
    CONNECTOR, PgVectorConfig,
    error::{backend, failure, pool_error},
    tls,
    version::{Version, WITH_TYPES},
};

/// Lets one program at a time create schemas and extensions: `CREATE … IF NOT EXISTS` fails if two
/// run at once.
pub(crate) const LOCK: &str = "SELECT pg_advisory_xact_lock(hashtext('textsearch collections'))";

#[derive(Clone)]
pub(crate) struct Database {
    pool: Pool,
    schema: String,
    /// Of pgvector.
    version: Version,
}

impl Database {
    /// Connects. Changes nothing in the database.
    pub(crate) async fn connect(config: &PgVectorConfig) -> Result<Self> {
        let client = config.client()?;
        let manager = match client.get_ssl_mode() {
            SslMode::Disable => Manager::new(client, NoTls),
            _ => Manager::new(client, tls::connector()?),
        };
        let pool = Pool::builder(manager).max_size(config.max_connections).build();
        let pool = pool.map_err(|error| {
            let message = format!("the connections can't be made: {error}");
            Error::new(ErrorKind::Backend, CONNECTOR, message).with_source(error)
        })?;
        let client = pool.get().await.map_err(pool_error)?;
        let version = version(&client).await?;
        Ok(Self { pool, schema: config.schema.clone(), version })
    }

    pub(crate) fn schema(&self) -> &str {
        &self.schema
    }

    pub(crate) fn version(&self) -> Version {
        self.version
    }

    pub(crate) async fn client(&self) -> Result<Client> {
        self.pool.get().await.map_err(pool_error)
    }
}

/// Returns the version of pgvector that is installed, or else would be.
async fn version(client: &Client) -> Result<Version> {
    let select = "SELECT coalesce((SELECT extversion FROM pg_extension WHERE extname = 'vector'), \
                  (SELECT default_version FROM pg_available_extensions WHERE name = 'vector'))";
    let found = client.query_typed_one(select, &[]).await;
    let found = found.map_err(|error| backend("looking for pgvector", error))?;
    // On a server without pgvector, creating a collection fails.
    found.get::<_, Option<&str>>(0).map_or(Ok(WITH_TYPES), Version::parse)
}

/// Installs pgvector if it is missing.
pub(crate) async fn ensure_extension(transaction: &Transaction<'_>) -> Result<()> {
    let select = "SELECT 1 FROM pg_extension WHERE extname = 'vector'";
    let found = transaction.query_typed_opt(select, &[]).await;
    if found.map_err(|error| backend("looking for pgvector", error))?.is_some() {
        return Ok(());
    }
    let create = format!("{LOCK}; CREATE EXTENSION IF NOT EXISTS vector");
    let created = transaction.batch_execute(&create).await;
    let advice = "run `CREATE EXTENSION vector` as an administrator";
    created.map_err(|error| failure("installing pgvector", error, Some(advice)))
}

impl fmt::Debug for Database {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Database").field("schema", &self.schema).finish_non_exhaustive()
    }
}
