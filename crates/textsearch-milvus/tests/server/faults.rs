//! A server that is killed in the middle of requests and restarted.

use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::json;
use textsearch_conformance::core::{
    Error, ErrorKind,
    vector::{
        DataField, RecordDefinition, RecordKey, ScanOptions, SearchInput, StoredRecord,
        VectorCollection, VectorField, VectorSearchOptions, VectorStore,
    },
};
use textsearch_milvus::vector::InterruptedUpsert;

use crate::engine::Engine;

/// Three requests.
const BATCH: usize = 2_500;

fn definition() -> RecordDefinition {
    RecordDefinition::new("id")
        .with_data(DataField::string("text").full_text())
        .with_vector(VectorField::new("embedding", 32))
}

fn key(number: usize, place: usize) -> String {
    format!("{number:04}-{place:05}")
}

fn batch(number: usize) -> Vec<StoredRecord> {
    let record = |place: usize| {
        let data = json!({ "id": key(number, place), "text": format!("batch{number}") });
        let data = data.as_object().cloned().unwrap();
        let vector: Vec<f32> = (0..32).map(|element| (place + element) as f32 + 1.0).collect();
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

fn missing<'a>(keys: &'a [RecordKey], present: &HashSet<String>) -> Vec<&'a RecordKey> {
    keys.iter().filter(|key| !present.contains(&key.to_string())).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_acknowledged_record_is_lost_and_errors_tell_the_rest() {
    let mut engine = Engine::start("kill");
    let store = engine.store().await;
    let collection = store.stored_collection("faults", definition()).unwrap();
    collection.ensure_exists().await.unwrap();
    let mut random = fastrand::Rng::new();
    for _ in 0..5 {
        let stored = Arc::new(AtomicUsize::new(0));
        let writing = tokio::spawn(write(Arc::clone(&collection), Arc::clone(&stored)));
        while stored.load(Ordering::SeqCst) < 2 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        // In any part of a batch.
        tokio::time::sleep(Duration::from_millis(random.u64(0..800))).await;
        engine.kill();
        let error = writing.await.unwrap();
        assert_eq!(*error.kind(), ErrorKind::Unavailable, "{error}");

        engine.restart();
        drop(engine.store().await);
        let present = keys(collection.as_ref()).await;
        let stored = stored.load(Ordering::SeqCst);
        let acknowledged = (0..stored).flat_map(|number| (0..BATCH).map(move |at| key(number, at)));
        let lost: Vec<String> = acknowledged.filter(|key| !present.contains(key)).collect();
        assert!(lost.is_empty(), "{} records are lost, such as {:?}", lost.len(), lost.first());
        let source = std::error::Error::source(&error);
        let interrupted = source.and_then(|source| source.downcast_ref::<InterruptedUpsert>());
        let interrupted = interrupted.expect("the error says what happened to each record");
        assert_eq!(missing(&interrupted.stored, &present), [] as [&RecordKey; 0]);
        let not_stored = missing(&interrupted.not_stored, &present).len();
        assert_eq!(not_stored, interrupted.not_stored.len(), "a record was stored after all");
        println!("faults: {stored} batches acknowledged, {} records found: {error}", present.len());
        check_searches(collection.as_ref()).await;
        collection.delete_collection().await.unwrap();
        collection.ensure_exists().await.unwrap();
    }
}

/// The restarted server finds records by vector and by words.
async fn check_searches(collection: &dyn VectorCollection) {
    let vector: Vec<f32> = (0..32).map(|element| element as f32 + 1.0).collect();
    let options = VectorSearchOptions::top(1);
    let results = collection.search(&SearchInput::from(vector), &options).await.unwrap();
    let results = results.into_vec().await.unwrap();
    assert!(results[0].record.key.to_string().ends_with("-00000"), "{:?}", results[0]);
    let options = options.with_total_count(true);
    let results = collection.full_text_search("batch1", &options).await.unwrap();
    assert_eq!(results.total_count().map(|count| count.value()), Some(BATCH as u64));
}
