//! What the store holds after a failure midway.

use serde_json::json;
use textsearch_core::{ErrorKind, Filter};
use textsearch_documents::{Document, DocumentStore};

use crate::{
    store::{CHARACTERS, chunker, document, large_document, store, store_to_embed, stored},
    wrapper::Failing,
};

/// Fails after each number of writes, then upserts again.
async fn check(old: Option<Document>, new: Document, writes: usize) {
    let clean = store_to_embed().await;
    clean.upsert([new.clone()]).await.unwrap();
    let expected = stored(&clean).await;
    for allowed in 0..writes {
        let store = store_to_embed().await;
        store.upsert(old.clone()).await.unwrap();
        let before = stored(&store).await;
        let failing = Failing::collection(store.collection().stored().clone(), allowed);
        let failing = DocumentStore::new(failing, chunker(CHARACTERS)).unwrap();
        let error = failing.upsert([new.clone()]).await.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Unavailable, "after {allowed}");

        check_between(&before, &stored(&store).await, &expected);
        let report = store.upsert([new.clone()]).await.unwrap();
        assert_eq!(report.unchanged, 0, "after {allowed}");
        assert_eq!(stored(&store).await, expected, "after {allowed}");
        assert_eq!(store.upsert([new.clone()]).await.unwrap().unchanged, 1);
    }
}

/// Keys in both versions are still stored, and every record belongs to one version.
fn check_between(
    before: &[(String, String)],
    left: &[(String, String)],
    expected: &[(String, String)],
) {
    let has = |records: &[(String, String)], key: &str| {
        records.iter().any(|(stored_key, _)| stored_key == key)
    };
    for (key, _) in before {
        assert!(has(left, key) || !has(expected, key), "{key} is gone");
    }
    for record in left {
        assert!(before.contains(record) || expected.contains(record), "{record:?}");
    }
}

#[tokio::test]
async fn a_failed_write_keeps_the_old_version() {
    let store = store().await;
    store.upsert([document("a", "cat", 2)]).await.unwrap();
    let failing = DocumentStore::new(
        Failing::collection(store.collection().stored().clone(), 0),
        chunker(40),
    )
    .unwrap();
    failing.upsert([document("a", "dog", 3)]).await.unwrap_err();
    let texts: Vec<_> = stored(&store).await.into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["## Part 0\n\nOf the cat.", "## Part 1\n\nOf the cat."]);
    check(Some(large_document("a", "cat", 2)), large_document("a", "dog", 3), 1).await;
}

#[tokio::test]
async fn failed_deletion_keeps_the_new_version_until_repaired() {
    check(Some(large_document("a", "cat", 4)), large_document("a", "dog", 2), 3).await;
}

#[tokio::test]
async fn a_large_document_is_finished_by_the_next_call() {
    check(None, large_document("a", "dog", 900), 4).await;
    check(Some(large_document("a", "cat", 950)), large_document("a", "dog", 900), 5).await;
}

#[tokio::test]
async fn a_document_with_large_metadata_is_written_in_steps() {
    let large = large_document("a", "dog", 200).with_metadata("team", json!("x".repeat(25_000)));
    check(None, large, 2).await;
}

#[tokio::test]
async fn smaller_versions_remove_chunks_left_by_a_failure() {
    let store = store_to_embed().await;
    let failing = Failing::collection(store.collection().stored().clone(), 2);
    let failing = DocumentStore::new(failing, chunker(CHARACTERS)).unwrap();
    failing.upsert([large_document("a", "cat", 900)]).await.unwrap_err();
    assert!((600..800).contains(&stored(&store).await.len()));
    store.upsert([large_document("a", "cat", 2)]).await.unwrap();
    assert_eq!(stored(&store).await.len(), 2);
}

#[tokio::test]
async fn sync_removes_nothing_after_a_failed_write() {
    let store = store().await;
    store.upsert([document("a", "cat", 1)]).await.unwrap();
    let failing = Failing::collection(store.collection().stored().clone(), 0);
    let failing = DocumentStore::new(failing, chunker(40)).unwrap();
    failing.sync([document("b", "cat", 1)], &Filter::all([])).await.unwrap_err();
    assert_eq!(stored(&store).await.len(), 1);
}
