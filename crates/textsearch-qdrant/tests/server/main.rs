//! Tests that need a server at `QDRANT_URL`; the module `faults` also needs `STORE_ENGINE`.
//! `cargo xtask integration qdrant` sets both variables and runs these tests. Without the
//! variables, they fail and say so.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is a failed test with a line number, in helpers too"
)]

mod bulk;
mod conformance;
mod described;
mod documents;
mod engine;
mod existing;
mod faults;
mod same_as_in_memory;
mod vector_conformance;

use std::time::Duration;

use textsearch_qdrant::{QdrantConfig, QdrantStore, Result};

fn config() -> QdrantConfig {
    let config = QdrantConfig::from_env();
    config.expect("QDRANT_URL names a server: run `cargo xtask integration qdrant`")
}

/// Requests are sent once, so that failures are visible.
async fn engine_store(url: &str) -> Result<QdrantStore> {
    let config = QdrantConfig::new(url)
        .with_max_attempts(1)
        .with_batch_limits(250, 1 << 20)
        .with_timeout(Duration::from_secs(60));
    QdrantStore::new(config)
}

fn store() -> QdrantStore {
    QdrantStore::new(config()).expect("the settings are right")
}

async fn open_store() -> QdrantStore {
    store()
}
