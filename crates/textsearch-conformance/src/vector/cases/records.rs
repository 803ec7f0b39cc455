//! Storage, retrieval and deletion of records, and keys of every kind.

use serde_json::{Value, json};
use textsearch_core::{
    Filter,
    vector::{GetOptions, KeyKind, RecordDefinition, RecordKey, StoredRecord},
};

use crate::vector::{
    VectorFeature, VectorSubject,
    fixture::{
        TestCollection, all, direction, keyed, keys, object, record, refused_filter,
        refused_record, sorted_keys,
    },
};

/// More than any store's page or request takes.
const BATCH: usize = 1_500;

/// Keys may repeat. Unknown ones are left out.
pub(crate) async fn records_are_read_in_the_order_of_their_keys(subject: &VectorSubject) {
    let docs = subject.collection(subject.definition()).await;
    docs.upsert(["a", "b", "c"].map(|key| record(key, json!({}))).into()).await;
    let asked = ["c", "unknown", "a", "c"].map(RecordKey::from);
    let records = docs.collection.get(&asked, &GetOptions::default()).await;
    let records = records.expect("records are read");
    let keys: Vec<String> = records.iter().map(|record| record.key.to_string()).collect();
    assert_eq!(keys, ["c", "a", "c"]);
    let none = docs.collection.get(&[], &GetOptions::default()).await.expect("nothing is read");
    assert!(none.is_empty());
}

/// No old field remains.
pub(crate) async fn a_record_replaces_the_one_of_its_key_wholly(subject: &VectorSubject) {
    let docs = subject.collection(subject.definition()).await;
    let old = record("a", json!({ "title": "old", "year": 2020 }));
    docs.upsert(vec![old.with_vector("embedding", direction(0))]).await;
    docs.upsert(vec![record("a", json!({ "title": "new" }))]).await;
    let stored = docs.get("a").await.expect("the record is there");
    assert_eq!(stored.data, object(json!({ "id": "a", "title": "new" })));
    assert!(stored.vectors.is_empty(), "the old vector is left: {:?}", stored.vectors);
    assert_eq!(docs.keys().await, ["a"]);
    assert!(docs.filtered(Filter::eq("year", 2020)).await.is_empty(), "an old field is found");
    assert!(docs.nearest(&direction(0), &all()).await.is_empty(), "the old vector is found");
    if subject.capabilities.has(VectorFeature::FullText) {
        assert!(docs.worded("old", &all()).await.is_empty(), "an old word is found");
        assert_eq!(keys(&docs.worded("new", &all()).await), ["a"]);
    }
}

/// The last one wins.
pub(crate) async fn the_last_of_one_key_in_a_batch_holds(subject: &VectorSubject) {
    let docs = subject.collection(subject.definition()).await;
    let titled = |key, title: &str| record(key, json!({ "title": title }));
    docs.upsert(vec![titled("a", "first"), titled("b", "other"), titled("a", "last")]).await;
    assert_eq!(docs.keys().await, ["a", "b"]);
    let stored = docs.get("a").await.expect("the record is there");
    assert_eq!(stored.data.get("title"), Some(&json!("last")));
    assert!(docs.filtered(Filter::eq("title", "first")).await.is_empty());
}

/// It stores nothing.
pub(crate) async fn an_empty_batch_is_no_error(subject: &VectorSubject) {
    let docs = subject.collection(subject.definition()).await;
    docs.upsert(Vec::new()).await;
    docs.collection.delete(&[]).await.expect("there is nothing to delete");
    assert!(docs.keys().await.is_empty());
    assert!(docs.nearest(&direction(0), &all()).await.is_empty());
}

/// A scan returns them all.
pub(crate) async fn many_records_are_stored_by_one_call(subject: &VectorSubject) {
    let docs = subject.collection(subject.definition()).await;
    docs.upsert(numbered(BATCH)).await;
    let expected: Vec<String> = (0..BATCH).map(|number| format!("{number:05}")).collect();
    assert_eq!(docs.keys().await, expected);
    let asked: Vec<RecordKey> = expected.iter().rev().map(|key| key.as_str().into()).collect();
    let records = docs.collection.get(&asked, &GetOptions::default()).await;
    let keys: Vec<RecordKey> =
        records.expect("records are read").into_iter().map(|record| record.key).collect();
    assert!(keys == asked, "{} records of {}, or in another order", keys.len(), asked.len());
}

