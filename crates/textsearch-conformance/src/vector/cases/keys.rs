//! Keys of every kind, and unusual ones.

use serde_json::{Value, json};
use textsearch_core::{
    Filter,
    vector::{GetOptions, KeyKind, RecordDefinition, RecordKey, StoredRecord},
};

use crate::vector::{
    VectorSubject,
    fixture::{TestCollection, keyed, record, refused_record},
};

const UUID: &str = "67e55044-10b1-426f-9247-bb680e5fe0c8";

/// Alike after trimming, case folding, parsing or splitting.
const TEXTS: [&str; 22] = [
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
    let given = texts.iter().map(|text| record(text, json!({ "own": text })));
    docs.upsert(given.collect()).await;
    texts.sort_unstable();
    assert_eq!(docs.keys().await, texts, "not the keys, or not by code point");
    for text in &texts {
        let found = docs.get(*text).await.unwrap_or_else(|| panic!("{text:?} is not found"));
        assert_eq!(
            (found.key, found.data.get("own")),
            (RecordKey::from(*text), Some(&json!(text)))
        );
        assert_eq!(docs.filtered(Filter::eq("id", *text)).await, [*text]);
    }
    docs.collection.delete(&["a".into(), "42".into()]).await.expect("the records are deleted");
    texts.retain(|text| !["a", "42"].contains(text));
    assert_eq!(docs.keys().await, texts);
}

/// Each spelling is a separate key.
pub(crate) async fn a_text_key_is_not_read_as_a_uuid(subject: &VectorSubject) {
    let docs = of_kind(subject, KeyKind::String).await;
    let spellings = [UUID.to_uppercase(), UUID.to_owned(), UUID.replace('-', "")];
    docs.upsert(spellings.iter().map(|key| record(key, json!({}))).collect()).await;
    assert_eq!(docs.keys().await.len(), 3);
    for spelling in &spellings {
        let found = docs.get(spelling.as_str()).await;
        assert_eq!(found.map(|record| record.key), Some(spelling.as_str().into()));
    }
}

/// Covers the largest, and their order by value.
pub(crate) async fn integers_are_keys(subject: &VectorSubject) {
    let docs = of_kind(subject, KeyKind::Integer).await;
    let numbers = [u64::MAX, 10, 0, 9, 1 << 53, (1 << 53) + 1, i64::MAX as u64 + 1];
    docs.upsert(numbers.map(numbered).into()).await;
    let mut sorted = numbers;
    sorted.sort_unstable();
    let names: Vec<String> = sorted.iter().map(u64::to_string).collect();
    assert_eq!(docs.keys().await, names);
    for number in numbers {
        let found = docs.get(number).await.unwrap_or_else(|| panic!("{number} is not found"));
        assert_eq!((&found.key, found.data.get("id")), (&number.into(), Some(&json!(number))));
    }
    assert_eq!(docs.filtered(Filter::eq("id", 9)).await, ["9"]);
    assert_eq!(docs.filtered(Filter::le("id", 9)).await, ["0", "9"]);
    assert_eq!(docs.filtered(Filter::is_in("id", [10, 11])).await, ["10"]);
    docs.collection.delete(&[u64::MAX.into(), 0.into()]).await.expect("the records are deleted");
    assert_eq!(docs.keys().await.len(), numbers.len() - 2);
}

fn numbered(key: u64) -> StoredRecord {
    keyed(KeyKind::Integer, json!(key), json!({})).expect("the record has a key")
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
        let found = docs.get(spelling.as_str()).await.expect("the record is there");
        assert_eq!((found.key, found.data.get("id")), (UUID.into(), Some(&json!(UUID))));
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
    let found = docs.collection.get(&[7.into()], &GetOptions::default()).await;
    assert!(found.expect("nothing is read").is_empty());
    docs.collection.delete(&[7.into()]).await.expect("there is nothing to delete");
    assert_eq!(docs.keys().await, ["7"]);
}
