//! Creating, changing and deleting collections.

use serde_json::json;
use textsearch_core::Filter;
use textsearch_core::vector::{
    DataField, Distance, KeyKind, RecordDefinition, ScanOptions, VectorField, VectorSearchOptions,
    VectorStore,
};
use textsearch_vector_inmemory::InMemoryVectorStore;

use crate::support::{create, definition, get, keys, option_of, record, scanned};

#[tokio::test]
async fn clones_and_handles_share_the_records() {
    let store = InMemoryVectorStore::new();
    let first = create(&store, "docs", definition()).await;
    let second = store.clone().stored_collection("docs", definition()).unwrap();
    first.upsert(vec![record("a", json!({ "year": 1 }))]).await.unwrap();
    assert_eq!(get(&second, "a").await.unwrap().data["year"], 1);
    assert_eq!(
        (second.name(), second.store_name(), store.name()),
        ("docs", "inmemory", "inmemory")
    );
    assert_eq!(format!("{store:?}"), r#"InMemoryVectorStore { collections: ["docs"] }"#);
}

#[tokio::test]
async fn invalid_definition_is_refused() {
    let store = InMemoryVectorStore::new();
    let twice = definition().with_data(DataField::string("title"));
    assert!(store.stored_collection("docs", twice).is_err());
    assert_eq!(option_of(&store.stored_collection("", definition()).err().unwrap()), "name");
}

#[tokio::test]
async fn compatible_change_of_definition_is_applied() {
    let store = InMemoryVectorStore::new();
    let bare = RecordDefinition::new("id").with_vector(VectorField::new("embedding", 2));
    let old = create(&store, "docs", bare.clone()).await;
    let data = json!({ "title": "Running water", "year": 2020 });
    old.upsert(vec![record("a", data).with_vector("embedding", vec![3.0, 4.0])]).await.unwrap();
    assert!(old.scan(&ScanOptions::default().with_filter(Filter::eq("year", 2020))).await.is_err());

    let richer = bare
        .with_data(DataField::string("title").full_text_in("en"))
        .with_data(DataField::integer("year").filterable())
        .with_vector(VectorField::new("second", 3))
        .with_name_field("title");
    let new = create(&store, "docs", richer).await;
    let by_year = ScanOptions::default().with_filter(Filter::eq("year", 2020));
    assert_eq!(scanned(&new, &by_year).await, ["a"]);
    assert_eq!(
        keys(new.full_text_search("runs", &VectorSearchOptions::default()).await).await,
        ["a"]
    );
    assert_eq!(get(&new, "a").await.unwrap().vectors["embedding"].as_ref(), [3.0, 4.0]);
    assert_eq!(scanned(&old, &by_year).await, ["a"]);
}

#[tokio::test]
async fn roles_and_descriptions_can_change() {
    let store = InMemoryVectorStore::new();
    create(&store, "docs", definition())
        .await
        .upsert(vec![record("a", json!({ "title": "T" }))])
        .await
        .unwrap();
    let collection = create(&store, "docs", definition().with_name_field("title")).await;
    let results = collection.full_text_search("t", &VectorSearchOptions::default()).await.unwrap();
    let results = results.into_vec().await.unwrap();
    let result = textsearch_core::TextSearchRecord::to_result(&results[0]);
    assert_eq!(result.name.as_deref(), Some("T"));
}

#[tokio::test]
async fn incompatible_definition_error_names_the_field() {
    let store = InMemoryVectorStore::new();
    let base = || RecordDefinition::new("id");
    let vector = VectorField::new("embedding", 2);
    create(&store, "docs", base().with_vector(vector.clone())).await;
    let lacking = store.stored_collection("docs", base()).unwrap();
    assert_eq!(option_of(&lacking.ensure_exists().await.unwrap_err()), "definition.embedding");
    lacking.upsert(vec![]).await.unwrap();
    let changes = [
        (base().with_vector(VectorField::new("embedding", 3)), "embedding"),
        (base().with_vector(vector.clone().with_distance(Distance::Hamming)), "embedding"),
        (base().with_vector(vector.clone()).with_key_kind(KeyKind::Integer), "id"),
        (RecordDefinition::new("key").with_vector(vector), "key"),
    ];
    for (definition, field) in changes {
        let collection = store.stored_collection("docs", definition).unwrap();
        let error = collection.ensure_exists().await.unwrap_err();
        assert_eq!(option_of(&error), format!("definition.{field}"));
        assert!(collection.upsert(vec![]).await.is_err(), "nor can such a handle be used");
    }
}
