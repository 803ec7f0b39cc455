//! Full text by Postgres: the whole suite of vector stores, and what only this ranking does.

use serde_json::json;
use textsearch_conformance::{
    core::{
        ErrorKind, Filter, Result,
        vector::{
            DataField, Distance, RecordDefinition, StoredRecord, VectorCollection,
            VectorSearchOptions, VectorStore,
        },
    },
    vector::{VectorCapabilities, VectorFeature},
};
use textsearch_pgvector::{FullTextRanking, PgVectorStore};

use crate::{Created, config, sql};

async fn store() -> Result<PgVectorStore> {
    let config = config().with_full_text_ranking(FullTextRanking::TsRank);
    PgVectorStore::connect(config).await
}

textsearch_conformance::vector_suite!(
    store,
    VectorCapabilities::default()
        .without_distance(Distance::Hamming)
        .without_distance(Distance::Jaccard)
        .without(VectorFeature::MixedKinds)
        .without(VectorFeature::MeanLengths)
);

fn definition(language: &str) -> RecordDefinition {
    RecordDefinition::new("id")
        .with_data(DataField::string("text").full_text_in(language))
        .with_data(DataField::strings("tags").filterable())
}

async fn search_keys(
    collection: &dyn VectorCollection,
    text: &str,
    options: &VectorSearchOptions,
) -> Vec<String> {
    let results = collection.full_text_search(text, options).await.unwrap();
    let results = results.into_vec().await.unwrap();
    results.iter().map(|scored| scored.record.key.to_string()).collect()
}

#[tokio::test]
async fn postgres_splits_texts_in_their_language() {
    let created = Created::new("ts-rank").await;
    let definition = definition("de");
    let name = created.name();
    let collection = store().await.unwrap().stored_collection(name, definition.clone()).unwrap();
    collection.ensure_exists().await.unwrap();
    let texts =
        [("a", "die Katzen und Hunde"), ("b", "Katze"), ("c", "C:\\dir it's a.example/c?x=1&y=2")];
    let records = texts.map(|(key, text)| {
        let data = json!({ "id": key, "text": text, "tags": [key] });
        StoredRecord::new(data.as_object().cloned().unwrap(), &definition).unwrap()
    });
    collection.upsert(records.into()).await.unwrap();
    let options = VectorSearchOptions::top(10);
    assert_eq!(search_keys(collection.as_ref(), "Kätzchen Katzen", &options).await, ["b", "a"]);
    assert_eq!(search_keys(collection.as_ref(), "C:\\dir", &options).await, ["c"]);
    assert_eq!(search_keys(collection.as_ref(), "a.example/c?x=1&y=2", &options).await, ["c"]);
    let tagged = options.clone().with_filter(Filter::contains("tags", "a"));
    assert_eq!(search_keys(collection.as_ref(), "Kätzchen Katzen", &tagged).await, ["a"]);
    let opened = created.store.with_settings_of(name).await.unwrap();
    let definition = opened.existing_definition(name).await.unwrap();
    let opened = opened.stored_collection(name, definition).unwrap();
    opened.ensure_exists().await.unwrap();
    assert_eq!(search_keys(opened.as_ref(), "Kätzchen Katzen", &options).await, ["b", "a"]);
    let column = "SELECT textsearch_ts_text FROM";
    assert_eq!(sql(&format!("{column} \"{name}\" WHERE id = 'b'")).await, ["'katz':1"]);
}

#[tokio::test]
async fn a_language_that_postgres_lacks_is_refused() {
    let error = store().await.unwrap().stored_collection("docs", definition("az")).err().unwrap();
    assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }), "{error}");
    assert!(error.message().contains("`az`"), "{error}");
}

#[tokio::test]
async fn a_collection_of_another_ranking_is_refused() {
    let created = Created::new("other-ranking").await;
    let handle =
        |store: &PgVectorStore| store.stored_collection(created.name(), definition("en")).unwrap();
    handle(&created.store).ensure_exists().await.unwrap();
    let error = handle(&store().await.unwrap()).ensure_exists().await.unwrap_err();
    assert!(error.message().contains("Terms, as in the table"), "{error}");
}
