//! Compares the store with naive implementations, on random records.

use std::collections::BTreeMap;

use proptest::{collection::vec, option, prelude::*};
use serde_json::json;
use textsearch_core::vector::{
    Distance, RecordDefinition, RecordKey, SearchInput, StoredRecord, VectorField,
    VectorSearchOptions,
};
use textsearch_core::{Filter, results::TotalCount};

use crate::support::{Stored, all, block_on, collection, definition, record, scores};

const K1: f64 = 1.2;
const B: f64 = 0.75;

#[derive(Debug, Clone)]
enum Step {
    Upsert(Vec<(u8, String)>),
    Delete(Vec<u8>),
    DeleteBelow(u8),
}

fn words() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("ant"),
        Just("bee"),
        Just("cat"),
        Just("dog"),
        Just("the"),
        Just("snake_cat")
    ];
    vec(word, 0..8).prop_map(|words| words.join(" "))
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => vec((0_u8..12, words()), 0..10).prop_map(Step::Upsert),
        2 => vec(0_u8..12, 0..4).prop_map(Step::Delete),
        1 => (0_u8..12).prop_map(Step::DeleteBelow),
    ]
}

fn id(number: u8) -> String {
    format!("{number:02}")
}

async fn apply(step: &Step, collection: &Stored, model: &mut BTreeMap<u8, String>) {
    match step {
        Step::Upsert(texts) => {
            let stored = texts.iter().map(|(number, text)| {
                record(&id(*number), json!({ "title": text, "year": number }))
            });
            collection.upsert(stored.collect()).await.unwrap();
            model.extend(texts.iter().cloned());
        }
        Step::Delete(numbers) => {
            let keys: Vec<RecordKey> = numbers.iter().map(|number| id(*number).into()).collect();
            collection.delete(&keys).await.unwrap();
            model.retain(|number, _| !numbers.contains(number));
        }
        Step::DeleteBelow(limit) => {
            collection.delete_matching(&Filter::lt("year", i64::from(*limit))).await.unwrap();
            model.retain(|number, _| number >= limit);
        }
    }
}

fn terms(text: &str) -> Vec<&str> {
    let parts =
        |word| if word == "snake_cat" { vec!["snake_cat", "snake", "cat"] } else { vec![word] };
    text.split_whitespace().flat_map(parts).collect()
}

