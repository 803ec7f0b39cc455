//! Searches beyond the server's limits.

use std::sync::Arc;

use serde_json::json;
use textsearch_conformance::core::{
    Filter,
    results::TotalCount,
    vector::{
        DataField, KeyKind, OrderBy, RecordDefinition, ScanOptions, SearchInput, StoredRecord,
        VectorCollection, VectorField, VectorSearchOptions, VectorStore as _,
    },
};

use crate::{
    Created,
    indexed::{keys, nearest},
    record,
};

/// More than the server ranks.
const RECORDS: u32 = 17_000;

fn definition() -> RecordDefinition {
    RecordDefinition::new("id")
        .with_key_kind(KeyKind::Integer)
        .with_data(DataField::string("text").full_text())
        .with_data(DataField::date_time("day").filterable())
        .with_vector(VectorField::new("embedding", 2))
}

/// Keys on both sides of the largest number with a sign.
fn key(number: u32) -> u64 {
    (1_u64 << 63) - 8_500 + u64::from(number)
}

/// The higher the key, the nearer to the query `[1, 0]`. Each record comes in twins of one vector.
async fn filled(created: &Created) -> Arc<dyn VectorCollection> {
    let collection = created.store.stored_collection(created.name(), definition()).unwrap();
    collection.ensure_exists().await.unwrap();
    let numbered = |number: u32| {
        let day = if number < 500 { "2024-01-01T00:00:00Z" } else { "2025-01-01T00:00:00Z" };
        let data = json!({ "id": key(number), "text": "river", "day": day });
        let record = record(&definition(), data);
        let angle = (RECORDS - number).div_ceil(2) as f32 / RECORDS as f32 * 3.0;
        record.with_vector("embedding", [angle.cos(), angle.sin()])
    };
    let records: Vec<StoredRecord> = (0..RECORDS).map(numbered).collect();
    collection.upsert(records).await.unwrap();
    collection
}

/// Twins in the order of their keys, from the highest pair.
fn expected(skip: u32, top: u32) -> Vec<String> {
    let ranked = (0..RECORDS).map(|place| {
        let pair = RECORDS - 2 - place / 2 * 2;
        key(pair + place % 2).to_string()
    });
    ranked.skip(skip as usize).take(top as usize).collect()
}

#[tokio::test]
async fn windows_reach_beyond_what_the_server_ranks() {
    let created = Created::new("beyond").await;
    let collection = filled(&created).await;
    let query = SearchInput::from(vec![1.0, 0.0]);
    for (skip, top) in [(0, 3), (1, 2), (1_020, 10), (2_999, 2), (16_379, 10), (16_990, 20)] {
        let options = VectorSearchOptions::top(top).with_skip(skip).with_total_count(true);
        let results = collection.search(&query, &options).await.unwrap();
        let count = results.total_count().map(|count| count.value());
        assert_eq!(count, Some(u64::from(RECORDS)), "skip {skip}");
        let results = results.into_vec().await.unwrap();
        assert_eq!(keys(&results), expected(skip as u32, top as u32), "skip {skip}");
    }
    check_filter(collection.as_ref(), &query).await;
    check_words(collection.as_ref()).await;
    check_scans(collection.as_ref()).await;
    collection.delete_collection().await.unwrap();
}

/// The matching records are the farthest, and the server can't find them by their date.
async fn check_filter(collection: &dyn VectorCollection, query: &SearchInput) {
    let filter: Filter = r#"day < date "2024-06-01T00:00:00Z""#.parse().unwrap();
    let options = VectorSearchOptions::top(2).with_filter(filter.clone()).with_total_count(true);
    let results = collection.search(query, &options).await.unwrap();
    assert_eq!(results.total_count().map(|count| count.value()), Some(500));
    assert_eq!(
        keys(&results.into_vec().await.unwrap()),
        [key(498), key(499)].map(|key| key.to_string())
    );
    let late = options.with_skip(499);
    assert_eq!(keys(&nearest(collection, query, &late).await), [key(1).to_string()]);
}

