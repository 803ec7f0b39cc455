//! Compares the in-memory store with one on a server: the same records must have the same results,
//! scores and order.
//!
//! The tests of other stores share this module. A server may add up 32-bit scores in its own order,
//! so records may change places if their scores differ only in the last bits.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use fastrand::Rng;
use serde_json::{Map, json};
use textsearch_conformance::core::{
    Filter,
    vector::{
        DataField, Fusion, KeyKind, RecordDefinition, StoredRecord, VectorCollection, VectorField,
        VectorSearchOptions, VectorStore,
    },
};
use textsearch_vector_inmemory::InMemoryVectorStore;

type Stored = Arc<dyn VectorCollection>;

const RECORDS: u64 = 600;

const PRECISION: f64 = 1e-5;

const WORDS: &[&str] = &[
    "the",
    "of",
    "is",
    "search",
    "searching",
    "indexed",
    "indexes",
    "snake_case",
    "std.fs",
    "Straße",
    "don't",
    "cat",
    "cats",
    "rare",
    "3.14",
    "全文検索",
    "reader",
    "writers",
    "l'eau",
    "vector",
];

const QUERIES: &[&str] = &[
    "searching the index",
    "cats",
    "the of",
    "snake case",
    "rare readers don't search",
    "3.14 straße 検索",
    "std.fs of cat cat cat",
    "nowhere",
];

/// With these mean lengths, different texts tie only by rounding. With a mean length of 12, 1 word
/// in 4 and 2 in 12 would tie.
fn definition(kind: KeyKind) -> RecordDefinition {
    RecordDefinition::new("id")
        .with_key_kind(kind)
        .with_data(full_text("title", 4.3).full_text_in("en").with_weight(2.0))
        .with_data(full_text("body", 11.7).full_text_in("en"))
        .with_data(full_text("note", 6.1).with_weight(0.7))
        .with_data(DataField::integer("year").filterable())
        .with_vector(VectorField::new("embedding", 6))
}

fn full_text(name: &str, mean_length: f64) -> DataField {
    DataField::string(name).full_text().with_mean_length(mean_length)
}

/// Some texts are missing, and few vectors differ, so that many records tie.
fn records(definition: &RecordDefinition) -> Vec<StoredRecord> {
    let mut random = Rng::with_seed(6);
    let mut vectors: Vec<Vec<f32>> = Vec::new();
    let record = |number: u64| {
        let mut data = Map::new();
        let key = match definition.key.kind {
            KeyKind::Integer => json!(number),
            _ => json!(format!("key {number}")),
        };
        data.insert("id".to_owned(), key);
        data.insert("year".to_owned(), json!(2000 + number % 7));
        for (field, longest, share) in [("title", 4, 0.9), ("body", 24, 0.8), ("note", 8, 0.3)] {
            if random.f64() < share {
                data.insert(field.to_owned(), json!(text(&mut random, longest)));
            }
        }
        let record = StoredRecord::new(data, definition).unwrap();
        if vectors.len() < 200 {
            vectors.push((0..6).map(|_| random.f32() - 0.5).collect());
        }
        let vector = random.choice(&vectors).cloned().unwrap();
        if random.f64() < 0.9 { record.with_vector("embedding", vector) } else { record }
    };
    (0..RECORDS).map(record).collect()
}

fn text(random: &mut Rng, longest: usize) -> String {
    let length = random.usize(0..=longest);
    // Some words are far more common than others.
    let word = |random: &mut Rng| {
        let place = (random.f64() * random.f64() * WORDS.len() as f64) as usize;
        WORDS[place]
    };
    (0..length).map(|_| word(random)).collect::<Vec<_>>().join(" ")
}

async fn stores(case: &str, kind: KeyKind) -> [Stored; 2] {
    let name = format!("same-{case}-{}", std::process::id());
    let definition = definition(kind);
    let memory = InMemoryVectorStore::new().stored_collection(&name, definition.clone()).unwrap();
    let server = crate::open_store().await.stored_collection(&name, definition.clone());
    let server = server.unwrap();
    let mut records = records(&definition);
    for stored in [&memory, &server] {
        stored.ensure_exists().await.unwrap();
        stored.upsert(records.clone()).await.unwrap();
    }
    // Write some of them again; they must not appear twice.
    records.truncate(50);
    for stored in [&memory, &server] {
        stored.upsert(records.clone()).await.unwrap();
    }
    [memory, server]
}

async fn ranking(
    stored: &Stored,
    query: &str,
    vector: Option<&[f32]>,
    options: &VectorSearchOptions,
) -> Vec<(String, f64)> {
    let results = match (query, vector) {
        ("", Some(vector)) => stored.search(&vector.to_vec().into(), options).await,
        (text, None) => stored.full_text_search(text, options).await,
        (text, Some(vector)) => stored.hybrid_search(text, Some(vector.into()), options).await,
    };
    let records = results.unwrap().into_vec().await.unwrap();
    records.into_iter().map(|scored| (scored.record.key.to_string(), scored.score)).collect()
}

async fn assert_same(
    [memory, server]: &[Stored; 2],
    query: &str,
    vector: Option<&[f32]>,
    options: &VectorSearchOptions,
) {
    let expected = ranking(memory, query, vector, options).await;
    let actual = ranking(server, query, vector, options).await;
    let leeway = leeway(memory, query, vector, options).await;
    if let Err(difference) = compare(&actual, &expected, leeway) {
        panic!("`{query}` {difference}, {options:?}");
    }
}