fn naive_bm25(model: &BTreeMap<u8, String>, query: &[&str]) -> Vec<(String, f64)> {
    let texts: Vec<(u8, Vec<&str>)> =
        model.iter().map(|(number, text)| (*number, terms(text))).collect();
    let texts: Vec<_> = texts.into_iter().filter(|(_, terms)| !terms.is_empty()).collect();
    let length = |terms: &[&str]| terms.iter().filter(|term| **term != "the").count() as f64;
    let average = texts.iter().map(|(_, terms)| length(terms)).sum::<f64>() / texts.len() as f64;
    let mut ranking: Vec<(String, f64)> = texts
        .iter()
        .filter(|(_, terms)| terms.iter().any(|term| query.contains(term)))
        .map(|(number, terms)| {
            let score = query.iter().map(|word| {
                let holders = texts.iter().filter(|(_, terms)| terms.contains(word)).count() as f64;
                let idf = (1.0 + (texts.len() as f64 - holders + 0.5) / (holders + 0.5)).ln();
                let frequency = terms.iter().filter(|term| *term == word).count() as f64;
                // Texts that contain only stop words have no length to compare.
                let relative = if average > 0.0 { length(terms) / average } else { 0.0 };
                idf * frequency * (K1 + 1.0) / (frequency + K1 * (1.0 - B + B * relative))
            });
            (id(*number), score.sum())
        })
        .collect();
    ranking.sort_by(|left, right| right.1.total_cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
    ranking
}

/// Rounding may swap records with similar scores.
fn assert_alike(actual: &[(String, f64)], expected: &[(String, f64)]) {
    assert_eq!(actual.len(), expected.len(), "{actual:?} for {expected:?}");
    let expected_by_key: BTreeMap<_, _> = expected.iter().cloned().collect();
    for ((key, score), (_, expected)) in actual.iter().zip(expected) {
        assert!((score - expected).abs() < 1e-9, "{key}: {score} for {expected}");
        assert!((score - expected_by_key[key]).abs() < 1e-9, "{key}");
    }
}

/// Small whole numbers, whose products and sums are exact.
fn element() -> impl Strategy<Value = f32> {
    (-4_i8..=4).prop_map(f32::from)
}

#[derive(Debug, Clone)]
struct Question {
    query: Vec<f32>,
    top: usize,
    skip: usize,
    threshold: Option<f64>,
    below: Option<i64>,
}

fn question() -> impl Strategy<Value = Question> {
    let query = vec(element(), 3).prop_map(|mut query| {
        query[0] += 0.5;
        query
    });
    let threshold = option::of((-10_i8..10).prop_map(f64::from));
    (query, 0_usize..8, 0_usize..8, threshold, option::of(0_i64..30)).prop_map(
        |(query, top, skip, threshold, below)| Question { query, top, skip, threshold, below },
    )
}

fn naive_search(
    vectors: &[(i64, Vec<f32>)],
    distance: Distance,
    question: &Question,
) -> Vec<(String, f64)> {
    let is_better = |score: f64| match question.threshold {
        None => true,
        Some(threshold) if distance.is_higher_better() => score >= threshold,
        Some(threshold) => score <= threshold,
    };
    let mut ranking: Vec<(String, f64)> = vectors
        .iter()
        .filter(|(number, _)| question.below.is_none_or(|below| *number < below))
        .map(|(number, vector)| (id(*number as u8), distance.score(&question.query, vector)))
        .filter(|(_, score)| is_better(*score))
        .collect();
    ranking.sort_by(|left, right| {
        // Zero and minus zero are equal scores.
        let by_score = left.1.partial_cmp(&right.1).unwrap();
        let by_score = if distance.is_higher_better() { by_score.reverse() } else { by_score };
        by_score.then_with(|| left.0.cmp(&right.0))
    });
    ranking
}

async fn with_vectors(distance: Distance, vectors: &[(i64, Vec<f32>)]) -> Stored {
    let field = VectorField::new("embedding", 3).with_distance(distance);
    let definition = RecordDefinition::new("id")
        .with_data(textsearch_core::vector::DataField::integer("year").filterable())
        .with_vector(field);
    let collection = collection(definition).await;
    let stored: Vec<StoredRecord> = vectors
        .iter()
        .map(|(number, vector)| {
            record(&id(*number as u8), json!({ "year": number }))
                .with_vector("embedding", vector.clone())
        })
        .collect();
    collection.upsert(stored).await.unwrap();
    collection
}

/// Distances whose scores of small whole numbers are exact in `f32`.
const EXACT: [Distance; 6] = [
    Distance::DotProduct,
    Distance::NegativeDotProduct,
    Distance::Euclidean,
    Distance::EuclideanSquared,
    Distance::Manhattan,
    Distance::Hamming,
];

proptest! {
    #[test]
    fn full_text_scores_reflect_live_records_only(steps in vec(step(), 1..12)) {
        block_on(async {
            let collection = collection(definition()).await;
            let mut model = BTreeMap::new();
            for step in &steps {
                apply(step, &collection, &mut model).await;
                for query in [&["cat"][..], &["ant", "dog"], &["the"], &["snake_cat", "snake", "cat"]] {
                    let text = if query.len() == 3 { "snake_cat".to_owned() } else { query.join(" ") };
                    let ranking = scores(collection.full_text_search(&text, &all()).await).await;
                    assert_alike(&ranking, &naive_bm25(&model, query));
                }
            }
        });
    }

    #[test]
    fn search_equals_sort_and_slice(
        vectors in vec(vec(element(), 3), 0..30),
        distance in prop::sample::select(EXACT.to_vec()),
        question in question(),
    ) {
        let vectors: Vec<(i64, Vec<f32>)> = (0..).zip(vectors).collect();
        let expected = naive_search(&vectors, distance, &question);
        block_on(async {
            let collection = with_vectors(distance, &vectors).await;
            let mut options = VectorSearchOptions::top(question.top).with_skip(question.skip).with_total_count(true);
            options.score_threshold = question.threshold;
            options.filter = question.below.map(|below| Filter::lt("year", below));
            let results = collection.search(&SearchInput::from(question.query), &options).await.unwrap();
            assert_eq!(results.total_count(), Some(TotalCount::Exact(expected.len() as u64)));
            let slice: Vec<_> = expected.into_iter().skip(question.skip).take(question.top).collect();
            assert_eq!(scores(Ok(results)).await, slice);
        });
    }
}
