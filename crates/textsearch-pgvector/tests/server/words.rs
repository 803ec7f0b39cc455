//! Search by words: statistics, and tables made by another analysis.

use serde_json::json;
use textsearch_conformance::core::vector::{
    DataField, RecordDefinition, StoredRecord, VectorCollection, VectorSearchOptions, VectorStore,
};

use crate::{Created, sql};

fn definition() -> RecordDefinition {
    RecordDefinition::new("id").with_data(DataField::string("text").full_text())
}

async fn filled(created: &Created, texts: &[&str]) -> std::sync::Arc<dyn VectorCollection> {
    let definition = definition();
    let collection = created.store.stored_collection(created.name(), definition.clone()).unwrap();
    collection.ensure_exists().await.unwrap();
    let records = texts.iter().enumerate().map(|(number, text)| {
        let data = json!({ "id": format!("{number}"), "text": text });
        StoredRecord::new(data.as_object().cloned().unwrap(), &definition).unwrap()
    });
    collection.upsert(records.collect()).await.unwrap();
    collection
}

async fn score(collection: &dyn VectorCollection, text: &str) -> f64 {
    let results = collection.full_text_search(text, &VectorSearchOptions::top(1)).await.unwrap();
    results.into_vec().await.unwrap()[0].score
}

#[tokio::test]
async fn large_tables_are_not_counted() {
    let created = Created::new("large").await;
    let collection = filled(&created, &["apple", "pear", "plum", ""]).await;
    let counted = score(collection.as_ref(), "apple").await;
    sql(&format!(
        "UPDATE pg_class SET reltuples = 1000000 WHERE oid = '\"{}\"'::regclass",
        created.name()
    ))
    .await;
    let estimated = score(collection.as_ref(), "apple").await;
    // The weight of the word cancels out.
    let rarity = |texts: f64| (1.0 + (texts - 1.0 + 0.5) / 1.5).ln();
    let expected = counted * rarity(1_000_000.0) / rarity(3.0);
    assert!((estimated - expected).abs() < 1e-9, "{estimated} for {expected}");
}

#[tokio::test]
async fn a_failed_upsert_leaves_the_terms() {
    let created = Created::new("whole").await;
    let collection = filled(&created, &["apple"]).await;
    let name = created.name();
    sql(&format!("ALTER TABLE \"{name}\" ADD CHECK (id <> 'refused')")).await;
    let records = ["0", "refused"].map(|key| {
        let data = json!({ "id": key, "text": "pear" });
        StoredRecord::new(data.as_object().cloned().unwrap(), &definition()).unwrap()
    });
    assert!(collection.upsert(records.into()).await.is_err());
    let options = VectorSearchOptions::top(10).with_total_count(true);
    for (text, count) in [("apple", 1), ("pear", 0)] {
        let results = collection.full_text_search(text, &options).await.unwrap();
        assert_eq!(results.total_count().map(|count| count.value()), Some(count), "{text}");
    }
}

#[tokio::test]
async fn terms_of_another_analysis_are_refused() {
    let created = Created::new("analysis").await;
    let collection = filled(&created, &["apple"]).await;
    let name = created.name();
    let comment = sql(&format!("SELECT obj_description('\"{name}\"'::regclass)")).await;
    let other = comment[0].replace("\"analyzer\":1", "\"analyzer\":99");
    assert_ne!(other, comment[0]);
    sql(&format!("COMMENT ON TABLE \"{name}\" IS '{other}'")).await;
    let error = collection.ensure_exists().await.unwrap_err();
    assert!(error.message().contains("version 99"), "{error}");
}
