//! Storage of vectors, valid and invalid.

use std::sync::Arc;

use serde_json::json;
use textsearch_core::vector::{
    Distance, GetOptions, RecordDefinition, ScanOptions, SearchInput, StoredRecord, VectorField,
};

use crate::{
    report::skipped,
    vector::{
        VectorSubject,
        fixture::{all, definition, direction, point, record, refused_option, refused_record},
    },
};

/// The options request them.
pub async fn vectors_come_only_where_they_are_asked_for(subject: &VectorSubject) {
    let docs = subject.collection(definition(subject)).await;
    docs.upsert(vec![point("a", &direction(30))]).await;
    let silent: Vec<StoredRecord> = [
        docs.collection.get(&["a".into()], &GetOptions::default()).await,
        docs.try_scan(&ScanOptions::default()).await,
        Ok(records(docs.nearest(&direction(0), &all()).await)),
    ]
    .into_iter()
    .flat_map(|found| found.expect("the record is read"))
    .collect();
    assert_eq!(silent.len(), 3);
    assert!(silent.iter().all(|record| record.vectors.is_empty()), "{silent:?}");
    let asked: Vec<StoredRecord> = [
        docs.collection.get(&["a".into()], &GetOptions::default().with_vectors(true)).await,
        docs.try_scan(&ScanOptions::default().with_vectors(true)).await,
        Ok(records(docs.nearest(&direction(0), &all().with_vectors(true)).await)),
    ]
    .into_iter()
    .flat_map(|found| found.expect("the record is read"))
    .collect();
    assert_eq!(asked.len(), 3);
    for record in asked {
        assert_same(record.vectors.get("embedding"), &direction(30), 1e-6);
    }
}

fn records(found: Vec<textsearch_core::vector::Scored<StoredRecord>>) -> Vec<StoredRecord> {
    found.into_iter().map(|scored| scored.record).collect()
}

fn assert_same(found: Option<&Arc<[f32]>>, expected: &[f32], tolerance: f32) {
    let found = found.expect("the vector is there");
    let is_same = found.len() == expected.len()
        && found.iter().zip(expected).all(|(one, other)| (one - other).abs() <= tolerance);
    assert!(is_same, "{found:?} for {expected:?}");
}

/// A store may declare that it normalizes them under a cosine distance.
pub async fn vectors_come_back_as_they_were_stored(subject: &VectorSubject) {
    let given = [3.0_f32, -4.0, 0.1, 1e-3];
    for distance in subject.capabilities.distances.clone() {
        let field = subject.vector("embedding", given.len()).with_distance(distance);
        let docs = subject.collection(RecordDefinition::new("id").with_vector(field)).await;
        docs.upsert(vec![point("a", &given)]).await;
        let found = docs.get("a").await.expect("the record is there");
        let found = found.vectors.get("embedding");
        if subject.capabilities.vectors_as_given || !distance.needs_direction() {
            assert_same(found, &given, 0.0);
        } else {
            let length = given.iter().map(|element| element * element).sum::<f32>().sqrt();
            assert_same(found, &given.map(|element| element / length), 1e-6);
        }
    }
}

/// Its length is wrong, or its elements aren't numbers. The error names the key.
pub async fn a_vector_that_does_not_fit_is_refused(subject: &VectorSubject) {
    let docs = subject.collection(definition(subject)).await;
    let bad = [
        ("short", vec![1.0]),
        ("long", vec![1.0, 0.0, 0.0]),
        ("empty", vec![]),
        ("nan", vec![1.0, f32::NAN]),
        ("infinite", vec![f32::INFINITY, 0.0]),
        ("negative", vec![0.0, f32::NEG_INFINITY]),
    ];
    for (key, vector) in bad {
        let refused = docs.collection.upsert(vec![point(key, &vector)]).await;
        assert_eq!(refused_record(refused, key), key);
    }
    let other = record("other", json!({})).with_vector("other", vec![1.0]);
    let refused = docs.collection.upsert(vec![other]).await;
    assert_eq!(refused_record(refused, "a vector that the definition does not have"), "other");
    assert!(docs.keys().await.is_empty(), "something of it is stored");
}

