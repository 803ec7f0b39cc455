//! Tests with a server that is killed in the middle of requests and restarted.

use std::{collections::HashSet, error::Error as _, time::Duration};

use textsearch_chroma::ChromaStore;
use textsearch_conformance::core::vector::{
    IndexKind, InterruptedUpsert, RecordDefinition, StoredRecord, VectorField, VectorSearchOptions,
    VectorStore as _,
};

use crate::{
    BATCH, config_at,
    engine::Engine,
    kills::{batch, keys, kill_while_writing},
};

fn definition() -> RecordDefinition {
    let field = VectorField::new("embedding", 32).with_index(IndexKind::hnsw());
    RecordDefinition::new("id").with_vector(field)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_acknowledged_record_is_lost_and_no_batch_is_half() {
    kill_while_writing(definition(), async |server| {
        assert_eq!(server.keys.len() % BATCH, 0, "half a batch is stored");
        let options = VectorSearchOptions::top(100_000);
        let nearest = server.collection.search(&vec![1.0; 32].into(), &options).await.unwrap();
        assert_eq!(nearest.into_vec().await.unwrap().len(), server.keys.len());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupted_upsert_tells_what_is_stored() {
    let mut engine = Engine::start("interrupted");
    let store = engine.store().await;
    let collection = store.stored_collection("faults", definition()).unwrap();
    collection.ensure_exists().await.unwrap();
    let records: Vec<StoredRecord> = (0..100).flat_map(batch).collect();
    let config = config_at(&engine.url).with_batch_limits(BATCH, 1 << 25);
    let writing = tokio::spawn(async move {
        let store = ChromaStore::new(config).unwrap();
        let collection = store.stored_collection("faults", definition()).unwrap();
        collection.upsert(records).await.unwrap_err()
    });
    while keys(collection.as_ref()).await.len() < 2 * BATCH {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    engine.kill();
    let error = writing.await.unwrap();
    let interrupted = error.source().unwrap().downcast_ref::<InterruptedUpsert>().unwrap();
    let outcomes = [&interrupted.stored, &interrupted.unsure, &interrupted.not_stored];
    assert_eq!(outcomes.map(Vec::len).iter().sum::<usize>(), 100 * BATCH);

    engine.restart();
    drop(engine.store().await);
    let present = keys(collection.as_ref()).await;
    let stored = interrupted.stored.iter().map(ToString::to_string).collect::<HashSet<String>>();
    // The second batch may be readable before it is acknowledged.
    assert!(stored.len() >= BATCH && stored.is_subset(&present), "{error}");
    assert!(
        interrupted.not_stored.iter().all(|key| !present.contains(&key.to_string())),
        "{error}"
    );
    let unsure = present.len() - stored.len();
    assert!(unsure == 0 || unsure == interrupted.unsure.len(), "{unsure} of the unsure are stored");
}
