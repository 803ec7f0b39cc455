//! A server that is killed while it stores batches. The tests of other connectors include this file.

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
    vector::{RecordDefinition, ScanOptions, StoredRecord, VectorCollection, VectorStore as _},
};

use crate::{BATCH, engine::Engine};

/// The server, after a restart.
#[allow(dead_code, reason = "each connector checks a part")]
pub(crate) struct Restarted<'a> {
    pub(crate) collection: &'a dyn VectorCollection,
    pub(crate) keys: HashSet<String>,
    /// Of the upsert that the server's end interrupted.
    pub(crate) error: Error,
}

/// Kills a server five times and checks that no acknowledged record is lost, then runs `check`.
pub(crate) async fn kill_while_writing(
    definition: RecordDefinition,
    check: impl AsyncFn(Restarted<'_>),
) {
    let mut engine = Engine::start("kill");
    let store = engine.store().await;
    let collection = store.stored_collection("faults", definition).unwrap();
    for _ in 0..5 {
        collection.ensure_exists().await.unwrap();
        let stored = Arc::new(AtomicUsize::new(0));
        let writing = tokio::spawn(write(Arc::clone(&collection), Arc::clone(&stored)));
        while stored.load(Ordering::SeqCst) < 3 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        // In any part of a batch, but not in many batches later: Chroma 1.5.9 may then fail searches
        // of all records with "Error finding id".
        let pause = fastrand::u64(0..BATCH as u64 / 10);
        tokio::time::sleep(Duration::from_millis(pause)).await;
        engine.kill();
        let error = writing.await.unwrap();
        assert_eq!(*error.kind(), ErrorKind::Unavailable, "{error}");

        engine.restart();
        drop(engine.store().await);
        let keys = keys(collection.as_ref()).await;
        let stored = stored.load(Ordering::SeqCst);
        let acknowledged = (0..stored).flat_map(batch).map(|record| record.key.to_string());
        let lost: Vec<String> = acknowledged.filter(|key| !keys.contains(key)).collect();
        assert!(lost.is_empty(), "{} records are lost, such as {:?}", lost.len(), lost.first());
        let server = Restarted { collection: collection.as_ref(), keys, error };
        let count = server.keys.len();
        println!("faults: {stored} batches acknowledged, {count} records stored: {}", server.error);
        check(server).await;
        collection.delete_collection().await.unwrap();
    }
}

pub(crate) fn batch(number: usize) -> Vec<StoredRecord> {
    let record = |place: usize| {
        let data =
            json!({ "id": format!("{number:04}-{place:05}"), "text": format!("batch{number}") });
        let data = data.as_object().cloned().unwrap();
        let vector: Vec<f32> = (0..32).map(|element| (place + element) as f32 + 1.0).collect();
        let record = StoredRecord::new(data, &RecordDefinition::new("id"));
        record.unwrap().with_vector("embedding", vector)
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

pub(crate) async fn keys(collection: &dyn VectorCollection) -> HashSet<String> {
    let records = collection.scan(&ScanOptions::default()).await.unwrap().into_vec().await.unwrap();
    records.into_iter().map(|record| record.key.to_string()).collect()
}
