//! Tests that need a server at `POSTGRES_URL`; the fault tests also need `PGSERVER_PYTHON`.
//! `cargo xtask integration pgvector` sets both variables and runs these tests. Without the
//! variables, they fail and say so.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is a failed test with a line number, in helpers too"
)]

mod conformance;
mod vector_conformance;

use textsearch_pgvector::{PgVectorConfig, PgVectorStore, Result};

async fn store() -> Result<PgVectorStore> {
    let config = PgVectorConfig::from_env();
    let config =
        config.expect("POSTGRES_URL names a database: run `cargo xtask integration pgvector`");
    PgVectorStore::connect(config).await
}
