//! Compares a vector store over HTTP with a bare client, in turns. Benchmarks of crates include it,
//! beside `overhead.rs`.

#![allow(dead_code, reason = "each benchmark uses a part")]

use reqwest::RequestBuilder;
use serde_json::Value;
use textsearch_core::vector::{RecordDefinition, StoredRecord, VectorCollection, VectorStore};

use crate::overhead::{self, in_turns, records, report};

pub(crate) const QUERIES: u64 = 200;
const OURS: &str = "overhead-ours";
pub(crate) const BARE: &str = "overhead-bare";

const RECORDS: u64 = 1_000;
const TURNS: usize = 7;

/// A client that uses the index [`BARE`] without the connector.
pub(crate) trait BareClient {
    async fn upsert(&self, records: &[StoredRecord]);

    /// Runs [`QUERIES`] queries, and reads the data of their results as JSON.
    async fn query(&self);
}

/// A `Value` would hold doubles, which are twice as long.
pub(crate) fn in_json(vector: &[f32]) -> String {
    serde_json::to_string(vector).expect("it is JSON")
}

pub(crate) fn client() -> reqwest::Client {
    let provider = rustls::crypto::ring::default_provider();
    provider.install_default().expect("nothing else installs a provider");
    reqwest::Client::builder().no_proxy().build().expect("a client is made")
}

/// Returns the body of the response.
pub(crate) async fn answer(request: RequestBuilder) -> Value {
    let response = request.send().await.expect("the server answers");
    let response = response.error_for_status().expect("it succeeds").bytes().await;
    serde_json::from_slice(&response.expect("all of it")).expect("it is JSON")
}

/// Creates both indexes.
pub(crate) async fn create(store: &dyn VectorStore, definition: &RecordDefinition) {
    for name in [OURS, BARE] {
        open(store, name, definition).ensure_exists().await.expect("the index is made");
    }
}

/// Measures both sides, and deletes the indexes that [`create`] made.
pub(crate) async fn compare(
    store: &dyn VectorStore,
    definition: &RecordDefinition,
    bare: &impl BareClient,
) {
    let ours = open(store, OURS, definition);
    let records = records(RECORDS);
    let mut upserts = Vec::new();
    let mut queries = Vec::new();
    for turn in 0..TURNS {
        let upsert = overhead::upsert(ours.as_ref(), records.clone());
        upserts.push(in_turns(turn, upsert, bare.upsert(&records)).await);
        let query = overhead::query(ours.as_ref(), 0..QUERIES);
        queries.push(in_turns(turn, query, bare.query()).await);
    }
    report(&format!("upsert of {RECORDS} records"), &upserts);
    report(&format!("{QUERIES} queries"), &queries);
    for name in [OURS, BARE] {
        let deleted = open(store, name, definition).delete_collection().await;
        deleted.expect("the index is deleted");
    }
}

fn open(
    store: &dyn VectorStore,
    name: &str,
    definition: &RecordDefinition,
) -> std::sync::Arc<dyn VectorCollection> {
    store.stored_collection(name, definition.clone()).expect("a handle is made")
}
