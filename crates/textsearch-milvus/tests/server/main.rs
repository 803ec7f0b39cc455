//! Tests that need a server at `MILVUS_URL`; the fault tests also need `MILVUS_PYTHON`.
//! `cargo xtask integration milvus` sets both variables and runs these tests. Without the
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
mod engine;
mod faults;
mod vector_conformance;

use textsearch_milvus::{MilvusConfig, MilvusStore, Result};

fn config() -> MilvusConfig {
    let config = MilvusConfig::from_env();
    config.expect("MILVUS_URL names a server: run `cargo xtask integration milvus`")
}

fn store() -> Result<MilvusStore> {
    MilvusStore::new(config())
}
