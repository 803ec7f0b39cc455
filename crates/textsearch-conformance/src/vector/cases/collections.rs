//! Creation, deletion and reopening of collections.

use serde_json::{Value, json};
use textsearch_core::{
    ErrorKind, Filter,
    vector::{
        DataField, Distance, GetOptions, KeyKind, RecordDefinition, ScanOptions, SearchInput,
        VectorField, VectorSearchOptions,
    },
};

use crate::{
    case::skipped,
    vector::{
        VectorFeature, VectorSubject,
        fixture::{all, direction, keyed, keys, object, point, record, refused_option},
        subject::unused_name,
    },
};

/// It exists from `ensure_exists` to `delete_collection`. Creating it again keeps its records, and a
/// new one is empty.
pub(crate) async fn a_collection_lasts_until_it_is_deleted(subject: &VectorSubject) {
    let store = subject.store().await;
    let name = unused_name();
    let docs = subject.opened(&store, &name, subject.definition());
    let exists = async || docs.collection.exists().await.expect("it can be asked for");
    let is_named = async || {
        let names = store.collection_names().await.expect("the names are told");
        assert!(names.is_sorted(), "the names are not in alphabetical order: {names:?}");
        names.contains(&name)
    };
    assert_eq!(docs.collection.name(), name);
    assert_eq!(docs.collection.store_name(), store.name());
    assert!(!exists().await && !is_named().await, "a handle alone creates it");
    for _ in 0..2 {
        docs.collection.ensure_exists().await.expect("it is created");
        assert!(exists().await && is_named().await, "it does not exist after it was created");
        assert!(docs.keys().await.is_empty(), "a new collection has records");
        docs.upsert(vec![point("a", &[1.0, 0.0])]).await;
        docs.collection.ensure_exists().await.expect("it exists");
        assert_eq!(docs.keys().await, ["a"]);
        docs.collection.delete_collection().await.expect("it is deleted");
        assert!(!exists().await && !is_named().await, "it exists after it was deleted");
    }
    docs.collection.delete_collection().await.expect("there is nothing to delete");
}

/// The stored vectors have other dimensions, or another distance.
pub(crate) async fn another_vector_is_refused(subject: &VectorSubject) {
    let vector =
        |dimensions, distance| subject.vector("embedding", dimensions).with_distance(distance);
    let distance = subject.distance();
    assert_refused(subject, vector(2, distance), vector(3, distance)).await;
    let pair = [Distance::CosineSimilarity, Distance::Euclidean];
    if !pair.iter().all(|distance| subject.capabilities.distances.contains(distance)) {
        return skipped("distances: cosine similarity and euclidean");
    }
    let [old, new] = pair.map(|distance| vector(2, distance));
    assert_refused(subject, old, new).await;
}

/// Its records would have no such vector.
pub(crate) async fn a_definition_without_a_stored_vector_is_refused(subject: &VectorSubject) {
    if !subject.capabilities.has(VectorFeature::SeveralVectors) {
        return skipped("several_vectors");
    }
    let vector = |name| subject.vector(name, 2).with_distance(subject.distance());
    let narrower = RecordDefinition::new("id").with_vector(vector("embedding"));
    let docs = subject.collection(narrower.clone().with_vector(vector("picture"))).await;
    docs.upsert(vec![point("a", &[1.0, 0.0]).with_vector("picture", [0.0, 1.0])]).await;
    let narrower = subject.again(&docs, narrower);
    let error = refused_option(narrower.collection.ensure_exists().await, "a missing vector");
    assert!(error.message().contains("picture"), "the vector is not named: {error}");
    let stored = docs.get("a").await.expect("the record is gone");
    assert!(stored.vectors.contains_key("picture"), "the vector is gone");
}

