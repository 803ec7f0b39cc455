//! What is left after a failure midway.

use textsearch_core::{ErrorKind, Filter};
use textsearch_documents::{Document, DocumentStore};

use crate::{
    store::{chunker, document, store, stored},
    wrapper::Failing,
};

/// Upserts `new` over `old`, with a failure after each number of writes; then upserts it again.
async fn check(old: Option<Document>, new: Document, writes: usize) {
    for allowed in 0..writes {
        let store = store().await;
        store.upsert(old.clone()).await.unwrap();
        let before = stored(&store).await;
        let failing = Failing::new(store.collection().clone(), allowed);
        let failing = DocumentStore::new(failing, chunker(40)).unwrap();
        let error = failing.upsert([new.clone()]).await.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Unavailable, "after {allowed}");

        let left = stored(&store).await;
        assert!(allowed > 0 || left == before, "after {allowed}");
        assert!(left.len() >= before.len().min(1), "after {allowed}");

        let report = store.upsert([new.clone()]).await.unwrap();
        assert_eq!(report.unchanged, 0, "after {allowed}");
        let clean = crate::store::store().await;
        clean.upsert([new.clone()]).await.unwrap();
        assert_eq!(stored(&store).await, stored(&clean).await, "after {allowed}");
        assert_eq!(store.upsert([new.clone()]).await.unwrap().unchanged, 1);
    }
}

#[tokio::test]
async fn a_failed_write_keeps_the_old_version() {
    check(Some(document("a", "cat", 2)), document("a", "dog", 3), 1).await;
}

#[tokio::test]
async fn a_failed_deletion_keeps_the_new_version_and_is_made_up_for() {
    check(Some(document("a", "cat", 4)), document("a", "dog", 2), 3).await;
}

#[tokio::test]
async fn a_large_document_is_finished_by_the_next_call() {
    check(None, document("a", "dog", 1300), 4).await;
    check(Some(document("a", "cat", 1400)), document("a", "dog", 1300), 5).await;
}

#[tokio::test]
async fn what_a_failure_left_over_goes_even_if_the_document_is_smaller_by_then() {
    let store = store().await;
    let failing = Failing::new(store.collection().clone(), 2);
    let failing = DocumentStore::new(failing, chunker(40)).unwrap();
    failing.upsert([document("a", "cat", 1300)]).await.unwrap_err();
    assert_eq!(stored(&store).await.len(), 1024);
    store.upsert([document("a", "cat", 2)]).await.unwrap();
    assert_eq!(stored(&store).await.len(), 2);
}

#[tokio::test]
async fn nothing_is_removed_where_a_document_could_not_be_stored() {
    let store = store().await;
    store.upsert([document("a", "cat", 1)]).await.unwrap();
    let failing = Failing::new(store.collection().clone(), 0);
    let failing = DocumentStore::new(failing, chunker(40)).unwrap();
    failing.sync([document("b", "cat", 1)], &Filter::all([])).await.unwrap_err();
    assert_eq!(stored(&store).await.len(), 1);
}
