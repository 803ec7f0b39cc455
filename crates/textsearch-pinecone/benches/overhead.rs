//! Overhead of the connector over a bare `reqwest` client that sends similar requests and reads the
//! same results as JSON, on the tests' stand-in, in turns.
//!
//! Start `cargo run --release -p textsearch-pinecone --example pinecone_stand_in`, then
//! `PINECONE_API_KEY=pcsk_sesame PINECONE_ENDPOINT=… cargo bench -p textsearch-pinecone`.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a program for the terminal, which ends where something fails"
)]

use std::time::Instant;

use reqwest::RequestBuilder;
use serde_json::{Value, json};
use textsearch_pinecone::{
    PineconeConfig, PineconeStore,
    vector::{
        DataField, IndexKind, RecordDefinition, StoredRecord, VectorCollection, VectorField,
        VectorSearchOptions, VectorStore,
    },
};

const DIMENSIONS: usize = 384;
const RECORDS: u64 = 1_000;
const QUERIES: u64 = 200;
const TURNS: usize = 7;
const TOP: usize = 10;

/// Vectors must differ: the connector requests more records if several are equally near.
fn vector(number: u64) -> Vec<f32> {
    let mut random = fastrand::Rng::with_seed(number);
    (0..DIMENSIONS).map(|_| random.f32() - 0.5).collect()
}

fn definition() -> RecordDefinition {
    let vector = VectorField::new("embedding", DIMENSIONS).with_index(IndexKind::hnsw());
    RecordDefinition::new("id")
        .with_data(DataField::string("text"))
        .with_data(DataField::string("lang").filterable())
        .with_data(DataField::integer("year").filterable())
        .with_vector(vector)
}

fn record(number: u64) -> StoredRecord {
    let text = "A passage of some length, as chunks of documents are. ".repeat(12);
    let data = json!({
        "id": format!("doc-{number}"), "text": text, "lang": "en", "year": 2000 + number % 25,
    });
    let data = data.as_object().cloned().unwrap_or_default();
    let record = StoredRecord::new(data, &definition()).expect("the record has its key");
    record.with_vector("embedding", vector(number))
}

/// A `Value` would hold doubles, which are twice as long.
fn in_json(vector: &[f32]) -> String {
    serde_json::to_string(vector).expect("it is JSON")
}

/// Returns the body of the response.
async fn answer(request: RequestBuilder) -> Value {
    let response = request.send().await.expect("the server answers");
    let response = response.error_for_status().expect("it succeeds").bytes().await;
    serde_json::from_slice(&response.expect("all of it")).expect("it is JSON")
}

struct Bare {
    client: reqwest::Client,
    key: String,
    /// The index's URL.
    url: String,
}

impl Bare {
    async fn new() -> Self {
        let client = reqwest::Client::builder().no_proxy().build().expect("a client is made");
        let variable = |name| std::env::var(name).expect("it is set");
        let key = variable("PINECONE_API_KEY");
        let mut bare = Self { client, key, url: String::new() };
        let url = format!("{}/indexes/overhead-bare", variable("PINECONE_ENDPOINT"));
        let index = bare.client.get(url);
        let index = answer(bare.with_key(index)).await;
        bare.url = format!("http://{}", index["host"].as_str().expect("the index has a host"));
        bare
    }

    fn with_key(&self, request: RequestBuilder) -> RequestBuilder {
        request.header("api-key", &self.key).header("x-pinecone-api-version", "2026-07")
    }

    async fn post(&self, path: &str, body: String) -> Value {
        let request = self.client.post(format!("{}/{path}", self.url));
        answer(self.with_key(request).header("content-type", "application/json").body(body)).await
    }