async fn assert_refused(subject: &VectorSubject, old: VectorField, new: VectorField) {
    let docs = subject.collection(RecordDefinition::new("id").with_vector(old)).await;
    docs.upsert(vec![point("a", &[1.0, 0.0])]).await;
    let changed = subject.again(&docs, RecordDefinition::new("id").with_vector(new));
    let error = refused_option(changed.collection.ensure_exists().await, "another definition");
    assert!(error.message().contains("embedding"), "the field is not named: {error}");
    assert_eq!(docs.keys().await, ["a"], "the records are gone");
}

/// The store rejects it before a collection exists.
pub(crate) async fn a_definition_that_makes_no_sense_is_refused(subject: &VectorSubject) {
    let base = || RecordDefinition::new("id");
    let definitions = [
        (base().with_data(DataField::string("id")), "a name used twice"),
        (base().with_data(DataField::string("")), "a field without a name"),
        (base().with_vector(VectorField::new("embedding", 0)), "a vector without dimensions"),
        (base().with_name_field("title"), "a name in a field that is not there"),
    ];
    for (definition, what) in definitions {
        subject.refuses(definition, what).await;
    }
    let nameless = subject.handle(&subject.store().await, "", base());
    refused_option(nameless, "a collection without a name");
}

/// Every error contains the collection's name.
pub(crate) async fn calls_on_a_missing_collection_name_it(subject: &VectorSubject) {
    let store = subject.store().await;
    let name = unused_name();
    let docs = subject.opened(&store, &name, subject.definition());
    let collection = &docs.collection;
    let options = VectorSearchOptions::default();
    let vector = SearchInput::from(vec![1.0, 0.0]);
    let scan = ScanOptions::default();
    let mut errors = vec![
        ("upsert", collection.upsert(vec![point("a", &[1.0, 0.0])]).await.err()),
        ("get", collection.get(&["a".into()], &GetOptions::default()).await.err()),
        ("delete", collection.delete(&["a".into()]).await.err()),
        ("delete_matching", collection.delete_matching(&Filter::eq("year", 1)).await.err()),
        ("scan", docs.try_scan(&scan).await.err()),
        ("search", collection.search(&vector, &options).await.err()),
        ("search_batch", collection.search_batch(&[vector], &options).await.err()),
    ];
    if subject.capabilities.has(VectorFeature::FullText) {
        errors.push(("full_text_search", collection.full_text_search("a", &options).await.err()));
    }
    if subject.capabilities.has_hybrid() {
        let options = docs.fusible(&options);
        let result = collection.hybrid_search("a", Some([1.0, 0.0].into()), &options).await;
        errors.push(("hybrid_search", result.err()));
    }
    for (call, error) in errors {
        let error = error.unwrap_or_else(|| panic!("`{call}` succeeds"));
        assert_eq!(error.kind(), &ErrorKind::collection_not_found(&name), "{call}: {error}");
    }
    assert!(!collection.exists().await.expect("it can be asked for"), "one of them created it");
}

/// Handles of one name see every record. Collections of other names share nothing.
pub(crate) async fn only_handles_of_one_name_share_records(subject: &VectorSubject) {
    let docs = subject.collection(subject.definition()).await;
    let other = subject.opened(&docs.store, &unused_name(), subject.definition());
    other.collection.ensure_exists().await.expect("it is created");
    docs.upsert(vec![point("a", &[1.0, 0.0]), point("b", &[1.0, 0.0])]).await;
    assert_eq!(subject.again(&docs, subject.definition()).keys().await, ["a", "b"]);
    other.upsert(vec![point("a", &[0.0, 1.0])]).await;
    other.collection.delete(&["b".into()]).await.expect("there is nothing to delete");
    assert_eq!(docs.keys().await, ["a", "b"]);
    assert_eq!(other.keys().await, ["a"]);
    let nearest = docs.nearest(&direction(0), &VectorSearchOptions::default()).await;
    assert_eq!(nearest.len(), 2);
    other.collection.delete_collection().await.expect("it is deleted");
    assert_eq!(docs.keys().await, ["a", "b"]);
}

