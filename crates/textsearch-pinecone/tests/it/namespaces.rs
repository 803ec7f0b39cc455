//! Collections that are namespaces of one index.

use serde_json::json;
use textsearch_pinecone::{
    ErrorKind, PineconeStore,
    vector::{VectorSearchOptions, VectorStore as _},
};

use crate::{
    stand_in::{Behavior, StandIn},
    support::{notes, record, search},
};

fn in_namespace(stand_in: &StandIn, name: &str) -> PineconeStore {
    PineconeStore::new(stand_in.config().with_namespace(name)).unwrap()
}

#[tokio::test]
async fn namespaces_of_one_index_are_apart() {
    let stand_in = StandIn::start(Behavior::default());
    let store = |name: &str| in_namespace(&stand_in, name);
    let first = notes(&store("one")).await;
    let other = notes(&store("../other")).await;
    first.upsert(vec![record(json!({ "id": "a" }))]).await.unwrap();
    other.upsert(vec![record(json!({ "id": "b" }))]).await.unwrap();
    let all = VectorSearchOptions::top(5);
    assert_eq!(search(&first, &all).await.unwrap(), ["a"]);
    first.delete_collection().await.unwrap();
    assert!(!first.exists().await.unwrap());
    assert_eq!(search(&other, &all).await.unwrap(), ["b"]);
    assert_eq!(stand_in.store().collection_names().await.unwrap(), ["notes"]);
    assert!(store("one").collection_names().await.unwrap().is_empty());
}

#[tokio::test]
async fn deletion_without_a_namespace_keeps_other_namespaces() {
    let stand_in = StandIn::start(Behavior::default());
    let plain = notes(&stand_in.store()).await;
    let acme = notes(&in_namespace(&stand_in, "acme")).await;
    for collection in [&plain, &acme] {
        collection.upsert(vec![record(json!({ "id": "a" }))]).await.unwrap();
    }
    let globex = notes(&in_namespace(&stand_in, "globex")).await;
    stand_in.seen();
    plain.delete_collection().await.unwrap();
    let last = stand_in.seen().pop().unwrap();
    assert_eq!((last.path.as_str(), last.body), ("/vectors/delete", json!({ "deleteAll": true })));
    let all = VectorSearchOptions::top(5);
    assert!(search(&plain, &all).await.unwrap().is_empty());
    assert_eq!(search(&acme, &all).await.unwrap(), ["a"]);
    assert!(globex.exists().await.unwrap());
    acme.delete_collection().await.unwrap();
    globex.delete_collection().await.unwrap();
    plain.delete_collection().await.unwrap();
    assert!(!plain.exists().await.unwrap());
}

#[tokio::test]
async fn an_index_deleted_after_its_description_counts_as_missing() {
    let stand_in = StandIn::start(Behavior::default());
    let acme = in_namespace(&stand_in, "acme");
    let collection = notes(&acme).await;
    let [list, description] = stand_in.described("notes");
    stand_in.delete_indexes();
    stand_in.answer_next(list);
    assert!(acme.collection_names().await.unwrap().is_empty());
    stand_in.answer_next(description.clone());
    assert!(!collection.exists().await.unwrap());
    stand_in.answer_next(description.clone());
    collection.delete_collection().await.unwrap();
    stand_in.answer_next(description);
    collection.ensure_exists().await.unwrap();
    assert!(collection.exists().await.unwrap());
}

#[tokio::test]
async fn emptying_an_empty_default_namespace_succeeds() {
    let stand_in = StandIn::start(Behavior::default());
    let acme = notes(&in_namespace(&stand_in, "acme")).await;
    notes(&stand_in.store()).await.delete_collection().await.unwrap();
    assert!(acme.exists().await.unwrap());
}

#[tokio::test]
async fn an_index_of_another_program_is_not_deleted() {
    let stand_in = StandIn::start(Behavior::default());
    for store in [stand_in.store(), in_namespace(&stand_in, "acme")] {
        let notes = notes(&store).await;
        notes.upsert(vec![record(json!({ "id": "a" }))]).await.unwrap();
        stand_in.remove_tags();
        let error = notes.delete_collection().await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }), "{error}");
        assert!(error.message().contains("`notes`, an index that another program"), "{error}");
        assert_eq!(search(&notes, &VectorSearchOptions::top(5)).await.unwrap(), ["a"]);
    }
}
