//! The connections to the database.

use std::{fmt, sync::Arc, time::Duration};

use deadpool_postgres::{Client, Manager, Pool, Runtime, Transaction};
use rustls::{ClientConfig, RootCertStore, crypto::CryptoProvider};
use rustls_platform_verifier::BuilderVerifierExt as _;
use textsearch_core::{Error, ErrorKind, Result};
use tokio_postgres::{NoTls, config::SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::{
    CONNECTOR, PgVectorConfig,
    error::{backend, failure, pool_error},
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
        let pool = pool(config)?;
        let client = client(&pool).await?;
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
        client(&self.pool).await
    }
}

fn pool(config: &PgVectorConfig) -> Result<Pool> {
    let client = config.client()?;
    let login = login_timeout(&client);
    let manager = match client.get_ssl_mode() {
        SslMode::Disable => Manager::new(client, NoTls),
        _ => Manager::new(client, tls()?),
    };
    let pool = Pool::builder(manager)
        .max_size(config.max_connections)
        .runtime(Runtime::Tokio1)
        .wait_timeout(Some(config.wait_timeout))
        .create_timeout(login)
        .build();
    pool.map_err(|error| {
        let message = format!("the connections can't be made: {error}");
        Error::new(ErrorKind::Backend, CONNECTOR, message).with_source(error)
    })
}

/// Returns how long connecting and logging in may take. The client itself only limits connecting to
/// each address: a server that accepts the connection and stays silent would hang the call.
fn login_timeout(client: &tokio_postgres::Config) -> Option<Duration> {
    let hosts = u32::try_from(client.get_hosts().len()).unwrap_or(u32::MAX);
    Some(client.get_connect_timeout()?.saturating_mul(hosts.saturating_mul(2)))
}

async fn client(pool: &Pool) -> Result<Client> {
    pool.get().await.map_err(|error| pool_error(error, pool))
}

/// Returns the version of pgvector that is installed, or else would be.
async fn version(client: &Client) -> Result<Version> {
    let select = "SELECT coalesce((SELECT extversion FROM pg_extension WHERE extname = 'vector'), \
                  (SELECT default_version FROM pg_available_extensions WHERE name = 'vector'))";
    let row = client.query_typed_one(select, &[]).await;
    let row = row.map_err(|error| backend("looking for pgvector", error))?;
    // On a server without pgvector, creating a collection fails.
    row.get::<_, Option<&str>>(0).map_or(Ok(WITH_TYPES), Version::parse)
}

/// Installs pgvector if it is missing.
pub(crate) async fn ensure_extension(transaction: &Transaction<'_>) -> Result<()> {
    let select = "SELECT 1 FROM pg_extension WHERE extname = 'vector'";
    let row = transaction.query_typed_opt(select, &[]).await;
    if row.map_err(|error| backend("looking for pgvector", error))?.is_some() {
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

/// Uses the cryptography provider that the application installed, or *ring*, and the certificates
/// that the operating system trusts.
fn tls() -> Result<MakeRustlsConnect> {
    let installed = CryptoProvider::get_default().cloned();
    let provider = installed.unwrap_or_else(|| Arc::new(rustls::crypto::ring::default_provider()));
    let builder =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| {
        let message = "TLS can't be set up: the cryptography provider lacks TLS 1.2 and 1.3";
        Error::new(ErrorKind::Backend, CONNECTOR, message).with_source(error)
    })?;
    let verified = builder.clone().with_platform_verifier();
    let builder = verified.unwrap_or_else(|error| {
        // A server without encryption can still be reached.
        tracing::warn!(%error, "encrypted databases can't be reached: no root certificates");
        builder.with_root_certificates(RootCertStore::empty())
    });
    Ok(MakeRustlsConnect::new(builder.with_no_client_auth()))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    /// A server that accepts connections and never answers.
    fn silent() -> (TcpListener, PgVectorConfig) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let url = format!("postgres://me@{address}/app?sslmode=disable&connect_timeout=1");
        (listener, PgVectorConfig::new(url).with_max_connections(1))
    }

    #[tokio::test]
    async fn a_silent_server_is_unavailable() {
        let (_server, config) = silent();
        let error = Database::connect(&config).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "pgvector: connecting failed: the server did not answer within 2s; check host and port of the URL, \
             or raise its connect_timeout"
        );
        assert_eq!(*error.kind(), ErrorKind::Unavailable);
    }

    #[tokio::test]
    async fn a_call_does_not_wait_forever_for_a_connection() {
        let (_server, config) = silent();
        let pool = pool(&config.with_wait_timeout(Duration::from_millis(50))).unwrap();
        let (_, second) = tokio::join!(client(&pool), client(&pool));
        let error = second.unwrap_err();
        assert_eq!(
            error.to_string(),
            "pgvector: waiting for a connection failed: all were busy for 50ms (1 of 1); raise \
             `PgVectorConfig::with_max_connections` or `with_wait_timeout`, or make fewer calls at once"
        );
        assert_eq!(*error.kind(), ErrorKind::Unavailable);
    }

    #[test]
    fn each_host_has_time_to_log_in() {
        let timeout = |url: &str| login_timeout(&PgVectorConfig::new(url).client().unwrap());
        assert_eq!(timeout("postgres://a,b/app"), Some(Duration::from_secs(20)));
        assert_eq!(timeout("postgres://a/app?connect_timeout=0"), None);
    }
}