/// Allows a different order of records that tie within `leeway`.
fn compare(
    actual: &[(String, f64)],
    expected: &[(String, f64)],
    leeway: f64,
) -> Result<(), String> {
    let is_near = |score: f64, other: f64| (score - other).abs() <= leeway * other.abs().max(1.0);
    if actual.len() != expected.len() {
        return Err(format!("{} found, {} expected", actual.len(), expected.len()));
    }
    let scores: HashMap<&str, f64> = expected.iter().map(|(key, score)| (&**key, *score)).collect();
    let ends = [expected.first(), expected.last()];
    let mut seen = HashSet::new();
    for (place, (entry, other)) in actual.iter().zip(expected).enumerate() {
        // A record from outside the window may tie with one at its edge.
        let has_its_score = match scores.get(&*entry.0) {
            Some(score) => is_near(entry.1, *score),
            None => ends.iter().flatten().any(|end| is_near(entry.1, end.1)),
        };
        if !is_near(entry.1, other.1) || !has_its_score || !seen.insert(&entry.0) {
            return Err(format!("{place}: {entry:?} for {other:?}"));
        }
    }
    Ok(())
}

/// Returns the maximum difference between scores. In a run of near ties, each record may move by
/// the length of the run, which changes its reciprocal rank.
async fn leeway(
    memory: &Stored,
    query: &str,
    vector: Option<&[f32]>,
    options: &VectorSearchOptions,
) -> f64 {
    let (Some(_), Fusion::ReciprocalRank { rank_constant }) = (vector, options.fusion) else {
        return PRECISION;
    };
    if query.is_empty() {
        return PRECISION;
    }
    let mut whole = options.clone();
    (whole.top, whole.skip) = (1000, 0);
    let longest = longest_tie(&ranking(memory, query, None, &whole).await);
    let step = f64::from(rank_constant + 1).recip() - f64::from(rank_constant + 2).recip();
    PRECISION + step * (longest.saturating_sub(1)) as f64
}

fn longest_tie(ranking: &[(String, f64)]) -> usize {
    let is_tie = |entry: &(String, f64), next: &(String, f64)| {
        (entry.1 - next.1).abs() <= PRECISION * entry.1.abs().max(1.0)
    };
    ranking.chunk_by(is_tie).map(<[_]>::len).max().unwrap_or_default()
}

#[test]
fn only_near_ties_may_change_places() {
    let ranking = |keys: [&str; 4], scores: [f64; 4]| -> Vec<(String, f64)> {
        keys.iter().map(ToString::to_string).zip(scores).collect()
    };
    let scores = [4.0, 3.0, 3.0 - 1e-6, 1.0];
    let expected = ranking(["a", "b", "c", "d"], scores);
    let same = |keys, scores| compare(&ranking(keys, scores), &expected, PRECISION).is_ok();
    assert!(same(["a", "b", "c", "d"], scores));
    assert!(same(["a", "c", "b", "d"], scores));
    assert!(same(["a", "b", "c", "another that ties"], scores));
    assert!(!same(["b", "a", "c", "d"], scores));
    assert!(!same(["a", "another", "c", "d"], scores));
    assert!(!same(["a", "b", "b", "d"], scores));
    assert!(!same(["a", "b", "c", "d"], [4.0, 3.0, 2.9, 1.0]));
    assert_eq!(longest_tie(&expected), 2);
}

fn ways() -> [VectorSearchOptions; 5] {
    [
        VectorSearchOptions::top(10),
        VectorSearchOptions::top(1000),
        VectorSearchOptions::top(7).with_skip(5),
        VectorSearchOptions::top(20).with_filter(Filter::ge("year", 2004)),
        VectorSearchOptions::top(20).with_full_text_fields(["body"]),
    ]
}

const VECTORS: [[f32; 6]; 3] =
    [[1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.3, -0.2, 0.9, 0.1, 0.5, -0.7], [0.1; 6]];

#[tokio::test]
async fn by_words() {
    for kind in [KeyKind::String, KeyKind::Integer] {
        let stores = stores(&format!("words-{kind:?}"), kind).await;
        for query in QUERIES {
            for options in ways() {
                assert_same(&stores, query, None, &options).await;
            }
        }
        stores[1].delete_collection().await.unwrap();
    }
}

#[tokio::test]
async fn by_vector() {
    let stores = stores("vector", KeyKind::String).await;
    for vector in VECTORS {
        for options in ways() {
            assert_same(&stores, "", Some(&vector), &options).await;
        }
    }
    stores[1].delete_collection().await.unwrap();
}

#[tokio::test]
async fn by_both() {
    for kind in [KeyKind::String, KeyKind::Integer] {
        let stores = stores(&format!("both-{kind:?}"), kind).await;
        for (query, vector) in QUERIES.iter().zip(VECTORS.iter().cycle()) {
            for options in ways() {
                for fusion in [Fusion::reciprocal_rank(60), Fusion::default()] {
                    let options = options.clone().with_fusion(fusion);
                    assert_same(&stores, query, Some(vector), &options).await;
                }
            }
        }
        stores[1].delete_collection().await.unwrap();
    }
}
