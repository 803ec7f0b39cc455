//! What needs a server at `QDRANT_URL`; the faults need the program `QDRANT_ENGINE` too, which they end and start again.
//!
//! `cargo xtask integration qdrant` sets them and runs this; without them a test fails and says so.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is a failed test with a line number, in helpers too"
)]

mod conformance;
mod engine;
mod existing;
mod faults;
mod same_as_in_memory;
mod vector_conformance;

use textsearch_qdrant::{QdrantConfig, QdrantStore};

/// The settings for the server that is there for all tests.
fn config() -> QdrantConfig {
    let config = QdrantConfig::from_env();
    config.expect("QDRANT_URL names a server: run `cargo xtask integration qdrant`")
}

fn store() -> QdrantStore {
    QdrantStore::new(config()).expect("the settings are right")
}
