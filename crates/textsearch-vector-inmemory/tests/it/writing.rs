//! Stored records, refused records, and that a refused batch changes nothing.

use serde_json::{Value, json};
use textsearch_core::vector::{
    RecordDefinition, RecordKey, ScanOptions, StoredRecord, VectorField, VectorSearchOptions,
};
use textsearch_core::{ErrorKind, Filter};

use crate::support::{collection, definition, get, keys, point, record, scanned};

/// The second record of the batch is `bad`. Asserts that the first was not stored.
async fn refusal(definition: RecordDefinition, bad: StoredRecord) -> String {
    let collection = collection(definition).await;
    let error = collection.upsert(vec![record("good", json!({})), bad.clone()]).await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::invalid_record(bad.key.to_string()));
    assert!(scanned(&collection, &ScanOptions::default()).await.is_empty());
    error.message().to_owned()
}

#[tokio::test]
async fn wrong_vector_error_names_found_and_expected() {
    let message = refusal(definition(), point("bad", &[1.0])).await;
    let expected = "the record `bad` cannot be stored: its vector `embedding` has 1 dimensions: expected are 2";
    assert_eq!(message, expected);
    let message = refusal(definition(), point("bad", &[1.0, f32::NAN])).await;
    assert!(
        message
            .ends_with("its vector `embedding` holds NaN at index 1: expected are finite numbers")
    );
    let message = refusal(definition(), point("bad", &[f32::NEG_INFINITY, 1.0])).await;
    assert!(message.ends_with("holds -inf at index 0: expected are finite numbers"));
    let cosine = RecordDefinition::new("id").with_vector(VectorField::new("embedding", 2));
    let message = refusal(cosine, point("bad", &[0.0, -0.0])).await;
    assert!(message.contains("`embedding` is all zeros: expected is a direction"), "{message}");
    let message =
        refusal(definition(), record("bad", json!({})).with_vector("other", vec![1.0])).await;
    assert!(message.ends_with("it has a vector `other`: expected is embedding"), "{message}");
}

#[tokio::test]
async fn invalid_key_is_refused() {
    let changed = |change: fn(&mut StoredRecord)| {
        let mut record = record("bad", json!({}));
        change(&mut record);
        record
    };
    let message = refusal(definition(), changed(|record| drop(record.data.remove("id")))).await;
    assert!(message.ends_with("its data do not hold `id`: expected is \"bad\""), "{message}");
    let other = changed(|record| drop(record.data.insert("id".to_owned(), json!("else"))));
    let message = refusal(definition(), other).await;
    assert!(message.ends_with("its data hold \"else\" as `id`: expected is \"bad\""), "{message}");
    let message = refusal(definition(), changed(|record| record.key = RecordKey::from(7))).await;
    assert!(message.contains("its key `id` must be text that is not empty"), "{message}");
    let empty = changed(|record| {
        record.key = RecordKey::from("");
        record.data.insert("id".to_owned(), json!(""));
    });
    assert!(
        refusal(definition(), empty).await.contains("its key `id` must be text that is not empty")
    );
}

#[tokio::test]
async fn unreadable_data_is_refused() {
    let message = refusal(definition(), record("bad", json!({ "embedding": [1.0, 2.0] }))).await;
    assert!(
        message.contains("its data hold `embedding`: expected is the vector among"),
        "{message}"
    );
    let deep = (0..200).fold(Value::Null, |inner, _| json!([inner]));
    let message = refusal(definition(), record("bad", json!({ "deep": deep }))).await;
    assert!(message.contains("`deep` is nested too deeply"), "{message}");
    let collection = collection(definition()).await;
    let deep = (0..100).fold(Value::Null, |inner, _| json!({ "a": inner }));
    collection.upsert(vec![record("a", json!({ "deep": deep }))]).await.unwrap();
    assert_eq!(get(&collection, "a").await.unwrap().data["deep"], deep);
}

#[tokio::test]
async fn deleted_records_are_gone_and_rows_reused() {
    let collection = collection(definition()).await;
    let batch = |name: &str, count: usize| -> Vec<StoredRecord> {
        let record = |number| {
            record(
                &format!("{name}{number}"),
                json!({ "title": format!("word{number}"), "year": number }),
            )
        };
        (0..count).map(record).collect()
    };
    collection.upsert(batch("a", 3000)).await.unwrap();
    let gone: Vec<RecordKey> = (0..10).map(|number| format!("a{number}").into()).collect();
    collection.delete(&gone).await.unwrap();
    collection.delete(&gone).await.unwrap();
    collection.delete_matching(&Filter::ge("year", 20)).await.unwrap();
    assert_eq!(scanned(&collection, &ScanOptions::default()).await.len(), 10);
    collection.upsert(batch("b", 2500)).await.unwrap();
    assert_eq!(scanned(&collection, &ScanOptions::default()).await.len(), 2510);
    let options = VectorSearchOptions::default();
    assert_eq!(keys(collection.full_text_search("word15", &options).await).await, ["a15", "b15"]);
    assert_eq!(keys(collection.full_text_search("word5", &options).await).await, ["b5"]);
}
