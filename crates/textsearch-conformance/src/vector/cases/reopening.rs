//! Collections opened again.

use serde_json::{Value, json};
use textsearch_core::{
    Filter,
    vector::{KeyKind, RecordDefinition},
};

use crate::{
    report::skipped,
    vector::{
        VectorSubject,
        fixture::{all, definition, direction, keyed, keys, object, record, refused_option},
    },
};

/// A store that is made again finds them as they were.
pub async fn records_outlive_their_store(subject: &VectorSubject) {
    if !subject.capabilities.persistent {
        return skipped("persistent");
    }
    let docs = subject.collection(definition(subject)).await;
    let name = docs.collection.name().to_owned();
    let data = json!({ "title": "apple", "year": 2024, "tags": ["b", "a"], "other": 1.5 });
    docs.upsert(vec![
        record("a", data.clone()).with_vector("embedding", direction(0)),
        record("b", json!({ "title": "plum" })).with_vector("embedding", direction(60)),
        record("gone", json!({ "title": "apple", "year": 2024 })),
    ])
    .await;
    docs.collection.delete(&["gone".into()]).await.expect("the record is deleted");
    drop(docs);
    subject.close();

    let store = subject.store().await;
    let docs = subject.handle(&store, &name, definition(subject)).expect("a handle is made");
    assert!(docs.collection.exists().await.expect("it can be asked for"), "the collection is gone");
    let names = store.collection_names().await.expect("the names are told");
    assert!(names.contains(&name), "the collection isn't named");
    docs.collection.ensure_exists().await.expect("it exists");
    assert_eq!(docs.keys().await, ["a", "b"]);
    let mut expected = object(data);
    expected.insert("id".to_owned(), json!("a"));
    let found = docs.get("a").await.expect("the record is there");
    assert_eq!((found.data, found.vectors.len()), (expected, 1));
    assert_eq!(docs.filtered(Filter::eq("year", 2024)).await, ["a"]);
    assert_eq!(keys(&docs.nearest(&direction(50), &all()).await), ["b", "a"]);
    if subject.capabilities.full_text {
        assert_eq!(keys(&docs.worded("apple", &all()).await), ["a"]);
    }
    docs.upsert(vec![record("a", json!({ "title": "pear" }))]).await;
    assert_eq!(docs.keys().await, ["a", "b"]);
}

/// The error names the key's field. The records stay as they are.
pub async fn another_kind_of_keys_is_refused(subject: &VectorSubject) {
    let kinds = &subject.capabilities.key_kinds;
    if kinds.len() < 2 {
        return skipped("key_kinds: two of them");
    }
    let of_kind = |kind| RecordDefinition::new("id").with_key_kind(kind);
    for old in kinds {
        let docs = subject.collection(of_kind(*old)).await;
        let key = match old {
            KeyKind::Integer => json!(7),
            // A UUID is a text, too.
            _ => json!("67e55044-10b1-426f-9247-bb680e5fe0c8"),
        };
        docs.upsert(vec![keyed(*old, key.clone(), json!({ "own": 1 })).expect("it has a key")])
            .await;
        for new in kinds.iter().filter(|new| *new != old) {
            let changed = subject.handle(&docs.store, docs.collection.name(), of_kind(*new));
            let changed = changed.expect("a handle is made");
            let what = format!("{new:?} keys where they are {old:?}");
            let error = refused_option(changed.collection.ensure_exists().await, &what);
            assert!(error.message().contains("id"), "the key is not named: {error}");
        }
        let found = docs.try_scan(&Default::default()).await.expect("the scan succeeds");
        let found: Vec<Value> = found.into_iter().map(|record| record.data.into()).collect();
        assert_eq!(found, [json!({ "id": key, "own": 1 })]);
    }
}
