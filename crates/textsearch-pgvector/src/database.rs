//! The connections to the database.

use std::fmt;

use deadpool_postgres::{Client, Manager, Pool};
use textsearch_core::{Error, ErrorKind, Result};
use tokio_postgres::{NoTls, config::SslMode};

use crate::{
    CONNECTOR, PgVectorConfig,
    error::{backend, failure, pool_error},
    tls,
    version::Version,
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
    /// Connects, and installs the extension `vector` if it is missing.
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
        let version = ensure_extension(&client).await?;
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

/// Installs pgvector if it is missing, and returns its version.
async fn ensure_extension(client: &Client) -> Result<Version> {
    if let Some(version) = installed(client).await? {
        return Ok(version);
    }
    // One transaction.
    let create = format!("{LOCK}; CREATE EXTENSION IF NOT EXISTS vector");
    let created = client.batch_execute(&create).await;
    let advice = "run `CREATE EXTENSION vector` as an administrator";
    created.map_err(|error| failure("installing pgvector", error, Some(advice)))?;
    installed(client).await?.ok_or_else(|| {
        let message = "pgvector is missing after its installation";
        Error::new(ErrorKind::Backend, CONNECTOR, message)
    })
}

async fn installed(client: &Client) -> Result<Option<Version>> {
    let installed = "SELECT extversion FROM pg_extension WHERE extname = 'vector'";
    let found = client.query_typed_opt(installed, &[]).await;
    let found = found.map_err(|error| backend("looking for pgvector", error))?;
    found.map(|row| Version::parse(row.get(0))).transpose()
}

impl fmt::Debug for Database {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Database").field("schema", &self.schema).finish_non_exhaustive()
    }
}