/// Other distances store them.
pub async fn zeros_are_refused_where_directions_are_compared(subject: &VectorSubject) {
    for distance in subject.capabilities.distances.clone() {
        let field = subject.vector("embedding", 2).with_distance(distance);
        let docs = subject.collection(RecordDefinition::new("id").with_vector(field)).await;
        let stored = docs.collection.upsert(vec![point("a", &[0.0, -0.0])]).await;
        let query = SearchInput::from(vec![0.0, 0.0]);
        let found = docs.collection.search(&query, &all()).await;
        if distance.needs_direction() {
            assert_eq!(refused_record(stored, "zeros"), "a", "{distance:?}");
            refused_option(found, "zeros");
        } else {
            stored.unwrap_or_else(|error| panic!("{distance:?}: {error:?}"));
            let found = found.unwrap_or_else(|error| panic!("{distance:?}: {error:?}"));
            assert_eq!(found.into_vec().await.expect("results").len(), 1, "{distance:?}");
        }
    }
}

/// The collection may be empty.
pub async fn a_query_that_does_not_fit_is_refused(subject: &VectorSubject) {
    let docs = subject.collection(definition(subject)).await;
    for is_empty in [true, false] {
        let queries =
            [vec![1.0], vec![1.0, 2.0, 3.0], vec![], vec![1.0, f32::NAN], vec![f32::INFINITY, 0.0]];
        for query in queries {
            let what = format!("the query {query:?}");
            let query = SearchInput::from(query);
            refused_option(docs.collection.search(&query, &all()).await, &what);
            refused_option(docs.collection.search_batch(&[query], &all()).await, &what);
        }
        if is_empty {
            docs.upsert(vec![point("a", &direction(0))]).await;
        }
    }
}

/// Scores follow the definition of the distance.
pub async fn an_exact_search_is_exact_whatever_the_index(subject: &VectorSubject) {
    if !subject.capabilities.exact_search {
        return refuses_exact(subject).await;
    }
    let distance = subject.distance();
    let field = VectorField::new("embedding", 2).with_distance(distance);
    let field = field.with_index(textsearch_core::vector::IndexKind::hnsw());
    let definition = RecordDefinition::new("id").with_vector(field);
    let store = subject.store().await;
    let name = crate::vector::subject::unused_name();
    let docs = match subject.handle(&store, &name, definition) {
        Ok(docs) => docs,
        // A store without such an index must reject it.
        Err(error) => {
            refused_option::<()>(Err(error), "an index");
            return skipped("an approximate index");
        }
    };
    docs.collection.ensure_exists().await.expect("the collection is created");
    let places: Vec<u16> = (0..90).collect();
    let records = places.iter().map(|place| point(&format!("{place:02}"), &direction(*place)));
    docs.upsert(records.collect()).await;
    let options = textsearch_core::vector::VectorSearchOptions::top(90).with_exact(true);
    let found = docs.nearest(&direction(0), &options).await;
    let expected: Vec<String> = places.iter().map(|place| format!("{place:02}")).collect();
    assert_eq!(crate::vector::fixture::keys(&found), expected);
    for (scored, place) in found.iter().zip(places) {
        let expected = Distance::score(distance, &direction(0), &direction(place));
        assert!(subject.capabilities.is_same_score(scored.score, expected), "{place}");
    }
}

async fn refuses_exact(subject: &VectorSubject) {
    let store = subject.store().await;
    let field = VectorField::new("embedding", 2).with_distance(subject.distance());
    let exact = RecordDefinition::new("id").with_vector(field);
    let name = crate::vector::subject::unused_name();
    refused_option(subject.handle(&store, &name, exact), "an exact index");
    let docs = subject.collection(definition(subject)).await;
    let options = textsearch_core::vector::VectorSearchOptions::top(1).with_exact(true);
    let found = docs.collection.search(&SearchInput::from(&direction(0)[..]), &options).await;
    refused_option(found, "an exact search");
    skipped("exact_search");
}
