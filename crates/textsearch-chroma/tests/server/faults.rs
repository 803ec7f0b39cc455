//! Tests with a server that is killed in the middle of requests and restarted.

use std::{
    collections::HashSet,
    error::Error as _,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::json;
use textsearch_chroma::{ChromaConfig, ChromaStore};
use textsearch_conformance::core::{
    Error, ErrorKind,
    vector::{
        IndexKind, InterruptedUpsert, RecordDefinition, ScanOptions, StoredRecord,
        VectorCollection, VectorField, VectorSearchOptions, VectorStore,
    },
};

use crate::engine::Engine;

const BATCH: usize = 500;

fn definition() -> RecordDefinition {
    let field = VectorField::new("embedding", 32).with_index(IndexKind::hnsw());
    RecordDefinition::new("id").with_vector(field)
}

fn batch(number: usize) -> Vec<StoredRecord> {
    let record = |place: usize| {
        let data = json!({ "id": format!("{number:04}-{place:05}") });
        let data = data.as_object().cloned().unwrap();
        let vector: Vec<f32> = (0..32)
            .map(|element| ((place * 31 + element * 7 + number) % 97) as f32 + 1.0)
            .collect();
        StoredRecord::new(data, &definition()).unwrap().with_vector("embedding", vector)
    };
    (0..BATCH).map(record).collect()
}

/// Writes batches until one fails, and counts the acknowledged ones.
async fn write(collection: Arc<dyn VectorCollection>, stored: Arc<AtomicUsize>) -> Error {
    for number in 0.. {
        match collection.upsert(batch(number)).await {
            Ok(()) => stored.fetch_add(1, Ordering::SeqCst),
            Err(error) => return error,
        };
    }
    unreachable!("there are more numbers than batches")
}

async fn keys(collection: &dyn VectorCollection) -> HashSet<String> {
    let records = collection.scan(&ScanOptions::default()).await.unwrap().into_vec().await.unwrap();
    records.into_iter().map(|record| record.key.to_string()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_acknowledged_record_is_lost_and_no_batch_is_half() {
    let mut engine = Engine::start("kill");
    let store = engine.store().await;
    let collection = store.stored_collection("faults", definition()).unwrap();
    collection.ensure_exists().await.unwrap();
    for round in 1..=3 {
        let stored = Arc::new(AtomicUsize::new(0));
        let writing = tokio::spawn(write(Arc::clone(&collection), Arc::clone(&stored)));
        // Beyond the 1,000 records after which the server writes its index.
        while stored.load(Ordering::SeqCst) < 3 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        // In another part of a batch each time.
        tokio::time::sleep(Duration::from_millis(round * 15)).await;
        engine.kill();
        let error = writing.await.unwrap();
        assert_eq!(*error.kind(), ErrorKind::Unavailable, "{error}");

        engine.restart();
        drop(engine.store().await);
        let present = keys(collection.as_ref()).await;
        assert_eq!(present.len() % BATCH, 0, "half a batch is stored");
        let stored = stored.load(Ordering::SeqCst);
        let acknowledged = (0..stored).flat_map(batch).map(|record| record.key.to_string());
        let lost: Vec<String> = acknowledged.filter(|key| !present.contains(key)).collect();
        assert!(lost.is_empty(), "{} records are lost, such as {:?}", lost.len(), lost.first());
        let query = vec![1.0; 32].into();
        let options = VectorSearchOptions::top(100_000);
        let nearest = collection.search(&query, &options).await.unwrap().into_vec().await.unwrap();
        assert_eq!(nearest.len(), present.len(), "a search finds fewer than are stored");
        println!("faults: {stored} batches acknowledged, {} found: {error}", present.len() / BATCH);
        collection.delete_collection().await.unwrap();
        collection.ensure_exists().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupted_upsert_tells_what_is_stored() {
    let mut engine = Engine::start("interrupted");
    let store = engine.store().await;
    let collection = store.stored_collection("faults", definition()).unwrap();
    collection.ensure_exists().await.unwrap();
    let many: Vec<StoredRecord> = (0..100).flat_map(batch).collect();
    let url = engine.url();
    let writing = tokio::spawn(async move {
        let http = crate::engine::once();
        let config =
            ChromaConfig::new(url).with_http_settings(http).with_batch_limits(BATCH, 1 << 25);
        let store = ChromaStore::new(config).unwrap();
        let collection = store.stored_collection("faults", definition()).unwrap();
        collection.upsert(many).await.unwrap_err()
    });
    while keys(collection.as_ref()).await.len() < 2 * BATCH {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    engine.kill();
    let error = writing.await.unwrap();
    let told = error.source().unwrap().downcast_ref::<InterruptedUpsert>().unwrap();
    assert_eq!(told.stored.len() + told.unsure.len() + told.not_stored.len(), 100 * BATCH);

    engine.restart();
    drop(engine.store().await);
    let present = keys(collection.as_ref()).await;
    let stored = told.stored.iter().map(ToString::to_string).collect::<HashSet<String>>();
    // The second batch may be readable before it is acknowledged.
    assert!(stored.len() >= BATCH && stored.is_subset(&present), "{error}");
    assert!(told.not_stored.iter().all(|key| !present.contains(&key.to_string())), "{error}");
    let unsure = present.len() - stored.len();
    assert!(unsure == 0 || unsure == told.unsure.len(), "{unsure} of the unsure are stored");
}
