//! The contents of the store after a failure midway.

use textsearch_core::{ErrorKind, Filter};
use textsearch_documents::{Document, DocumentStore};

use crate::{
    store::{chunker, document, store, store_of_small_batches, stored},
    wrapper::Failing,
};

/// Upserts `new` over `old`, with a failure after each number of writes; then upserts it again.
async fn check(old: Option<Document>, new: Document, writes: usize) {
    let clean = store_of_small_batches().await;
    clean.upsert([new.clone()]).await.unwrap();
    let wanted = stored(&clean).await;
    for allowed in 0..writes {
        let store = store_of_small_batches().await;
        store.upsert(old.clone()).await.unwrap();
        let before = stored(&store).await;
        let failing = Failing::collection(store.collection().stored().clone(), allowed);
        let failing = DocumentStore::new(failing, chunker(40)).unwrap();
        let error = failing.upsert([new.clone()]).await.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Unavailable, "after {allowed}");

        check_between(&before, &stored(&store).await, &wanted);
        let report = store.upsert([new.clone()]).await.unwrap();
        assert_eq!(report.unchanged, 0, "after {allowed}");
        assert_eq!(stored(&store).await, wanted, "after {allowed}");
        assert_eq!(store.upsert([new.clone()]).await.unwrap().unchanged, 1);
    }
}

/// Checks that every key of both versions is still stored, and that nothing else is.
fn check_between(
    before: &[(String, String)],
    left: &[(String, String)],
    wanted: &[(String, String)],
) {
    let has =
        |records: &[(String, String)], key: &str| records.iter().any(|(found, _)| found == key);
    for (key, _) in before {
        assert!(has(left, key) || !has(wanted, key), "{key} is gone");
    }
    for record in left {
        assert!(before.contains(record) || wanted.contains(record), "{record:?}");
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
    check(Some(document("a", "cat", 2)), document("a", "dog", 3), 1).await;
}

#[tokio::test]
async fn a_failed_deletion_keeps_the_new_version_and_is_made_up_for() {
    check(Some(document("a", "cat", 4)), document("a", "dog", 2), 3).await;
}

#[tokio::test]
async fn a_large_document_is_finished_by_the_next_call() {
    check(None, document("a", "dog", 600), 4).await;
    check(Some(document("a", "cat", 650)), document("a", "dog", 600), 5).await;
}

#[tokio::test]
async fn what_a_failure_left_over_goes_even_if_the_document_is_smaller_by_then() {
    let store = store_of_small_batches().await;
    let failing = Failing::collection(store.collection().stored().clone(), 2);
    let failing = DocumentStore::new(failing, chunker(40)).unwrap();
    failing.upsert([document("a", "cat", 600)]).await.unwrap_err();
    assert_eq!(stored(&store).await.len(), 512);
    store.upsert([document("a", "cat", 2)]).await.unwrap();
    assert_eq!(stored(&store).await.len(), 2);
}

#[tokio::test]
async fn nothing_is_removed_where_a_document_could_not_be_stored() {
    let store = store().await;
    store.upsert([document("a", "cat", 1)]).await.unwrap();
    let failing = Failing::collection(store.collection().stored().clone(), 0);
    let failing = DocumentStore::new(failing, chunker(40)).unwrap();
    failing.sync([document("b", "cat", 1)], &Filter::all([])).await.unwrap_err();
    assert_eq!(stored(&store).await.len(), 1);
}