    async fn upsert(&self, records: &[StoredRecord]) {
        // Pinecone accepts 2 MB.
        for batch in records.chunks(350) {
            let vector = |one: &StoredRecord| {
                let data = Value::from(one.data.clone()).to_string();
                let metadata =
                    json!({ "data": data, "lang": one.data["lang"], "year": one.data["year"] });
                let values = in_json(&one.vectors["embedding"]);
                format!(r#"{{"id":"{}","values":{values},"metadata":{metadata}}}"#, one.key)
            };
            let vectors: Vec<String> = batch.iter().map(vector).collect();
            self.post("vectors/upsert", format!(r#"{{"vectors":[{}]}}"#, vectors.join(","))).await;
        }
    }

    async fn query(&self) {
        for number in 0..QUERIES {
            let vector = in_json(&vector(number));
            // The connector has a filter too, of records with a vector.
            let body = format!(
                r#"{{"vector":{vector},"topK":{},"filter":{{"lang":{{"$in":["en","de"]}}}},"includeValues":false,"includeMetadata":true}}"#,
                TOP + 1
            );
            let found = self.post("query", body).await;
            let found = found["matches"].as_array().expect("it has matches");
            let data = found.iter().filter_map(|one| one["metadata"]["data"].as_str());
            let read = data.filter_map(|data| serde_json::from_str::<Value>(data).ok());
            assert_eq!(read.count(), TOP + 1);
        }
    }
}

async fn query_ours(collection: &dyn VectorCollection) {
    for number in 0..QUERIES {
        let input = vector(number).into();
        let found = collection.search(&input, &VectorSearchOptions::top(TOP)).await;
        let found = found.expect("the search is answered").into_vec().await;
        assert_eq!(found.expect("the records are read").len(), TOP);
    }
}

async fn seconds(work: impl Future<Output = ()>) -> f64 {
    let start = Instant::now();
    work.await;
    start.elapsed().as_secs_f64()
}

/// `turns` are the seconds of each turn: ours, and the bare client's.
fn report(what: &str, turns: &[[f64; 2]]) {
    let median = |number: &dyn Fn(&[f64; 2]) -> f64| {
        let mut numbers: Vec<f64> = turns.iter().map(number).collect();
        numbers.sort_unstable_by(f64::total_cmp);
        numbers[numbers.len() / 2]
    };
    let (ours, bare) = (median(&|turn| turn[0]) * 1e3, median(&|turn| turn[1]) * 1e3);
    let ratio = median(&|turn| turn[0] / turn[1]);
    println!("{what}: ours {ours:.1} ms, bare {bare:.1} ms, {ratio:.2} x");
}

#[tokio::main]
async fn main() {
    let provider = rustls::crypto::ring::default_provider();
    provider.install_default().expect("nothing else installs a provider");
    let config = PineconeConfig::from_env().expect("the variables name a server and its key");
    let store = PineconeStore::new(config).expect("the settings are right");
    let [ours, same] = ["overhead-ours", "overhead-bare"]
        .map(|name| store.stored_collection(name, definition()).expect("a handle is made"));
    ours.ensure_exists().await.expect("the index is made");
    same.ensure_exists().await.expect("the index is made");
    let bare = Bare::new().await;
    let (mut upserts, mut queries) = (Vec::new(), Vec::new());
    let records: Vec<StoredRecord> = (0..RECORDS).map(record).collect();
    for turn in 0..TURNS {
        let [mut upsert, mut query] = [[0.0; 2]; 2];
        for side in [turn % 2, (turn + 1) % 2] {
            let records = records.clone();
            upsert[side] = match side {
                0 => seconds(async { ours.upsert(records).await.expect("they are stored") }).await,
                _ => seconds(bare.upsert(&records)).await,
            };
        }
        for side in [turn % 2, (turn + 1) % 2] {
            query[side] = match side {
                0 => seconds(query_ours(ours.as_ref())).await,
                _ => seconds(bare.query()).await,
            };
        }
        upserts.push(upsert);
        queries.push(query);
    }
    report(&format!("upsert of {RECORDS} records"), &upserts);
    report(&format!("{QUERIES} queries"), &queries);
    for collection in [ours, same] {
        collection.delete_collection().await.expect("the index is deleted");
    }
}