fn numbered(count: usize) -> Vec<StoredRecord> {
    let record_of = |number: usize| {
        let data = json!({ "title": format!("record {number}"), "year": number });
        record(&format!("{number:05}"), data)
            .with_vector("embedding", direction(number as u16 % 90))
    };
    (0..count).map(record_of).collect()
}

/// Deleting unknown keys isn't an error.
pub(crate) async fn deleted_records_are_gone(subject: &VectorSubject) {
    let docs = subject.collection(subject.definition()).await;
    docs.upsert(numbered(20)).await;
    let gone: Vec<RecordKey> = (0..10).map(|number| format!("{number:05}").into()).collect();
    for _ in 0..2 {
        docs.collection.delete(&gone).await.expect("the records are deleted");
        assert_left(subject, &docs, 10..20).await;
    }
    docs.upsert(numbered(1)).await;
    let stored = docs.get("00000").await.expect("the record is there again");
    assert_eq!(stored.data.get("title"), Some(&json!("record 0")));
}

/// Others stay.
pub(crate) async fn records_are_deleted_by_a_filter(subject: &VectorSubject) {
    let docs = subject.collection(subject.definition()).await;
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
    if subject.capabilities.has(VectorFeature::FullText) {
        assert_eq!(sorted_keys(&docs.worded("record", &all()).await), expected);
    }
}

/// The store rejects the filter first.
pub(crate) async fn a_refused_filter_deletes_nothing(subject: &VectorSubject) {
    let docs = subject.collection(subject.definition()).await;
    docs.upsert(numbered(3)).await;
    for field in ["body", "nowhere"] {
        // Would match every record if the store didn't validate fields.
        let filter = Filter::ne(field, "x");
        let named = refused_filter(docs.collection.delete_matching(&filter).await, &filter);
        assert_eq!(named, field);
    }
    assert_eq!(docs.keys().await.len(), 3);
}

const UUID: &str = "67e55044-10b1-426f-9247-bb680e5fe0c8";

/// Alike after trimming, case folding, parsing or splitting.
const TEXTS: [&str; 25] = [
    UUID,
    "67E55044-10B1-426F-9247-BB680E5FE0C8",
    "67e5504410b1426f9247bb680e5fe0c8",
    " ",
    " a",
    "42",
    "042",
    "42.0",
    "../a",
    "A",
    "a",
    "a ",
    "a b",
    "a/b",
    "a\\b",
    "a%2Fb",
    "a\nb",
    "a'; drop table records; --",
    "a\"b",
    "caf\u{e9}",
    "cafe\u{301}",
    "https://example.com/a?b=c&d=e#f",
    "null",
    "日本語🦀",
    "\u{10ffff}",
];

async fn of_kind(subject: &VectorSubject, kind: KeyKind) -> TestCollection {
    subject.collection(RecordDefinition::new("id").with_key_kind(kind)).await
}

/// Different texts are different keys, to read, filter by and delete.
pub(crate) async fn any_text_is_a_key(subject: &VectorSubject) {
    let docs = of_kind(subject, KeyKind::String).await;
    let long = "long ".repeat(400);
    let mut texts: Vec<&str> = TEXTS.into_iter().chain([long.as_str()]).collect();
    let records = texts.iter().map(|text| record(text, json!({ "own": text })));
    docs.upsert(records.collect()).await;
    texts.sort_unstable();
    assert_eq!(docs.keys().await, texts, "not the keys, or not by code point");
    for text in &texts {
        let stored = docs.get(*text).await.unwrap_or_else(|| panic!("{text:?} is not found"));
        assert_eq!(
            (stored.key, stored.data.get("own")),
            (RecordKey::from(*text), Some(&json!(text)))
        );
        assert_eq!(docs.filtered(Filter::eq("id", *text)).await, [*text]);
    }
    docs.collection.delete(&["a".into(), "42".into()]).await.expect("the records are deleted");
    texts.retain(|text| !["a", "42"].contains(text));
    assert_eq!(docs.keys().await, texts);
}

