//! Overhead of the connector over a bare gRPC client, on the same server, in alternating runs.
//!
//! The bare client sends the messages with `tonic`, nothing else. It writes the same columns and
//! reads the same data.
//!
//! `MILVUS_URL=http://localhost:19530 cargo bench -p textsearch-milvus`

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a program for the terminal, which ends where something fails"
)]

#[path = "overhead/bare.rs"]
mod bare;
#[path = "../src/codec.rs"]
mod codec;
#[path = "../../../xtask/benchmarks/support/overhead.rs"]
mod overhead;
#[allow(dead_code, reason = "the bare client sends two of the messages")]
#[path = "../src/proto/mod.rs"]
mod proto;

use bare::Bare;
use overhead::{
    DIMENSIONS, TOP, Turn, definition, in_turns, query, records, recreate, report, upsert, vector,
};
use textsearch_milvus::{
    MilvusConfig, MilvusStore,
    vector::{VectorCollection, VectorField, VectorStore as _},
};

const RECORDS: u64 = 10_000;
const BATCH: usize = 1_000;
const QUERIES: u64 = 100;
const TURNS: usize = 7;

async fn query_bare(client: &Bare, number: u64) {
    let results = client.search("bare", &vector(number), TOP).await;
    assert_eq!(results.len(), TOP);
}

/// Queries the first batch only: Milvus Lite reads all records for each, which hides the connector.
async fn query_in_turns(ours: &dyn VectorCollection, client: &Bare) -> Turn {
    let mut times = Turn::default();
    for number in 0..QUERIES {
        let ours = query(ours, number..number + 1);
        add(&mut times, in_turns(number as usize, ours, query_bare(client, number)).await);
    }
    times
}

fn add(times: &mut Turn, request: Turn) {
    for (time, request) in times.iter_mut().zip(request) {
        *time += request;
    }
}

#[tokio::main]
async fn main() {
    let config = MilvusConfig::from_env().expect("MILVUS_URL names a server");
    let client = Bare::new(&config.url);
    let store = MilvusStore::new(config.with_batch_limits(BATCH, 63 << 20));
    let store = store.expect("the settings are right");
    let definition = definition(VectorField::new("embedding", DIMENSIONS));
    let collections = ["ours", "bare"]
        .map(|name| store.stored_collection(name, definition.clone()).expect("a handle is made"));
    let ours = collections[0].as_ref();
    let mut upserts = Vec::new();
    let mut queries = Vec::new();
    let records = records(RECORDS);
    for turn in 0..TURNS {
        for collection in &collections {
            recreate(collection.as_ref()).await;
        }
        // One request after the other, so that both sides meet the same load.
        let mut times = Turn::default();
        for (number, batch) in records.chunks(BATCH).enumerate() {
            let upsert = upsert(ours, batch.to_vec());
            let bare = client.upsert("bare", batch, DIMENSIONS);
            add(&mut times, in_turns(turn + number, upsert, bare).await);
            if number == 0 {
                queries.push(query_in_turns(ours, &client).await);
            }
        }
        upserts.push(times);
    }
    report(&format!("upsert of {RECORDS} records"), &upserts);
    report(&format!("{QUERIES} queries of {BATCH} records"), &queries);
    for collection in &collections {
        collection.delete_collection().await.expect("the collection is deleted");
    }
}
