//! Overhead of the connector over the plainest client, on the same server, in alternating runs: a
//! bare `reqwest` client that sends the same requests and reads the same responses as JSON.
//!
//! `CHROMA_URL=http://localhost:8000 cargo bench -p textsearch-chroma`

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a program for the terminal, which ends where something fails"
)]

#[path = "../../../xtask/benchmarks/support/overhead.rs"]
mod overhead;
#[path = "../../../xtask/benchmarks/support/overhead_http.rs"]
mod overhead_http;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use overhead::{
    DIMENSIONS, TOP, definition, in_turns, query, records, recreate, report, upsert, vector,
};
use overhead_http::{BARE, QUERIES, answer, client};
use serde_json::{Value, json};
use textsearch_chroma::{
    ChromaConfig, ChromaStore,
    vector::{IndexKind, StoredRecord, VectorField, VectorStore},
};

const RECORDS: u64 = 5_000;
const BATCH: usize = 1_000;
const TURNS: usize = 5;

struct Bare {
    client: reqwest::Client,
    /// The collection's URL.
    url: String,
}

impl Bare {
    async fn new(client: reqwest::Client, config: &ChromaConfig) -> Self {
        let url = &config.url;
        let tenant = &config.tenant;
        let database = &config.database;
        let all = format!("{url}/api/v2/tenants/{tenant}/databases/{database}/collections");
        let collection = answer(client.get(format!("{all}/{BARE}"))).await;
        let id = collection["id"].as_str().expect("the collection exists").to_owned();
        Self { client, url: format!("{all}/{id}") }
    }

    async fn post(&self, action: &str, body: &Value) -> Value {
        let body = serde_json::to_vec(body).expect("it is JSON");
        let request = self.client.post(format!("{}/{action}", self.url));
        answer(request.header("content-type", "application/json").body(body)).await
    }

    async fn upsert(&self, records: &[StoredRecord]) {
        for batch in records.chunks(BATCH) {
            let ids: Vec<String> = batch.iter().map(|record| record.key.to_string()).collect();
            let documents: Vec<String> =
                batch.iter().map(|record| Value::from(record.data.clone()).to_string()).collect();
            let embedding = |record: &StoredRecord| {
                let vector = record.vectors["embedding"].iter();
                STANDARD
                    .encode(vector.flat_map(|element| element.to_le_bytes()).collect::<Vec<u8>>())
            };
            let embeddings: Vec<String> = batch.iter().map(embedding).collect();
            let metadata = |record: &StoredRecord| {
                json!({
                    "id": record.data["id"], "lang": record.data["lang"], "year": record.data["year"],
                    "textsearch_no_vector": null,
                })
            };
            let metadatas: Vec<Value> = batch.iter().map(metadata).collect();
            let body = json!({
                "ids": ids, "embeddings": embeddings, "documents": documents,
                "metadatas": metadatas,
            });
            self.post("upsert", &body).await;
        }
    }

    async fn query(&self) {
        for number in 0..QUERIES {
            let body = json!({
                "query_embeddings": [vector(number)],
                "n_results": TOP + 1,
                "include": ["documents", "distances"],
            });
            let response = self.post("query", &body).await;
            let documents = response["documents"][0].as_array().expect("it has documents");
            // Read as JSON, like the connector.
            let read = documents
                .iter()
                .filter_map(|text| serde_json::from_str::<Value>(text.as_str()?).ok());
            assert_eq!(read.count(), TOP + 1);
        }
    }
}

#[tokio::main]
async fn main() {
    let client = client();
    let config = ChromaConfig::from_env().expect("CHROMA_URL names a server");
    let config = config.with_batch_limits(BATCH, 32 << 20);
    let store = ChromaStore::new(config.clone()).expect("the settings are right");
    let definition =
        definition(VectorField::new("embedding", DIMENSIONS).with_index(IndexKind::hnsw()));
    let made = |name| store.stored_collection(name, definition.clone()).expect("a handle is made");
    let ours = made("overhead-ours");
    let same = made(BARE);
    let records = records(RECORDS);
    let mut upserts = Vec::new();
    let mut queries = Vec::new();
    for turn in 0..TURNS {
        recreate(ours.as_ref()).await;
        recreate(same.as_ref()).await;
        let bare = Bare::new(client.clone(), &config).await;
        let upsert = upsert(ours.as_ref(), records.clone());
        upserts.push(in_turns(turn, upsert, bare.upsert(&records)).await);
        let query = query(ours.as_ref(), 0..QUERIES);
        queries.push(in_turns(turn, query, bare.query()).await);
    }
    report(&format!("upsert of {RECORDS} records"), &upserts);
    report(&format!("{QUERIES} queries"), &queries);
    for collection in [ours, same] {
        collection.delete_collection().await.expect("the collection is deleted");
    }
}
