//! Storage, retrieval and deletion of records.

use serde_json::json;
use textsearch_core::{
    Filter,
    vector::{GetOptions, RecordKey, StoredRecord},
};

use crate::vector::{
    VectorSubject,
    fixture::{
        TestCollection, all, definition, direction, keys, object, record, refused_filter,
        sorted_keys,
    },
};

/// More than any store's page or request takes.
const MANY: usize = 1_500;

/// Keys may repeat. Unknown ones are left out.
pub(crate) async fn records_are_read_in_the_order_of_their_keys(subject: &VectorSubject) {
    let docs = subject.collection(definition(subject)).await;
    docs.upsert(["a", "b", "c"].map(|key| record(key, json!({}))).into()).await;
    let asked = ["c", "unknown", "a", "c"].map(RecordKey::from);
    let found = docs.collection.get(&asked, &GetOptions::default()).await;
    let found = found.expect("records are read");
    let found: Vec<String> = found.iter().map(|record| record.key.to_string()).collect();
    assert_eq!(found, ["c", "a", "c"]);
    let none = docs.collection.get(&[], &GetOptions::default()).await.expect("nothing is read");
    assert!(none.is_empty());
}

/// No old field remains.
pub(crate) async fn a_record_replaces_the_one_of_its_key_wholly(subject: &VectorSubject) {
    let docs = subject.collection(definition(subject)).await;
    let old = record("a", json!({ "title": "old", "year": 2020 }));
    docs.upsert(vec![old.with_vector("embedding", direction(0))]).await;
    docs.upsert(vec![record("a", json!({ "title": "new" }))]).await;
    let found = docs.get("a").await.expect("the record is there");
    assert_eq!(found.data, object(json!({ "id": "a", "title": "new" })));
    assert!(found.vectors.is_empty(), "the old vector is left: {:?}", found.vectors);
    assert_eq!(docs.keys().await, ["a"]);
    assert!(docs.filtered(Filter::eq("year", 2020)).await.is_empty(), "an old field is found");
    assert!(docs.nearest(&direction(0), &all()).await.is_empty(), "the old vector is found");
    if subject.capabilities.full_text {
        assert!(docs.worded("old", &all()).await.is_empty(), "an old word is found");
        assert_eq!(keys(&docs.worded("new", &all()).await), ["a"]);
    }
}

/// The last one wins.
pub(crate) async fn the_last_of_one_key_in_a_batch_holds(subject: &VectorSubject) {
    let docs = subject.collection(definition(subject)).await;
    let titled = |key, title: &str| record(key, json!({ "title": title }));
    docs.upsert(vec![titled("a", "first"), titled("b", "other"), titled("a", "last")]).await;
    assert_eq!(docs.keys().await, ["a", "b"]);
    let found = docs.get("a").await.expect("the record is there");
    assert_eq!(found.data.get("title"), Some(&json!("last")));
    assert!(docs.filtered(Filter::eq("title", "first")).await.is_empty());
}

/// It stores nothing.
pub(crate) async fn an_empty_batch_is_no_error(subject: &VectorSubject) {
    let docs = subject.collection(definition(subject)).await;
    docs.upsert(Vec::new()).await;
    docs.collection.delete(&[]).await.expect("there is nothing to delete");
    assert!(docs.keys().await.is_empty());
    assert!(docs.nearest(&direction(0), &all()).await.is_empty());
}

/// A scan returns them all.
pub(crate) async fn many_records_are_stored_by_one_call(subject: &VectorSubject) {
    let docs = subject.collection(definition(subject)).await;
    docs.upsert(numbered(MANY)).await;
    let expected: Vec<String> = (0..MANY).map(|number| format!("{number:05}")).collect();
    assert_eq!(docs.keys().await, expected);
    let asked: Vec<RecordKey> = expected.iter().rev().map(|key| key.as_str().into()).collect();
    let found = docs.collection.get(&asked, &GetOptions::default()).await;
    let found: Vec<RecordKey> =
        found.expect("records are read").into_iter().map(|record| record.key).collect();
    assert!(found == asked, "{} records of {}, or in another order", found.len(), asked.len());
}

fn numbered(count: usize) -> Vec<StoredRecord> {
    let one = |number: usize| {
        let data = json!({ "title": format!("record {number}"), "year": number });
        record(&format!("{number:05}"), data)
            .with_vector("embedding", direction(number as u16 % 90))
    };
    (0..count).map(one).collect()
}

/// Deleting unknown keys isn't an error.
pub(crate) async fn deleted_records_are_gone(subject: &VectorSubject) {
    let docs = subject.collection(definition(subject)).await;
    docs.upsert(numbered(20)).await;
    let gone: Vec<RecordKey> = (0..10).map(|number| format!("{number:05}").into()).collect();
    for _ in 0..2 {
        docs.collection.delete(&gone).await.expect("the records are deleted");
        assert_left(subject, &docs, 10..20).await;
    }
    docs.upsert(numbered(1)).await;
    let found = docs.get("00000").await.expect("the record is there again");
    assert_eq!(found.data.get("title"), Some(&json!("record 0")));
}

/// Others stay.
pub(crate) async fn records_are_deleted_by_a_filter(subject: &VectorSubject) {
    let docs = subject.collection(definition(subject)).await;
    docs.upsert(numbered(20)).await;
    let old = Filter::lt("year", 5).or(Filter::ge("year", 15));
    docs.collection.delete_matching(&old).await.expect("the records are deleted");
    assert_left(subject, &docs, 5..15).await;
    docs.collection.delete_matching(&old).await.expect("there is nothing to delete");
    assert_left(subject, &docs, 5..15).await;
}

async fn assert_left(
    subject: &VectorSubject,
    docs: &TestCollection,
    numbers: std::ops::Range<usize>,
) {
    let expected: Vec<String> = numbers.map(|number| format!("{number:05}")).collect();
    assert_eq!(docs.keys().await, expected);
    assert_eq!(sorted_keys(&docs.nearest(&direction(0), &all()).await), expected);
    if subject.capabilities.full_text {
        assert_eq!(sorted_keys(&docs.worded("record", &all()).await), expected);
    }
}

/// The store rejects the filter first.
pub(crate) async fn a_refused_filter_deletes_nothing(subject: &VectorSubject) {
    let docs = subject.collection(definition(subject)).await;
    docs.upsert(numbered(3)).await;
    for field in ["body", "nowhere"] {
        // Would match every record if the store didn't validate fields.
        let filter = Filter::ne(field, "x");
        let named = refused_filter(docs.collection.delete_matching(&filter).await, &filter);
        assert_eq!(named, field);
    }
    assert_eq!(docs.keys().await.len(), 3);
}
