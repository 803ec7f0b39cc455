//! Measures a vector store's connector and a bare client, in turns. Benchmarks of crates include it.

#![allow(dead_code, reason = "each benchmark uses a part")]

use std::{ops::Range, time::Instant};

use serde_json::json;
use textsearch_core::vector::{
    DataField, RecordDefinition, StoredRecord, VectorCollection, VectorField, VectorSearchOptions,
};

pub(crate) const DIMENSIONS: usize = 384;
pub(crate) const TOP: usize = 10;

/// The seconds of a turn: ours, and the bare client's.
pub(crate) type Turn = [f64; 2];

pub(crate) fn definition(vector: VectorField) -> RecordDefinition {
    RecordDefinition::new("id")
        .with_data(DataField::string("title"))
        .with_data(DataField::string("text"))
        .with_data(DataField::string("lang").filterable())
        .with_data(DataField::integer("year").filterable())
        .with_vector(vector)
}

/// Vectors must differ: a connector requests more records if several are equally near.
pub(crate) fn vector(number: u64) -> Vec<f32> {
    let mut random = fastrand::Rng::with_seed(number);
    (0..DIMENSIONS).map(|_| random.f32() - 0.5).collect()
}

/// Returns `count` records for [`definition`].
pub(crate) fn records(count: u64) -> Vec<StoredRecord> {
    let record = |number: u64| {
        let data = json!({
            "id": format!("doc-{number}"),
            "title": format!("Record {number}"),
            "text": "A passage of some length, as chunks of documents are. ".repeat(12),
            "lang": "en",
            "year": 2000 + number % 25,
        });
        let data = data.as_object().cloned().unwrap_or_default();
        let record = StoredRecord::new(data, &RecordDefinition::new("id"));
        record.expect("the record has its key").with_vector("embedding", vector(number))
    };
    (0..count).map(record).collect()
}

pub(crate) async fn recreate(collection: &dyn VectorCollection) {
    collection.delete_collection().await.expect("the collection is deleted");
    collection.ensure_exists().await.expect("the collection is made");
}

pub(crate) async fn upsert(collection: &dyn VectorCollection, records: Vec<StoredRecord>) {
    collection.upsert(records).await.expect("the records are stored");
}

/// Searches for the vectors of these numbers, one after the other.
pub(crate) async fn query(collection: &dyn VectorCollection, numbers: Range<u64>) {
    for number in numbers {
        let input = vector(number).into();
        let results = collection.search(&input, &VectorSearchOptions::top(TOP)).await;
        let records = results.expect("the search is answered").into_vec().await;
        assert_eq!(records.expect("the records are read").len(), TOP);
    }
}

/// Measures both sides. Which one begins alternates with `turn`.
pub(crate) async fn in_turns(
    turn: usize,
    ours: impl Future<Output = ()>,
    bare: impl Future<Output = ()>,
) -> Turn {
    if turn.is_multiple_of(2) {
        let ours = seconds(ours).await;
        [ours, seconds(bare).await]
    } else {
        let bare = seconds(bare).await;
        [seconds(ours).await, bare]
    }
}

pub(crate) async fn seconds(work: impl Future<Output = ()>) -> f64 {
    let start = Instant::now();
    work.await;
    start.elapsed().as_secs_f64()
}

pub(crate) fn report(what: &str, turns: &[Turn]) {
    let median = |number: &dyn Fn(&Turn) -> f64| {
        let mut numbers: Vec<f64> = turns.iter().map(number).collect();
        numbers.sort_unstable_by(f64::total_cmp);
        numbers[numbers.len() / 2]
    };
    let ours = median(&|turn| turn[0]) * 1e3;
    let bare = median(&|turn| turn[1]) * 1e3;
    let ratio = median(&|turn| turn[0] / turn[1]);
    println!("{what}: ours {ours:.1} ms, bare {bare:.1} ms, {ratio:.2} x");
}