/// All records have the same score, so keys decide.
async fn check_words(collection: &dyn VectorCollection) {
    let options = VectorSearchOptions::top(2).with_total_count(true);
    let results = collection.full_text_search("river", &options).await.unwrap();
    assert_eq!(results.total_count().map(|count| count.value()), Some(u64::from(RECORDS)));
    let results = results.into_vec().await.unwrap();
    assert_eq!(keys(&results), [key(0), key(1)].map(|key| key.to_string()));
}

async fn check_scans(collection: &dyn VectorCollection) {
    let scanned = async |options: ScanOptions| {
        let results = collection.scan(&options).await.unwrap();
        assert_eq!(results.total_count().map(|count| count.value()), Some(u64::from(RECORDS)));
        let records = results.into_vec().await.unwrap();
        records.into_iter().map(|record| record.key.to_string()).collect::<Vec<_>>()
    };
    let window = ScanOptions::default().with_skip(8_499).with_top(3);
    let middle = [key(8_499), key(8_500), key(8_501)].map(|key| key.to_string());
    assert_eq!(scanned(window).await, middle);
    let last = ScanOptions::default().with_order_by(OrderBy::descending("id")).with_top(1);
    assert_eq!(scanned(last).await, [key(RECORDS - 1).to_string()]);
}

#[tokio::test]
async fn records_without_vectors_take_no_places() {
    let created = Created::new("absent").await;
    let definition = RecordDefinition::new("id").with_vector(VectorField::new("my vector", 2));
    let collection = created.store.stored_collection(created.name(), definition.clone()).unwrap();
    collection.ensure_exists().await.unwrap();
    let numbered = |number: u32| {
        let record = record(&definition, json!({ "id": format!("{number:05}") }));
        // The placeholders of the others are nearer.
        if number.is_multiple_of(10) { record.with_vector("my vector", [0.0, 1.0]) } else { record }
    };
    collection.upsert((0..3_000).map(numbered).collect()).await.unwrap();
    let query = SearchInput::from(vec![1.0, 0.0]);
    let options = VectorSearchOptions::top(3).with_skip(298).with_total_count(true);
    let results = collection.search(&query, &options).await.unwrap();
    assert_eq!(results.total_count().map(|count| count.value()), Some(300));
    assert_eq!(keys(&results.into_vec().await.unwrap()), ["02980", "02990"]);
    let options = VectorSearchOptions::top(2).with_vectors(true);
    let first = nearest(collection.as_ref(), &query, &options).await;
    assert_eq!(first[0].record.vectors["my vector"].as_ref(), [0.0, 1.0]);
    let read = collection.get(&["00001".into()], &Default::default()).await.unwrap();
    assert!(read[0].vectors.is_empty());
    collection.delete_collection().await.unwrap();
}

/// The server lists 4,096 words of a record.
#[tokio::test]
async fn counts_include_records_with_very_many_words() {
    let created = Created::new("words").await;
    let definition = RecordDefinition::new("id")
        .with_data(DataField::string("text").full_text())
        .with_data(DataField::integer("year").filterable());
    let collection = created.store.stored_collection(created.name(), definition.clone()).unwrap();
    collection.ensure_exists().await.unwrap();
    let text = |words: u32| (0..words).map(|word| format!("w{word} ")).collect::<String>();
    // Of different lengths, so that their scores differ.
    let records = [("a", 6_000, 1), ("b", 5_000, 2), ("c", 4_000, 2), ("d", 1, 2)];
    let records = records.map(|(key, words, year)| {
        record(&definition, json!({ "id": key, "text": text(words), "year": year }))
    });
    collection.upsert(records.to_vec()).await.unwrap();
    let count = async |words: &str, filter: Option<Filter>| {
        let mut options = VectorSearchOptions::top(1).with_total_count(true);
        options.filter = filter;
        let results = collection.full_text_search(words, &options).await.unwrap();
        results.total_count().unwrap()
    };
    for word in (1..6_000).step_by(150) {
        let holders = 1 + u64::from(word < 5_000) + u64::from(word < 4_000);
        let word = format!("w{word}");
        assert_eq!(count(&word, None).await, TotalCount::Exact(holders), "{word}");
        let late = count(&word, Some(Filter::ge("year", 2))).await;
        assert_eq!(late, TotalCount::Exact(holders - 1), "{word}");
    }
    assert_eq!(count("w0 w4500 nowhere", None).await, TotalCount::Exact(4));
    collection.delete_collection().await.unwrap();
}
