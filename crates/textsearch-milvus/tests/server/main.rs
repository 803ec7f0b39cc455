//! Tests that need a server at `MILVUS_URL`. The modules `faults` and `other_programs` also need
//! `STORE_ENGINE`. `cargo xtask integration milvus` sets both variables and runs these tests.
//! Without the variables, they fail and say so.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is a failed test with a line number, in helpers too"
)]

mod collections;
mod conformance;
#[path = "../../../textsearch-qdrant/tests/server/engine.rs"]
mod engine;
mod faults;
#[path = "../../../textsearch-pgvector/tests/server/indexed.rs"]
mod indexed;
#[path = "../../../textsearch-pgvector/tests/server/kills.rs"]
mod kills;
mod limits;
mod other_programs;
#[path = "../../../textsearch-qdrant/tests/server/same_as_in_memory.rs"]
mod same_as_in_memory;
mod vector_conformance;

use serde_json::Value;
use textsearch_conformance::core::vector::{RecordDefinition, StoredRecord, VectorStore as _};
use textsearch_milvus::{MilvusConfig, MilvusStore, Result};

fn config() -> MilvusConfig {
    let config = MilvusConfig::from_env();
    config.expect("MILVUS_URL names a server: run `cargo xtask integration milvus`")
}

/// Records of an upsert, which needs three requests.
const BATCH: usize = 2_500;

/// Milvus Lite compares all vectors, a cluster doesn't.
const IS_APPROXIMATE: bool = false;

/// Requests are sent once, so that failures are visible.
async fn engine_store(url: &str) -> Result<MilvusStore> {
    MilvusStore::new(MilvusConfig::new(url).with_max_attempts(1))
}

fn store() -> Result<MilvusStore> {
    MilvusStore::new(config())
}

async fn open_store() -> MilvusStore {
    store().unwrap()
}

/// A store and the name of a collection that doesn't exist yet.
struct Created {
    store: MilvusStore,
    name: String,
}

impl Created {
    /// Deletes what an earlier run left.
    async fn new(name: &str) -> Self {
        let created = Self { store: store().unwrap(), name: format!("milvus {name}") };
        let left = created.store.stored_collection(&created.name, RecordDefinition::new("id"));
        left.unwrap().delete_collection().await.unwrap();
        created
    }

    fn name(&self) -> &str {
        &self.name
    }

    /// Waits until searches use the index, which Milvus does by itself.
    async fn settle(&self) {}
}

fn record(definition: &RecordDefinition, data: Value) -> StoredRecord {
    StoredRecord::new(data.as_object().cloned().unwrap(), definition).unwrap()
}