/// Covers the largest, and their order by value.
pub(crate) async fn integers_are_keys(subject: &VectorSubject) {
    let docs = of_kind(subject, KeyKind::Integer).await;
    let numbers = [u64::MAX, 10, 0, 9, 1 << 53, (1 << 53) + 1, i64::MAX as u64 + 1];
    let keyed = |key: u64| keyed(KeyKind::Integer, json!(key), json!({})).expect("it has a key");
    docs.upsert(numbers.map(keyed).into()).await;
    let mut sorted = numbers;
    sorted.sort_unstable();
    let names: Vec<String> = sorted.iter().map(u64::to_string).collect();
    assert_eq!(docs.keys().await, names);
    for number in numbers {
        let stored = docs.get(number).await.unwrap_or_else(|| panic!("{number} is not found"));
        assert_eq!((&stored.key, stored.data.get("id")), (&number.into(), Some(&json!(number))));
    }
    assert_eq!(docs.filtered(Filter::eq("id", 9)).await, ["9"]);
    assert_eq!(docs.filtered(Filter::le("id", 9)).await, ["0", "9"]);
    assert_eq!(docs.filtered(Filter::is_in("id", [10, 11])).await, ["10"]);
    docs.collection.delete(&[u64::MAX.into(), 0.into()]).await.expect("the records are deleted");
    assert_eq!(docs.keys().await.len(), numbers.len() - 2);
}

/// All spellings find the same record.
pub(crate) async fn a_uuid_is_one_key_in_any_spelling(subject: &VectorSubject) {
    let docs = of_kind(subject, KeyKind::Uuid).await;
    let simple = UUID.replace('-', "");
    let spellings =
        [UUID.to_uppercase(), format!("{{{UUID}}}"), format!("urn:uuid:{UUID}"), simple];
    let spelled = |key: &str| keyed(KeyKind::Uuid, json!(key), json!({ "own": key }));
    for spelling in &spellings {
        docs.upsert(vec![spelled(spelling).expect("the record has a key")]).await;
        assert_eq!(docs.keys().await, [UUID], "after {spelling}");
    }
    for spelling in &spellings {
        let stored = docs.get(spelling.as_str()).await.expect("the record is there");
        assert_eq!((stored.key, stored.data.get("id")), (UUID.into(), Some(&json!(UUID))));
    }
    assert_eq!(docs.filtered(Filter::eq("id", UUID)).await, [UUID]);
    for spelling in spellings {
        docs.upsert(vec![spelled(UUID).expect("the record has a key")]).await;
        docs.collection.delete(&[spelling.into()]).await.expect("the record is deleted");
        assert!(docs.keys().await.is_empty());
    }
}

/// The store rejects the record.
pub(crate) async fn a_key_of_another_kind_is_refused(subject: &VectorSubject) {
    let kinds: [(KeyKind, Vec<RecordKey>); 3] = [
        (KeyKind::String, vec!["".into(), 7.into()]),
        (KeyKind::Integer, vec!["7".into(), UUID.into()]),
        (KeyKind::Uuid, vec!["no UUID".into(), "".into(), 7.into()]),
    ];
    for (kind, keys) in kinds {
        let docs = of_kind(subject, kind).await;
        for key in keys {
            let mut bad = record("a", json!({}));
            bad.data.insert("id".to_owned(), Value::from(&key));
            bad.key = key;
            let what = format!("the key {:?} where keys are {kind:?}", bad.key);
            refused_record(docs.collection.upsert(vec![bad]).await, &what);
        }
        assert!(docs.keys().await.is_empty());
    }
}

/// Reading such a key is no error.
pub(crate) async fn a_key_of_another_kind_finds_nothing(subject: &VectorSubject) {
    let docs = of_kind(subject, KeyKind::String).await;
    docs.upsert(vec![record("7", json!({}))]).await;
    let records = docs.collection.get(&[7.into()], &GetOptions::default()).await;
    assert!(records.expect("nothing is read").is_empty());
    docs.collection.delete(&[7.into()]).await.expect("there is nothing to delete");
    assert_eq!(docs.keys().await, ["7"]);
}
