//! The scores of every distance, and which records a vector search ranks in what order.

use serde_json::json;
use textsearch_core::{
    Filter,
    vector::{Distance, KeyKind, RecordDefinition, SearchInput, StoredRecord, VectorSearchOptions},
};

use crate::{
    case::skipped,
    vector::{
        VectorFeature, VectorSubject,
        fixture::{all, direction, is_same_score, keyed, keys, point, record, refused_option},
        subject::is_by_angle,
    },
};

/// Of several lengths and signs. Some share elements with the query.
const VECTORS: [(&str, [f32; 4]); 8] = [
    ("same", [0.5, -1.0, 2.0, 0.25]),
    ("longer", [1.0, -2.0, 4.0, 0.5]),
    ("opposite", [-0.5, 1.0, -2.0, -0.25]),
    ("across", [1.0, 0.5, 0.0, 0.0]),
    ("small", [0.01, 0.02, 0.03, 0.05]),
    ("large", [100.0, -250.0, 75.0, 3.0]),
    ("one apart", [0.5, -1.0, 2.0, 1.5]),
    ("two apart", [0.5, 7.0, 2.0, -4.0]),
];

const QUERY: [f32; 4] = [0.5, -1.0, 2.0, 0.25];

/// Best first.
pub(crate) async fn distances_score_as_they_are_defined(subject: &VectorSubject) {
    for distance in Distance::ALL {
        check(subject, distance).await;
    }
}

async fn check(subject: &VectorSubject, distance: Distance) {
    let field = subject.vector("embedding", QUERY.len()).with_distance(distance);
    let definition = RecordDefinition::new("id").with_vector(field);
    if !subject.capabilities.distances.contains(&distance) {
        subject.refuses(definition, "a distance").await;
        return skipped("distances");
    }
    let docs = subject.collection(definition).await;
    docs.upsert(VECTORS.map(|(key, vector)| point(key, &vector)).into()).await;
    let results = docs.nearest(&QUERY, &all()).await;
    assert_eq!(results.len(), VECTORS.len());
    let is_best_first = results.is_sorted_by(|first, second| {
        if distance.is_higher_better() {
            first.score >= second.score
        } else {
            first.score <= second.score
        }
    });
    assert!(is_best_first, "not the best first by {distance:?}: {results:?}");
    for scored in &results {
        let stored = VECTORS.iter().find(|(key, _)| *key == scored.record.key.to_string());
        let (key, vector) = stored.expect("a record that was stored");
        let expected = distance.score(&QUERY, vector);
        let is_same = is_same_score(scored.score, expected);
        assert!(is_same, "{distance:?} of `{key}`: {} for {expected}", scored.score);
    }
}

/// The `top` does not matter.
pub(crate) async fn equal_scores_come_in_the_order_of_keys(subject: &VectorSubject) {
    let docs = subject.collection(subject.definition()).await;
    let names: Vec<String> = (0..12).map(|number| format!("{number:02}")).collect();
    let alike = names.iter().rev().map(|key| point(key, &direction(20)));
    docs.upsert(alike.collect()).await;
    docs.upsert(vec![point("near", &direction(0)), point("far", &direction(90))]).await;
    let expected: Vec<&str> =
        ["near"].into_iter().chain(names.iter().map(String::as_str)).chain(["far"]).collect();
    for top in [1, 2, 3, 7, 13, 14] {
        let keys = keys(&docs.nearest(&direction(0), &VectorSearchOptions::top(top)).await);
        assert_eq!(keys, expected.split_at(top).0, "top = {top}");
    }
}

/// The keys order by their numeric value.
pub(crate) async fn equal_scores_of_integer_keys_come_by_value(subject: &VectorSubject) {
    let vector = subject.vector("embedding", 2).with_distance(subject.distance());
    let definition =
        RecordDefinition::new("id").with_key_kind(KeyKind::Integer).with_vector(vector);
    let docs = subject.collection(definition).await;
    let alike = [100, 9, 10, 2].map(|key| {
        let record = keyed(KeyKind::Integer, json!(key), json!({})).expect("it has a key");
        record.with_vector("embedding", direction(10))
    });
    docs.upsert(alike.into()).await;
    assert_eq!(keys(&docs.nearest(&direction(0), &all()).await), ["2", "9", "10", "100"]);
    let two = VectorSearchOptions::top(2).with_skip(1);
    assert_eq!(keys(&docs.nearest(&direction(0), &two).await), ["9", "10"]);
}

