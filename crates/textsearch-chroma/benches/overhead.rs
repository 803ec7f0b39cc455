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

use std::time::Instant;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use textsearch_chroma::{
    ChromaConfig, ChromaStore,
    vector::{
        DataField, IndexKind, RecordDefinition, StoredRecord, VectorCollection, VectorField,
        VectorSearchOptions, VectorStore,
    },
};

const DIMENSIONS: usize = 384;
const RECORDS: u64 = 5_000;
const BATCH: usize = 1_000;
const QUERIES: usize = 200;
const TURNS: usize = 5;

fn definition() -> RecordDefinition {
    RecordDefinition::new("id")
        .with_data(DataField::string("title"))
        .with_data(DataField::string("text"))
        .with_data(DataField::string("lang").filterable())
        .with_data(DataField::integer("year").filterable())
        .with_vector(VectorField::new("embedding", DIMENSIONS).with_index(IndexKind::hnsw()))
}

/// Vectors must differ: the connector requests more records if several are equally near.
fn vector(number: u64) -> Vec<f32> {
    let mut random = fastrand::Rng::with_seed(number);
    (0..DIMENSIONS).map(|_| random.f32() - 0.5).collect()
}

fn records() -> Vec<StoredRecord> {
    let record = |number: u64| {
        let data = json!({
            "id": format!("doc-{number}"),
            "title": format!("Record {number}"),
            "text": "A passage of some length, as chunks of documents are. ".repeat(12),
            "lang": "en",
            "year": 2000 + number % 25,
        });
        let data = data.as_object().cloned().unwrap_or_default();
        let record = StoredRecord::new(data, &definition()).expect("the record has its key");
        record.with_vector("embedding", vector(number))
    };
    (0..RECORDS).map(record).collect()
}

struct Bare {
    client: reqwest::Client,
    /// The collection's URL.
    url: String,
}

impl Bare {
    async fn new(config: &ChromaConfig) -> Self {
        let client = reqwest::Client::builder().no_proxy().build().expect("a client is made");
        let url = &config.url;
        let tenant = &config.tenant;
        let database = &config.database;
        let all = format!("{url}/api/v2/tenants/{tenant}/databases/{database}/collections");
        let response = client.get(format!("{all}/overhead-bare")).send().await;
        let response = response.expect("the server answers").bytes().await.expect("all of it");
        let collection: Value = serde_json::from_slice(&response).expect("it is JSON");
        let id = collection["id"].as_str().expect("the collection exists").to_owned();
        Self { client, url: format!("{all}/{id}") }
    }

    async fn post(&self, action: &str, body: &Value) -> Value {
        let body = serde_json::to_vec(body).expect("it is JSON");
        let request = self.client.post(format!("{}/{action}", self.url));
        let request = request.header("content-type", "application/json").body(body);
        let answer = request.send().await.expect("the server answers");
        let answer = answer.error_for_status().expect("it succeeds").bytes().await;
        serde_json::from_slice(&answer.expect("all of it")).expect("it is JSON")
    }

    async fn upsert(&self, records: Vec<StoredRecord>) {
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
                "query_embeddings": [vector(number as u64)],
                "n_results": 11,
                "include": ["documents", "distances"],
            });
            let response = self.post("query", &body).await;
            let documents = response["documents"][0].as_array().expect("it has documents");
            // Read as JSON, like the connector.
            let read = documents
                .iter()
                .filter_map(|text| serde_json::from_str::<Value>(text.as_str()?).ok());
            assert_eq!(read.count(), 11);
        }
    }
}

async fn query_ours(collection: &dyn VectorCollection) {
    for number in 0..QUERIES {
        let input = vector(number as u64).into();
        let results = collection.search(&input, &VectorSearchOptions::top(10)).await;
        let results = results.expect("the search is answered").into_vec().await;
        assert_eq!(results.expect("the records are read").len(), 10);
    }
}

async fn recreate(collection: &dyn VectorCollection) {
    collection.delete_collection().await.expect("the collection is deleted");
    collection.ensure_exists().await.expect("the collection is made");
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// Seconds of each turn: ours, and the bare client's.
fn report(what: &str, times: &[[f64; 2]]) {
    let ratio = median(times.iter().map(|[ours, bare]| ours / bare).collect());
    let milliseconds = |side: usize| median(times.iter().map(|turn| turn[side]).collect()) * 1e3;
    println!(
        "{what}: ours {:.1} ms, bare {:.1} ms, {ratio:.2} x",
        milliseconds(0),
        milliseconds(1)
    );
}

#[tokio::main]
async fn main() {
    let provider = rustls::crypto::ring::default_provider();
    provider.install_default().expect("nothing else installs a provider");
    let config = ChromaConfig::from_env().expect("CHROMA_URL names a server");
    let config = config.with_batch_limits(BATCH, 32 << 20);
    let store = ChromaStore::new(config.clone()).expect("the settings are right");
    let made = |name| store.stored_collection(name, definition()).expect("a handle is made");
    let ours = made("overhead-ours");
    let same = made("overhead-bare");
    let mut upserts = Vec::new();
    let mut queries = Vec::new();
    for turn in 0..TURNS {
        recreate(ours.as_ref()).await;
        recreate(same.as_ref()).await;
        let bare = Bare::new(&config).await;
        let mut upsert = [0.0; 2];
        let mut query = [0.0; 2];
        for side in [turn % 2, (turn + 1) % 2] {
            let records = records();
            let start = Instant::now();
            match side {
                0 => ours.upsert(records).await.expect("the records are stored"),
                _ => bare.upsert(records).await,
            }
            upsert[side] = start.elapsed().as_secs_f64();
        }
        for side in [turn % 2, (turn + 1) % 2] {
            let start = Instant::now();
            match side {
                0 => query_ours(ours.as_ref()).await,
                _ => bare.query().await,
            }
            query[side] = start.elapsed().as_secs_f64();
        }
        upserts.push(upsert);
        queries.push(query);
    }
    report(&format!("upsert of {RECORDS} records"), &upserts);
    report(&format!("{QUERIES} queries"), &queries);
    for collection in [ours, same] {
        collection.delete_collection().await.expect("the collection is deleted");
    }
}
