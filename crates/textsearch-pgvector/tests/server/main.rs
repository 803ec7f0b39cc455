//! Tests that need a database at `POSTGRES_URL`; the fault tests also need `STORE_ENGINE`, and the
//! module `old` a database with an old pgvector. `cargo xtask integration pgvector` sets the
//! variables and runs these tests. Without the variables, they fail and say so.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is a failed test with a line number, in helpers too"
)]

#[path = "../it/authority.rs"]
mod authority;
mod conformance;
mod dates;
mod deletes;
#[path = "../../../textsearch-qdrant/tests/server/engine.rs"]
mod engine;
mod existing;
mod existing_filters;
mod existing_rows;
mod existing_vectors;
mod extension;
mod faults;
mod hnsw;
mod indexed;
mod kills;
#[cfg(target_os = "linux")]
mod network;
mod old;
mod plans;
#[path = "../../../textsearch-qdrant/tests/server/same_as_in_memory.rs"]
mod same_as_in_memory;
mod tables;
mod tls;
mod ts_rank;
mod vector_conformance;
mod vectors;
mod words;

use textsearch_conformance::core::vector::{RecordDefinition, VectorStore as _};
use textsearch_pgvector::{PgVectorConfig, PgVectorStore, Result};
use tokio_postgres::{NoTls, SimpleQueryMessage};

fn config() -> PgVectorConfig {
    let config = PgVectorConfig::from_env();
    config.expect("POSTGRES_URL names a database: run `cargo xtask integration pgvector`")
}

/// Records of an upsert, which needs more than one statement.
const BATCH: usize = 2_500;

/// Searches of an index miss some records.
const IS_APPROXIMATE: bool = true;

async fn engine_store(url: &str) -> Result<PgVectorStore> {
    PgVectorStore::connect(PgVectorConfig::new(url)).await
}

async fn store() -> Result<PgVectorStore> {
    PgVectorStore::connect(config()).await
}

async fn open_store() -> PgVectorStore {
    store().await.unwrap()
}

/// Runs statements as another program would, and returns the first column of the last one.
async fn sql(statements: &str) -> Vec<String> {
    sql_at(config().url.expose(), statements).await
}

async fn sql_at(url: &str, statements: &str) -> Vec<String> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    let messages = client.simple_query(statements).await.unwrap();
    drop(client);
    connection.await.unwrap().unwrap();
    let rows = messages.iter().filter_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    });
    rows.collect()
}

/// Returns the URL of the database behind `address`, with options, and the server's own address.
fn behind(address: &str) -> (String, String) {
    let config = config();
    let url = config.url.expose();
    let start = url.find("://").unwrap() + 3;
    let authority = url[start..].split(['/', '?']).next().unwrap();
    let server = authority.rsplit('@').next().unwrap();
    let options = if url.contains('?') { "" } else { "?application_name=tests" };
    let url = url.replacen(server, address, 1) + options;
    let server = if server.contains(':') { server.to_owned() } else { format!("{server}:5432") };
    (url, server)
}

/// A store and the name of a collection that doesn't exist yet.
struct Created {
    store: PgVectorStore,
    name: String,
}

impl Created {
    /// Deletes what an earlier run left.
    async fn new(name: &str) -> Self {
        let created = Self { store: store().await.unwrap(), name: format!("pgvector-{name}") };
        let left = created.store.stored_collection(&created.name, RecordDefinition::new("id"));
        left.unwrap().delete_collection().await.unwrap();
        created
    }

    fn name(&self) -> &str {
        &self.name
    }

    /// Tells the planner how many rows there are, so that searches use the index.
    async fn settle(&self) {
        sql(&format!("ANALYZE \"{}\"", self.name)).await;
    }
}