/// Excluded records don't count towards `top`.
pub(crate) async fn a_filter_takes_no_places(subject: &VectorSubject) {
    let docs = subject.collection(subject.definition()).await;
    let records = (0..60_u16).map(|number| {
        record(&format!("{number:02}"), json!({ "year": number }))
            .with_vector("embedding", direction(number))
    });
    docs.upsert(records.collect()).await;
    let options = VectorSearchOptions::top(3).with_filter(Filter::ge("year", 50));
    assert_eq!(keys(&docs.nearest(&direction(0), &options).await), ["50", "51", "52"]);
    let options = VectorSearchOptions::top(9).with_filter(Filter::gt("year", 100));
    assert!(docs.nearest(&direction(0), &options).await.is_empty());
}

fn two_vectors(subject: &VectorSubject) -> RecordDefinition {
    let field = |name, dimensions| subject.vector(name, dimensions);
    let distances = &subject.capabilities.distances;
    let other = distances.iter().copied().rfind(|distance| is_by_angle(*distance));
    RecordDefinition::new("id")
        .with_vector(field("first", 2).with_distance(subject.distance()))
        .with_vector(field("second", 3).with_distance(other.unwrap_or(subject.distance())))
}

fn vectors(key: &str, first: Option<u16>, second: Option<[f32; 3]>) -> StoredRecord {
    let mut record = record(key, json!({}));
    if let Some(degrees) = first {
        record = record.with_vector("first", direction(degrees));
    }
    match second {
        Some(vector) => record.with_vector("second", vector),
        None => record,
    }
}

/// The default is the first one.
pub(crate) async fn each_vector_is_searched_by_itself(subject: &VectorSubject) {
    if !subject.capabilities.has(VectorFeature::SeveralVectors) {
        subject.refuses(two_vectors(subject), "a second vector").await;
        return skipped("several_vectors");
    }
    let docs = subject.collection(two_vectors(subject)).await;
    let x = [1.0, 0.0, 0.0];
    let y = [0.0, 1.0, 0.0];
    docs.upsert(vec![
        vectors("both", Some(40), Some(x)),
        vectors("first", Some(0), None),
        vectors("none", None, None),
        vectors("second", None, Some(y)),
    ])
    .await;
    assert_eq!(docs.keys().await, ["both", "first", "none", "second"]);
    assert_eq!(keys(&docs.nearest(&direction(0), &all()).await), ["first", "both"]);
    let first = all().with_vector_field("first");
    assert_eq!(keys(&docs.nearest(&direction(50), &first).await), ["both", "first"]);
    let second = all().with_vector_field("second");
    assert_eq!(keys(&docs.nearest(&x, &second).await), ["both", "second"]);
    assert_eq!(keys(&docs.nearest(&y, &second).await), ["second", "both"]);
    let unknown = all().with_vector_field("third");
    let results = docs.collection.search(&SearchInput::from(&x[..]), &unknown).await;
    let error = refused_option(results, "a vector that is not there");
    for name in ["first", "second"] {
        assert!(error.message().contains(name), "`{name}` is not named: {error}");
    }
}

/// It is stored, read and filtered, but not found by vector.
pub(crate) async fn a_record_may_lack_its_vector(subject: &VectorSubject) {
    let docs = subject.collection(subject.definition()).await;
    docs.upsert(vec![record("a", json!({ "year": 1 })), point("b", &direction(0))]).await;
    assert_eq!(docs.keys().await, ["a", "b"]);
    assert_eq!(docs.filtered(Filter::eq("year", 1)).await, ["a"]);
    assert_eq!(keys(&docs.nearest(&direction(0), &all()).await), ["b"]);
    let stored = docs.get("a").await.expect("the record is there");
    assert!(stored.vectors.is_empty(), "{:?}", stored.vectors);
}

/// It rejects vector searches.
pub(crate) async fn a_collection_may_have_no_vectors(subject: &VectorSubject) {
    let mut definition = subject.definition();
    definition.vectors.clear();
    if subject.capabilities.weighted_sum && !subject.capabilities.has(VectorFeature::FullText) {
        // Words need a vector.
        definition.data.iter_mut().for_each(|field| field.full_text = None);
    }
    let docs = subject.collection(definition).await;
    let titled = |key, title: &str| record(key, json!({ "title": title, "year": 2020 }));
    docs.upsert(vec![titled("a", "apple"), titled("b", "banana")]).await;
    assert_eq!(docs.keys().await, ["a", "b"]);
    assert_eq!(docs.filtered(Filter::eq("title", "banana")).await, ["b"]);
    if subject.capabilities.has(VectorFeature::FullText) {
        assert_eq!(keys(&docs.worded("apple", &all()).await), ["a"]);
    }
    let query = SearchInput::from(&direction(0)[..]);
    refused_option(docs.collection.search(&query, &all()).await, "a vector where there are none");
    docs.collection.delete(&["a".into()]).await.expect("the record is deleted");
    assert_eq!(docs.keys().await, ["b"]);
}
