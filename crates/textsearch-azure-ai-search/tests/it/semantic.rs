//! The semantic ranker.

use serde_json::json;
use textsearch_azure_ai_search::{
    AzureSearchStore, ErrorKind, Filter,
    vector::{
        Collection, DataField, Fusion, RecordDefinition, VectorField, VectorSearchOptions,
        VectorStoreExt as _,
    },
};

use crate::{
    service::Standin,
    support::{config, record},
};

const QUERY: [f32; 2] = [1.0, 0.0];

fn definition() -> RecordDefinition {
    RecordDefinition::new("id")
        .with_data(DataField::string("title").full_text().filterable())
        .with_data(DataField::string("body").full_text())
        .with_vector(VectorField::new("embedding", 2))
        .with_name_field("title")
}

async fn ranked() -> (Standin, Collection) {
    let standin = Standin::start();
    let config = config(&standin).with_semantic_configuration("default");
    let store = AzureSearchStore::new(config).unwrap();
    let notes = store.dynamic_collection("notes", definition()).unwrap();
    notes.ensure_exists().await.unwrap();
    let records = (0..60_usize).map(|number| {
        let body = "river ".repeat(60 - number);
        let record = record(&format!("{number:02}"), json!({ "title": "a", "body": body }));
        record.with_vector("embedding", QUERY)
    });
    notes.upsert(records.collect::<Vec<_>>()).await.unwrap();
    (standin, notes)
}

#[tokio::test]
async fn the_ranker_orders_searches_by_words() {
    let (standin, notes) = ranked().await;
    let options = VectorSearchOptions::top(3);
    let results =
        notes.full_text_search("river", &options).await.unwrap().into_vec().await.unwrap();
    assert_eq!(results.iter().map(|scored| scored.score).collect::<Vec<_>>(), [4.0, 3.98, 3.96]);
    let body = standin.bodies("search.post.search").pop().unwrap();
    assert_eq!(body["queryType"], "semantic");
    assert_eq!(body["semanticConfiguration"], "default");
    let index = standin.bodies("/indexes('notes')").into_iter().find(|body| !body.is_null());
    let fields = json!({
        "titleField": { "fieldName": "title" },
        "prioritizedContentFields": [{ "fieldName": "body" }],
    });
    assert_eq!(index.unwrap()["semantic"]["configurations"][0]["prioritizedFields"], fields);
}

#[tokio::test]
async fn the_ranker_orders_hybrid_searches_but_not_vectors() {
    let (standin, notes) = ranked().await;
    let options = VectorSearchOptions::top(2).with_fusion(Fusion::reciprocal_rank(60));
    let results = notes.hybrid_search("river", Some(QUERY.into()), &options).await.unwrap();
    assert_eq!(results.into_vec().await.unwrap()[0].score, 4.0);
    notes.search(&QUERY[..], &options).await.unwrap();
    let body = standin.bodies("search.post.search").pop().unwrap();
    assert!(body.get("queryType").is_none(), "{body}");
}

#[tokio::test]
async fn windows_beyond_the_ranker_are_refused() {
    let (_standin, notes) = ranked().await;
    let whole = notes.full_text_search("river", &VectorSearchOptions::top(50)).await.unwrap();
    assert_eq!(whole.into_vec().await.unwrap().len(), 50);
    let options = VectorSearchOptions::top(10).with_skip(45);
    let error = notes.full_text_search("river", &options).await.unwrap_err();
    assert!(error.message().contains("best 50 records"), "{error}");
}

#[tokio::test]
async fn filters_that_the_service_lacks_are_refused_with_the_ranker() {
    let (_standin, notes) = ranked().await;
    let options = VectorSearchOptions::top(3).with_filter(Filter::starts_with("title", "a"));
    let error = notes.full_text_search("river", &options).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::UnsupportedFilter { .. }), "{error:?}");
}

#[tokio::test]
async fn an_index_without_the_configuration_does_not_fit() {
    let standin = Standin::start();
    let plain = AzureSearchStore::new(config(&standin)).unwrap();
    plain.dynamic_collection("notes", definition()).unwrap().ensure_exists().await.unwrap();
    let config = config(&standin).with_semantic_configuration("default");
    let ranked = AzureSearchStore::new(config).unwrap();
    let notes = ranked.dynamic_collection("notes", definition()).unwrap();
    let error = notes.ensure_exists().await.unwrap_err();
    assert!(error.message().contains("semantic_configuration"), "{error}");
}
