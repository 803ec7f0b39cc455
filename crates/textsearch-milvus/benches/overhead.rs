//! Overhead of the connector over a bare gRPC client, on the same server, in alternating runs.
//!
//! The bare client has messages of its own and sends them with `tonic`, nothing else. It writes the
//! same columns and reads the same data.
//!
//! `MILVUS_URL=http://localhost:19530 cargo bench -p textsearch-milvus`

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a program for the terminal, which ends where something fails"
)]

#[path = "overhead/bare.rs"]
mod bare;

use std::time::Instant;

use bare::Bare;
use serde_json::json;
use textsearch_milvus::{
    MilvusConfig, MilvusStore,
    vector::{
        DataField, RecordDefinition, StoredRecord, VectorCollection, VectorField,
        VectorSearchOptions, VectorStore as _,
    },
};

const DIMENSIONS: usize = 384;
const RECORDS: u64 = 10_000;
const BATCH: usize = 1_000;
const QUERIES: usize = 100;
const TURNS: usize = 7;

fn definition() -> RecordDefinition {
    RecordDefinition::new("id")
        .with_data(DataField::string("title"))
        .with_data(DataField::string("text"))
        .with_data(DataField::string("lang").filterable())
        .with_data(DataField::integer("year").filterable())
        .with_vector(VectorField::new("embedding", DIMENSIONS))
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

async fn query_ours(collection: &dyn VectorCollection, number: u64) {
    let input = vector(number).into();
    let results = collection.search(&input, &VectorSearchOptions::top(10)).await;
    let results = results.expect("the search is answered").into_vec().await;
    assert_eq!(results.expect("the records are read").len(), 10);
}

async fn query_bare(client: &Bare, number: u64) {
    let results = client.search("bare", &vector(number), 10).await;
    assert_eq!(results.len(), 10);
}

/// Queries the first batch only: Milvus Lite reads all records for each, which hides the connector.
async fn query_in_turns(ours: &dyn VectorCollection, client: &Bare) -> [f64; 2] {
    let mut times = [0.0; 2];
    for number in 0..QUERIES {
        for side in in_turns(number) {
            let start = Instant::now();
            match side {
                0 => query_ours(ours, number as u64).await,
                _ => query_bare(client, number as u64).await,
            }
            times[side] += start.elapsed().as_secs_f64();
        }
    }
    times
}

async fn recreate(collection: &dyn VectorCollection) {
    collection.delete_collection().await.expect("the collection is deleted");
    collection.ensure_exists().await.expect("the collection is made");
}

/// Seconds.
type Times = Vec<f64>;

/// Which side begins alternates.
fn in_turns(number: usize) -> [usize; 2] {
    [number % 2, (number + 1) % 2]
}

fn add(times: &mut [Times; 2], turn: [f64; 2]) {
    for (times, time) in times.iter_mut().zip(turn) {
        times.push(time);
    }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn report(what: &str, ours: &Times, bare: &Times) {
    let ratio = median(ours.iter().zip(bare).map(|(ours, bare)| ours / bare).collect());
    let ours = median(ours.clone()) * 1e3;
    let bare = median(bare.clone()) * 1e3;
    println!("{what}: ours {ours:.1} ms, bare {bare:.1} ms, {ratio:.2} x");
}

#[tokio::main]
async fn main() {
    let config = MilvusConfig::from_env().expect("MILVUS_URL names a server");
    let client = Bare::new(&config.url);
    let store = MilvusStore::new(config.with_batch_limits(BATCH, 63 << 20));
    let store = store.expect("the settings are right");
    let collections = ["ours", "bare"]
        .map(|name| store.stored_collection(name, definition()).expect("a handle is made"));
    let [ours, _] = collections.each_ref().map(AsRef::as_ref);
    let mut upserts: [Times; 2] = Default::default();
    let mut queries: [Times; 2] = Default::default();
    let records = records();
    for turn in 0..TURNS {
        for collection in &collections {
            recreate(collection.as_ref()).await;
        }
        // One request after the other, so that both sides meet the same load.
        let mut times = [0.0; 2];
        for (number, batch) in records.chunks(BATCH).enumerate() {
            for side in in_turns(turn + number) {
                let batch = batch.to_vec();
                let start = Instant::now();
                match side {
                    0 => ours.upsert(batch).await.expect("the records are stored"),
                    _ => client.upsert("bare", &batch, DIMENSIONS).await,
                }
                times[side] += start.elapsed().as_secs_f64();
            }
            if number == 0 {
                add(&mut queries, query_in_turns(ours, &client).await);
            }
        }
        add(&mut upserts, times);
    }
    report(&format!("upsert of {RECORDS} records"), &upserts[0], &upserts[1]);
    report(&format!("{QUERIES} queries of {BATCH} records"), &queries[0], &queries[1]);
    for collection in &collections {
        collection.delete_collection().await.expect("the collection is deleted");
    }
}
