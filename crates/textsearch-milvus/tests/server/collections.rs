//! Names, definitions, and values at the ends of their range.

use serde_json::json;
use textsearch_conformance::core::{
    ErrorKind, Filter,
    vector::{
        DataField, DataKind, KeyKind, RecordDefinition, ScanOptions, VectorField, VectorStore as _,
    },
};
use textsearch_milvus::{ConsistencyLevel, MilvusStore};

use crate::{Created, config, record};

#[tokio::test]
async fn strange_names_are_kept() {
    let created = Created::new("Ünï “x”").await;
    let definition = RecordDefinition::new("my key")
        .with_data(DataField::string("like").filterable())
        .with_data(DataField::integer("a b").filterable())
        .with_data(DataField::integer("a_20_b").filterable())
        .with_data(DataField::new("_seq", DataKind::Boolean).filterable())
        .with_vector(VectorField::new("ISO", 2))
        .with_vector(VectorField::new("ünï", 2));
    let collection = created.store.stored_collection(created.name(), definition.clone()).unwrap();
    collection.ensure_exists().await.unwrap();
    let data =
        json!({ "my key": "a\"\\\n", "like": "%\"\\_", "a b": 1, "a_20_b": 2, "_seq": true });
    let stored = record(&definition, data);
    let stored = stored.with_vector("ISO", [1.0, 0.0]).with_vector("ünï", [0.0, 1.0]);
    collection.upsert(vec![stored.clone()]).await.unwrap();
    for filter in [
        Filter::eq("my key", "a\"\\\n"),
        Filter::eq("like", "%\"\\_"),
        Filter::contains("like", "\"\\"),
        Filter::starts_with("like", "%"),
        Filter::eq("a b", 1).and(Filter::eq("a_20_b", 2)),
        Filter::eq("_seq", true),
    ] {
        let options = ScanOptions::default().with_filter(filter.clone()).with_vectors(true);
        let records = collection.scan(&options).await.unwrap().into_vec().await.unwrap();
        assert_eq!(records, std::slice::from_ref(&stored), "{filter}");
    }
    assert!(created.store.collection_names().await.unwrap().contains(&created.name().to_owned()));
    collection.delete_collection().await.unwrap();
}

#[tokio::test]
async fn integers_at_the_ends_of_their_range_are_found() {
    let created = Created::new("ends").await;
    let definition = RecordDefinition::new("id")
        .with_key_kind(KeyKind::Integer)
        .with_data(DataField::integer("year").filterable());
    let collection = created.store.stored_collection(created.name(), definition.clone()).unwrap();
    collection.ensure_exists().await.unwrap();
    let keys = [0, 1 << 63, u64::MAX];
    let years = [i64::MIN, 0, i64::MAX];
    let records = keys.iter().zip(years);
    let records =
        records.map(|(key, year)| record(&definition, json!({ "id": key, "year": year })));
    collection.upsert(records.collect()).await.unwrap();
    for (key, year) in keys.into_iter().zip(years) {
        let read = collection.get(&[key.into()], &Default::default()).await.unwrap();
        assert_eq!(read[0].data["year"], json!(year));
        let filters = [Filter::eq("year", year), Filter::is_in("year", [year])];
        for filter in filters {
            let options = ScanOptions::default().with_filter(filter.clone());
            let records = collection.scan(&options).await.unwrap().into_vec().await.unwrap();
            assert_eq!(records.len(), 1, "{filter}");
            assert_eq!(records[0].key, key.into(), "{filter}");
        }
    }
    collection.delete(&keys.map(Into::into)).await.unwrap();
    assert!(
        collection
            .scan(&ScanOptions::default())
            .await
            .unwrap()
            .into_vec()
            .await
            .unwrap()
            .is_empty()
    );
    collection.delete_collection().await.unwrap();
}

#[tokio::test]
async fn a_changed_definition_is_refused_with_the_field() {
    let created = Created::new("changed").await;
    let text = |field: DataField| RecordDefinition::new("id").with_data(field);
    let handle = |definition: RecordDefinition| {
        created.store.stored_collection(created.name(), definition).unwrap()
    };
    let first = handle(text(DataField::string("text").full_text_in("en")));
    first.ensure_exists().await.unwrap();
    let error = handle(text(DataField::string("text").full_text())).ensure_exists().await;
    let error = error.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }), "{error}");
    assert!(error.message().contains("text"), "{error}");
    first.ensure_exists().await.unwrap();
    first.delete_collection().await.unwrap();
}

#[tokio::test]
async fn each_level_of_consistency_is_accepted() {
    let created = Created::new("levels").await;
    let definition = RecordDefinition::new("id");
    for level in ConsistencyLevel::ALL {
        let store = MilvusStore::new(config().with_consistency_level(level)).unwrap();
        let collection = store.stored_collection(created.name(), definition.clone()).unwrap();
        collection.ensure_exists().await.unwrap();
        collection.upsert(vec![record(&definition, json!({ "id": "a" }))]).await.unwrap();
        assert_eq!(collection.get(&["a".into()], &Default::default()).await.unwrap().len(), 1);
        collection.delete_collection().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_can_create_a_collection_at_once() {
    let created = Created::new("at once").await;
    let collection =
        created.store.stored_collection(created.name(), RecordDefinition::new("id")).unwrap();
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            let collection = std::sync::Arc::clone(&collection);
            tokio::spawn(async move { collection.ensure_exists().await })
        })
        .collect();
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    collection.delete_collection().await.unwrap();
}

#[tokio::test]
async fn an_unknown_database_is_an_error() {
    let store = MilvusStore::new(config().with_database("nowhere")).unwrap();
    let error = store.collection_names().await.unwrap_err();
    assert!(error.message().contains("nowhere"), "{error}");
}
