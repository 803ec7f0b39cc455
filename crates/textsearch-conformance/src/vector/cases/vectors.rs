//! Storage of vectors, valid and invalid.

use std::sync::Arc;

use serde_json::json;
use textsearch_core::vector::{
    Distance, GetOptions, IndexKind, RecordDefinition, ScanOptions, SearchInput, StoredRecord,
    VectorField,
};

use crate::{
    case::skipped,
    vector::{
        VectorFeature, VectorSubject,
        fixture::{
            all, direction, is_near, is_same_score, keys, point, record, refused_option,
            refused_record,
        },
        subject::unused_name,
    },
};

/// The options request them.
pub(crate) async fn vectors_come_only_where_they_are_asked_for(subject: &VectorSubject) {
    let docs = subject.collection(subject.definition()).await;
    docs.upsert(vec![point("a", &direction(30))]).await;
    for is_asked in [false, true] {
        let get = GetOptions::default();
        let scan = ScanOptions::default().with_vectors(is_asked);
        let fetched = docs.collection.get(&["a".into()], &get.with_vectors(is_asked)).await;
        let scanned = docs.try_scan(&scan).await;
        let nearest = docs.nearest(&direction(0), &all().with_vectors(is_asked)).await;
        let mut records = fetched.expect("the record is read");
        records.extend(scanned.expect("the scan succeeds"));
        records.extend(nearest.into_iter().map(|scored| scored.record));
        assert_eq!(records.len(), 3);
        for StoredRecord { vectors, .. } in records {
            if is_asked {
                assert_same(vectors.get("embedding"), &direction(30), 1e-6);
            } else {
                assert!(vectors.is_empty(), "{vectors:?}");
            }
        }
    }
}

fn assert_same(actual: Option<&Arc<[f32]>>, expected: &[f32], tolerance: f32) {
    let actual = actual.expect("the vector is there");
    assert!(is_near(actual, expected, tolerance), "{actual:?} for {expected:?}");
}

/// A store may declare that it normalizes them under a cosine distance.
pub(crate) async fn vectors_come_back_as_they_were_stored(subject: &VectorSubject) {
    let written = [3.0_f32, -4.0, 0.1, 1e-3];
    for distance in subject.capabilities.distances.clone() {
        let field = subject.vector("embedding", written.len()).with_distance(distance);
        let docs = subject.collection(RecordDefinition::new("id").with_vector(field)).await;
        docs.upsert(vec![point("a", &written)]).await;
        let stored = docs.get("a").await.expect("the record is there");
        let returned = stored.vectors.get("embedding");
        if subject.capabilities.has(VectorFeature::UnnormalizedVectors)
            || !distance.needs_direction()
        {
            assert_same(returned, &written, 0.0);
        } else {
            let length = written.iter().map(|element| element * element).sum::<f32>().sqrt();
            assert_same(returned, &written.map(|element| element / length), 1e-6);
        }
    }
}

/// Its length is wrong, or its elements aren't numbers. The error names the key.
pub(crate) async fn a_vector_that_does_not_fit_is_refused(subject: &VectorSubject) {
    let docs = subject.collection(subject.definition()).await;
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
pub(crate) async fn zeros_are_refused_where_directions_are_compared(subject: &VectorSubject) {
    for distance in subject.capabilities.distances.clone() {
        let field = subject.vector("embedding", 2).with_distance(distance);
        let docs = subject.collection(RecordDefinition::new("id").with_vector(field)).await;
        let stored = docs.collection.upsert(vec![point("a", &[0.0, -0.0])]).await;
        let query = SearchInput::from(vec![0.0, 0.0]);
        let results = docs.collection.search(&query, &all()).await;
        if distance.needs_direction() {
            assert_eq!(refused_record(stored, "zeros"), "a", "{distance:?}");
            refused_option(results, "zeros");
        } else {
            stored.unwrap_or_else(|error| panic!("{distance:?}: {error:?}"));
            let results = results.unwrap_or_else(|error| panic!("{distance:?}: {error:?}"));
            assert_eq!(results.into_vec().await.expect("results").len(), 1, "{distance:?}");
        }
    }
}

/// The collection may be empty.
pub(crate) async fn a_query_that_does_not_fit_is_refused(subject: &VectorSubject) {
    let docs = subject.collection(subject.definition()).await;
    for is_empty in [true, false] {
        let queries =
            [vec![1.0], vec![1.0, 2.0, 3.0], vec![], vec![1.0, f32::NAN], vec![f32::INFINITY, 0.0]];
        for query in queries {
            let what = format!("the query {query:?}");
            let query = SearchInput::from(query);
            refused_option(docs.collection.search(&query, &all()).await, &what);
            let batch = [SearchInput::from(vec![1.0, 0.0]), query];
            refused_option(docs.collection.search_batch(&batch, &all()).await, &what);
        }
        if is_empty {
            docs.upsert(vec![point("a", &direction(0))]).await;
        }
    }
}

/// Scores follow the definition of the distance.
pub(crate) async fn an_exact_search_is_exact_whatever_the_index(subject: &VectorSubject) {
    if !subject.capabilities.has(VectorFeature::ExactSearch) {
        return refuses_exact(subject).await;
    }
    let distance = subject.distance();
    let field = VectorField::new("embedding", 2).with_distance(distance);
    let field = field.with_index(IndexKind::hnsw());
    let definition = RecordDefinition::new("id").with_vector(field);
    let docs = match subject.handle(&subject.store().await, &unused_name(), definition) {
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
    let results = docs.nearest(&direction(0), &all().with_exact(true)).await;
    let expected: Vec<String> = places.iter().map(|place| format!("{place:02}")).collect();
    assert_eq!(keys(&results), expected);
    for (scored, place) in results.iter().zip(places) {
        let expected = Distance::score(distance, &direction(0), &direction(place));
        assert!(is_same_score(scored.score, expected), "{place}");
    }
}

async fn refuses_exact(subject: &VectorSubject) {
    let field = VectorField::new("embedding", 2).with_distance(subject.distance());
    let exact = RecordDefinition::new("id").with_vector(field);
    subject.refuses(exact, "an exact index").await;
    let docs = subject.collection(subject.definition()).await;
    let query = SearchInput::from(&direction(0)[..]);
    let results = docs.collection.search(&query, &all().with_exact(true)).await;
    refused_option(results, "an exact search");
    skipped("exact_search");
}
