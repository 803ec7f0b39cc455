//! Tests with a server that is killed in the middle of requests and restarted.

use std::{error::Error as _, sync::Arc, time::Duration};

use serde_json::json;
use textsearch_conformance::core::{
    ErrorKind,
    results::TotalCount,
    vector::{
        RecordDefinition, RecordKey, ScanOptions, StoredRecord, VectorCollection, VectorField,
        VectorStore,
    },
};
use textsearch_qdrant::{QdrantConfig, QdrantStore, vector::InterruptedUpsert};

use crate::engine::Engine;

const RECORDS: u64 = 10_000;

fn definition() -> RecordDefinition {
    RecordDefinition::new("id").with_vector(VectorField::new("embedding", 32))
}

fn records() -> Vec<StoredRecord> {
    let record = |number: u64| {
        let data = json!({ "id": format!("record {number:05}"), "number": number });
        let data = data.as_object().cloned().unwrap();
        let vector: Vec<f32> = (0..32).map(|place| (number + place) as f32 + 1.0).collect();
        StoredRecord::new(data, &definition()).unwrap().with_vector("embedding", vector)
    };
    (0..RECORDS).map(record).collect()
}

async fn collection(engine: &Engine) -> Arc<dyn VectorCollection> {
    let collection = engine.store().await.stored_collection("faults", definition()).unwrap();
    collection.ensure_exists().await.unwrap();
    collection
}

async fn count(collection: &dyn VectorCollection) -> u64 {
    let results = collection.scan(&ScanOptions::default().with_top(1)).await.unwrap();
    results.total_count().map(TotalCount::value).unwrap()
}

async fn is_stored(collection: &dyn VectorCollection, keys: &[RecordKey]) -> bool {
    let records = collection.get(keys, &Default::default()).await.unwrap();
    records.len() == keys.len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn interrupted_upsert_can_be_repeated() {
    let mut engine = Engine::start("upsert");
    let collection = collection(&engine).await;
    let writing = tokio::spawn({
        let collection = Arc::clone(&collection);
        async move { collection.upsert(records()).await }
    });
    while count(collection.as_ref()).await < RECORDS / 4 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    engine.kill();
    let error = writing.await.unwrap().unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Unavailable, "{error}");
    let interrupted = error.source().unwrap().downcast_ref::<InterruptedUpsert>().unwrap();
    let outcomes = [&interrupted.stored, &interrupted.unsure, &interrupted.not_stored];
    assert_eq!(outcomes.map(Vec::len).iter().sum::<usize>(), RECORDS as usize);
    assert_eq!(interrupted.unsure.len(), 250);
    assert!(interrupted.stored.len() >= RECORDS as usize / 4);
    assert!(!interrupted.not_stored.is_empty());

    engine.restart();
    assert!(is_stored(collection.as_ref(), &interrupted.stored).await);
    collection.upsert(records()).await.unwrap();
    assert_eq!(count(collection.as_ref()).await, RECORDS);
    println!("faults: {error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn broken_stream_ends_with_an_error() {
    let mut engine = Engine::start("stream");
    let collection = collection(&engine).await;
    collection.upsert(records()).await.unwrap();
    let mut results = collection.scan(&ScanOptions::default()).await.unwrap();
    for _ in 0..1_000 {
        results.next().await.unwrap().unwrap();
    }
    engine.kill();
    let mut read = 1_000;
    let error = loop {
        match results.next().await {
            Some(Ok(_)) => read += 1,
            Some(Err(error)) => break error,
            None => panic!("the stream ended after {read} records as if that were all"),
        }
    };
    assert_eq!(*error.kind(), ErrorKind::Unavailable, "{error}");

    engine.restart();
    let again = collection.scan(&ScanOptions::default()).await.unwrap();
    assert_eq!(again.into_vec().await.unwrap().len(), RECORDS as usize);
    println!("faults: after {read} records: {error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn upsert_waits_for_a_restarting_server() {
    let mut engine = Engine::start("restart");
    drop(collection(&engine).await);
    let config = QdrantConfig::new(&engine.url)
        .with_max_attempts(20)
        .with_backoff(Duration::from_millis(100), Duration::from_millis(500));
    let store = QdrantStore::new(config).unwrap();
    let collection = store.stored_collection("faults", definition()).unwrap();
    engine.kill();
    let writing = tokio::spawn({
        let collection = Arc::clone(&collection);
        async move { collection.upsert(records()).await }
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    engine.restart();
    writing.await.unwrap().unwrap();
    assert_eq!(count(collection.as_ref()).await, RECORDS);
}
