//! What Pinecone does asynchronously.

use std::time::{Duration, Instant};

use serde_json::json;
use textsearch_pinecone::{
    ErrorKind, PineconeStore,
    vector::{GetOptions, ScanOptions, VectorSearchOptions, VectorStore},
};

use crate::{
    stand_in::{Behavior, StandIn},
    support::{definition, notes, record, search},
};

const WHILE: Duration = Duration::from_millis(300);

/// Longer than any test waits.
const NEVER: Duration = Duration::from_secs(3_600);

fn slow() -> StandIn {
    StandIn::start(Behavior { ready_after: WHILE, gone_after: WHILE, ..Behavior::default() })
}

fn never_ready() -> StandIn {
    StandIn::start(Behavior { ready_after: NEVER, ..Behavior::default() })
}

#[tokio::test]
async fn ensure_exists_waits_for_the_index() {
    let stand_in = slow();
    let started = Instant::now();
    let notes = notes(&stand_in.store()).await;
    assert!(started.elapsed() >= WHILE);
    let looks = stand_in.seen().iter().filter(|seen| seen.method == "GET").count();
    assert!((2..60).contains(&looks), "{looks} looks");
    notes.upsert(vec![record(json!({ "id": "a" }))]).await.unwrap();
}

#[tokio::test]
async fn ensure_exists_waits_until_the_old_index_is_gone() {
    let stand_in = slow();
    let store = stand_in.store();
    let notes = notes(&store).await;
    notes.upsert(vec![record(json!({ "id": "a" }))]).await.unwrap();
    notes.delete_collection().await.unwrap();
    assert!(!notes.exists().await.unwrap());
    assert!(store.collection_names().await.unwrap().is_empty());
    notes.ensure_exists().await.unwrap();
    assert_eq!(search(&notes, &VectorSearchOptions::top(5)).await.unwrap().len(), 0);
}

#[tokio::test]
async fn waiting_ends_with_the_state_of_the_index() {
    let stand_in = never_ready();
    let config = stand_in.config().with_ready_timeout(Duration::from_millis(50));
    let store = PineconeStore::new(config).unwrap();
    let notes = store.stored_collection("notes", definition()).unwrap();
    let error = notes.ensure_exists().await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Timeout);
    assert!(error.message().contains("`notes` is not ready after 50ms (Initializing)"), "{error}");
    let error = search(&notes, &VectorSearchOptions::top(5)).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Unavailable);
    assert!(error.message().contains("call ensure_exists"), "{error}");
}

#[tokio::test]
async fn an_initializing_index_is_not_deleted() {
    let stand_in = never_ready();
    let config = stand_in.config().with_ready_timeout(Duration::from_millis(1));
    for config in [config.clone().with_namespace("acme"), config] {
        let store = PineconeStore::new(config).unwrap();
        let notes = store.stored_collection("notes", definition()).unwrap();
        assert_eq!(*notes.ensure_exists().await.unwrap_err().kind(), ErrorKind::Timeout);
        let error = notes.delete_collection().await.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Unavailable);
        assert!(error.message().contains("`notes` is not ready (Initializing)"), "{error}");
    }
}

#[tokio::test]
async fn a_terminating_index_counts_as_deleted() {
    let stand_in = StandIn::start(Behavior { gone_after: NEVER, ..Behavior::default() });
    let plain = notes(&stand_in.store()).await;
    let acme = PineconeStore::new(stand_in.config().with_namespace("acme")).unwrap();
    let acme = acme.stored_collection("notes", definition()).unwrap();
    plain.delete_collection().await.unwrap();
    stand_in.seen();
    plain.delete_collection().await.unwrap();
    acme.delete_collection().await.unwrap();
    assert!(stand_in.seen().iter().all(|seen| seen.method == "GET"));
}

#[tokio::test]
async fn writes_become_visible_later() {
    let stand_in = StandIn::start(Behavior { visible_after: NEVER, ..Behavior::default() });
    let notes = notes(&stand_in.store()).await;
    notes.upsert(vec![record(json!({ "id": "a" }))]).await.unwrap();
    let keys = ["a".into()];
    assert!(notes.get(&keys, &GetOptions::default()).await.unwrap().is_empty());
    assert!(search(&notes, &VectorSearchOptions::top(5)).await.unwrap().is_empty());
    stand_in.show_writes();
    assert_eq!(search(&notes, &VectorSearchOptions::top(5)).await.unwrap(), ["a"]);
    notes.delete(&keys).await.unwrap();
    let scanned = notes.scan(&ScanOptions::default()).await.unwrap();
    assert_eq!(scanned.into_vec().await.unwrap().len(), 1);
    stand_in.show_writes();
    assert!(notes.get(&keys, &GetOptions::default()).await.unwrap().is_empty());
}