/// Names that differ in case or by a quote are different collections, or refused.
pub(crate) async fn similar_names_are_different_collections(subject: &VectorSubject) {
    let store = subject.store().await;
    let name = unused_name();
    let mut made = Vec::new();
    let upper = name.to_uppercase();
    for other in [&name, &upper, &format!("{upper}\""), &format!("{name}'")] {
        let Ok(docs) = subject.handle(&store, other, subject.definition()) else { continue };
        if docs.collection.ensure_exists().await.is_ok() {
            docs.upsert(vec![point(&made.len().to_string(), &[1.0, 0.0])]).await;
            made.push((other.clone(), docs));
        }
    }
    let listed = store.collection_names().await.expect("the names are told");
    assert!(listed.is_sorted(), "the names are not in the order of code points: {listed:?}");
    for (number, (name, docs)) in made.iter().enumerate() {
        assert!(listed.contains(name), "{name:?} is not among {listed:?}");
        assert_eq!(docs.keys().await, [number.to_string()], "the only record of {name:?}");
        docs.collection.delete_collection().await.expect("it is deleted");
    }
}

/// A store that is made again finds them as they were.
pub(crate) async fn records_outlive_their_store(subject: &VectorSubject) {
    if !subject.capabilities.has(VectorFeature::Persistence) {
        return skipped("persistent");
    }
    let docs = subject.collection(subject.definition()).await;
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
    let docs = subject.opened(&store, &name, subject.definition());
    assert!(docs.collection.exists().await.expect("it can be asked for"), "the collection is gone");
    let names = store.collection_names().await.expect("the names are told");
    assert!(names.contains(&name), "the collection isn't named");
    docs.collection.ensure_exists().await.expect("it exists");
    assert_eq!(docs.keys().await, ["a", "b"]);
    let mut expected = object(data);
    expected.insert("id".to_owned(), json!("a"));
    let stored = docs.get("a").await.expect("the record is there");
    assert_eq!((stored.data, stored.vectors.len()), (expected, 1));
    assert_eq!(docs.filtered(Filter::eq("year", 2024)).await, ["a"]);
    assert_eq!(keys(&docs.nearest(&direction(50), &all()).await), ["b", "a"]);
    if subject.capabilities.has(VectorFeature::FullText) {
        assert_eq!(keys(&docs.worded("apple", &all()).await), ["a"]);
    }
    docs.upsert(vec![record("a", json!({ "title": "pear" }))]).await;
    assert_eq!(docs.keys().await, ["a", "b"]);
}

/// The error names the key's field. The records stay as they are.
pub(crate) async fn another_kind_of_keys_is_refused(subject: &VectorSubject) {
    let kinds = [KeyKind::String, KeyKind::Integer, KeyKind::Uuid];
    let of_kind = |kind| RecordDefinition::new("id").with_key_kind(kind);
    for old in kinds {
        let docs = subject.collection(of_kind(old)).await;
        let key = match old {
            KeyKind::Integer => json!(7),
            // A UUID is a text, too.
            _ => json!("67e55044-10b1-426f-9247-bb680e5fe0c8"),
        };
        docs.upsert(vec![keyed(old, key.clone(), json!({ "own": 1 })).expect("it has a key")])
            .await;
        for new in kinds.into_iter().filter(|new| *new != old) {
            let changed = subject.again(&docs, of_kind(new));
            let what = format!("{new:?} keys where they are {old:?}");
            let error = refused_option(changed.collection.ensure_exists().await, &what);
            assert!(error.message().contains("id"), "the key is not named: {error}");
        }
        let records = docs.try_scan(&Default::default()).await.expect("the scan succeeds");
        let data: Vec<Value> = records.into_iter().map(|record| record.data.into()).collect();
        assert_eq!(data, [json!({ "id": key, "own": 1 })]);
    }
}
