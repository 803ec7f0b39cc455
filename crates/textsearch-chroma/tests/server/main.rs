//! Tests that need a server at `CHROMA_URL`; the fault tests also need `CHROMA_PROGRAM`.
//! `cargo xtask integration chroma` sets both variables and runs these tests. Without the
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

use textsearch_chroma::{CHROMA_URL, ChromaConfig, ChromaStore, Result};

fn config() -> ChromaConfig {
    let is_set = std::env::var_os(CHROMA_URL).is_some();
    assert!(is_set, "CHROMA_URL names no server: run `cargo xtask integration chroma`");
    ChromaConfig::from_env().unwrap()
}

async fn store() -> Result<ChromaStore> {
    ChromaStore::new(config())
}
