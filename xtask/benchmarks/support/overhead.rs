//! Compares a vector store over HTTP with a bare client, in turns. Benchmarks of crates include it.

use std::time::Instant;

use reqwest::RequestBuilder;
use serde_json::{Value, json};
use textsearch_core::vector::{
    DataField, RecordDefinition, StoredRecord, VectorCollection, VectorField, VectorSearchOptions,
    VectorStore,
};

pub(crate) const DIMENSIONS: usize = 384;
pub(crate) const QUERIES: u64 = 200;
pub(crate) const TOP: usize = 10;
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

/// Vectors must differ: a connector requests more records if several are equally near.
pub(crate) fn vector(number: u64) -> Vec<f32> {
    let mut random = fastrand::Rng::with_seed(number);
    (0..DIMENSIONS).map(|_| random.f32() - 0.5).collect()
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

pub(crate) fn definition(vector: VectorField) -> RecordDefinition {
    RecordDefinition::new("id")
        .with_data(DataField::string("text"))
        .with_data(DataField::string("lang").filterable())
        .with_data(DataField::integer("year").filterable())
        .with_vector(vector)
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
    let mut upserts = Vec::new();
    let mut queries = Vec::new();
    let ours = open(store, OURS, definition);
    let records: Vec<StoredRecord> =
        (0..RECORDS).map(|number| record(number, definition)).collect();
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

fn record(number: u64, definition: &RecordDefinition) -> StoredRecord {
    let text = "A passage of some length, as chunks of documents are. ".repeat(12);
    let data = json!({
        "id": format!("doc-{number}"), "text": text, "lang": "en", "year": 2000 + number % 25,
    });
    let data = data.as_object().cloned().unwrap_or_default();
    let record = StoredRecord::new(data, definition).expect("the record has its key");
    record.with_vector("embedding", vector(number))
}

async fn query_ours(collection: &dyn VectorCollection) {
    for number in 0..QUERIES {
        let input = vector(number).into();
        let results = collection.search(&input, &VectorSearchOptions::top(TOP)).await;
        let records = results.expect("the search is answered").into_vec().await;
        assert_eq!(records.expect("the records are read").len(), TOP);
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
    let ours = median(&|turn| turn[0]) * 1e3;
    let bare = median(&|turn| turn[1]) * 1e3;
    let ratio = median(&|turn| turn[0] / turn[1]);
    println!("{what}: ours {ours:.1} ms, bare {bare:.1} ms, {ratio:.2} x");
}
