//! Stored records, refused records, and that a refused batch changes nothing.

use serde_json::{Value, json};
use textsearch_core::vector::{
    DataField, Distance, GetOptions, KeyKind, RecordDefinition, RecordKey, ScanOptions,
    StoredRecord, VectorField, VectorSearchOptions,
};
use textsearch_core::{ErrorKind, Filter};

use crate::support::{collection, definition, get, keys, object, point, record, scanned};

#[tokio::test]
async fn record_round_trips() {
    let collection = collection(definition()).await;
    let data = json!({
        "title": "Ü \u{0} \"", "year": 2020, "tags": ["a", "b"], "extra": { "deep": [1, 2.5, null, -0.0] },
        "large": u64::MAX, "tiny": 5e-324, "third": 0.1 + 0.2,
    });
    let written = record("a", data).with_vector("embedding", vec![f32::MIN_POSITIVE, -0.0]);
    collection.upsert(vec![written.clone()]).await.unwrap();
    let stored = get(&collection, "a").await.unwrap();
    assert_eq!(stored, written);
    let bits: Vec<u32> =
        stored.vectors["embedding"].iter().map(|element| element.to_bits()).collect();
    assert_eq!(bits, [f32::MIN_POSITIVE.to_bits(), (-0.0_f32).to_bits()]);
}

#[tokio::test]
async fn records_are_copied_in_and_out() {
    let collection = collection(definition()).await;
    collection.upsert(vec![record("a", json!({ "year": 1 }))]).await.unwrap();
    let mut copy = get(&collection, "a").await.unwrap();
    copy.data.insert("year".to_owned(), json!(2));
    assert_eq!(get(&collection, "a").await.unwrap().data["year"], 1);
}

#[tokio::test]
async fn vectors_are_returned_only_on_request() {
    let collection = collection(definition()).await;
    collection.upsert(vec![point("a", &[1.0, 2.0])]).await.unwrap();
    let keys = [RecordKey::from("a")];
    let without = collection.get(&keys, &GetOptions::default()).await.unwrap();
    assert!(without[0].vectors.is_empty());
    let with = collection.get(&keys, &GetOptions::default().with_vectors(true)).await.unwrap();
    assert_eq!(with[0].vectors["embedding"].as_ref(), [1.0, 2.0]);
}

#[tokio::test]
async fn record_fully_replaces_the_one_with_its_key() {
    let collection = collection(definition()).await;
    collection.upsert(vec![point("a", &[1.0, 2.0])]).await.unwrap();
    collection.upsert(vec![record("a", json!({ "title": "new" }))]).await.unwrap();
    let stored = get(&collection, "a").await.unwrap();
    assert!(stored.vectors.is_empty());
    assert_eq!(stored.data, object(json!({ "id": "a", "title": "new" })));
    assert_eq!(scanned(&collection, &ScanOptions::default()).await, ["a"]);
}

#[tokio::test]
async fn last_record_of_a_key_in_a_batch_wins() {
    let collection = collection(definition()).await;
    let titled = |id, title: &str| record(id, json!({ "title": title }));
    let batch = vec![titled("a", "apple"), titled("b", "berry"), titled("a", "cherry")];
    collection.upsert(batch).await.unwrap();
    assert_eq!(get(&collection, "a").await.unwrap().data["title"], "cherry");
    let options = VectorSearchOptions::default();
    assert!(keys(collection.full_text_search("apple", &options).await).await.is_empty());
    assert_eq!(keys(collection.full_text_search("cherry", &options).await).await, ["a"]);
}

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
async fn zero_vector_is_stored_if_its_distance_allows() {
    for distance in Distance::ALL.into_iter().filter(|distance| !distance.needs_direction()) {
        let collection = crate::support::points(distance, &[("a", &[0.0, 0.0])]).await;
        assert!(get(&collection, "a").await.is_some(), "{distance:?}");
    }
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
async fn uuid_is_found_and_deleted_in_any_spelling() {
    const CANONICAL: &str = "67e55044-10b1-426f-9247-bb680e5fe0c8";
    let definition = RecordDefinition::new("id").with_key_kind(KeyKind::Uuid);
    let collection = collection(definition.clone()).await;
    let upper = CANONICAL.to_uppercase();
    let record = StoredRecord::new(object(json!({ "id": upper })), &definition).unwrap();
    collection.upsert(vec![record]).await.unwrap();
    let records = collection.get(&[upper.as_str().into()], &GetOptions::default()).await.unwrap();
    assert_eq!(records[0].key, CANONICAL.into());
    collection.delete(&[upper.into()]).await.unwrap();
    assert_eq!(scanned(&collection, &ScanOptions::default()).await, Vec::<String>::new());
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
async fn value_of_another_type_is_stored_and_filtered_as_such() {
    let collection = collection(definition()).await;
    collection.upsert(vec![record("a", json!({ "year": "2020", "title": 7 }))]).await.unwrap();
    let matching = |filter| ScanOptions::default().with_filter(filter);
    assert!(scanned(&collection, &matching(Filter::eq("year", 2020))).await.is_empty());
    assert_eq!(scanned(&collection, &matching(Filter::eq("year", "2020"))).await, ["a"]);
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

#[tokio::test]
async fn deleting_by_an_unknown_field_deletes_nothing() {
    let collection = collection(definition().with_data(DataField::string("plain"))).await;
    collection.upsert(vec![record("a", json!({}))]).await.unwrap();
    for field in ["plain", "nowhere"] {
        let error = collection.delete_matching(&Filter::ne(field, 1)).await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::UnsupportedFilter { .. }));
    }
    assert!(get(&collection, "a").await.is_some());
}
