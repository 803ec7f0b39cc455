//! A table of filters and their matches.

use serde_json::{Value, json};
use textsearch_core::{
    Filter,
    results::TotalCount,
    vector::{DataField, DataKind, RecordDefinition, ScanOptions},
};

use crate::vector::{
    VectorSubject,
    fixture::{TestCollection, all, direction, keys, object, record},
};

pub(super) fn filterable(subject: &VectorSubject) -> RecordDefinition {
    RecordDefinition::new("id")
        .with_data(DataField::string("text").filterable())
        .with_data(DataField::integer("count").filterable())
        .with_data(DataField::number("size").filterable())
        .with_data(DataField::boolean("flag").filterable())
        .with_data(DataField::date_time("at").filterable())
        .with_data(DataField::strings("tags").filterable())
        .with_data(DataField::new("extra", DataKind::Json).filterable())
        .with_data(DataField::string("place.city").filterable())
        .with_vector(subject.vector("embedding", 2).with_distance(subject.distance()))
}

/// Present, null (`d`) or missing (`e`).
fn usual() -> Vec<(&'static str, Value)> {
    vec![
        (
            "a",
            json!({ "text": "apple", "count": 1, "size": 1.0, "flag": true, "at": "2024-01-01T00:00:00Z",
            "tags": ["red", "round"], "extra": { "deep": [1, { "er": null }] }, "place": { "city": "Rome" } }),
        ),
        (
            "b",
            json!({ "text": "Apple pie", "count": 2, "size": 2.5, "flag": false, "at": "2024-01-01T01:00:00+02:00",
            "tags": ["red"], "extra": "plain", "place": { "city": "Oslo", "size": 1 } }),
        ),
        (
            "c",
            json!({ "text": "banana", "count": -3, "size": -0.5, "flag": true, "at": "2024-06-01",
            "tags": [], "extra": 7, "place": {} }),
        ),
        (
            "d",
            json!({ "text": null, "count": null, "size": null, "flag": null, "at": null,
            "tags": null, "extra": null, "place": null }),
        ),
        ("e", json!({ "other": null })),
        (
            "f",
            json!({ "text": "zebra Ünï%_*", "count": 10, "size": 10, "flag": false, "at": "2025-01-01T00:00:00.5Z",
            "tags": ["round", "red"], "extra": [1, 2], "place": { "city": "rome" } }),
        ),
        (
            "g",
            json!({ "text": "", "count": 0, "size": 1e300, "flag": false, "at": "1969-12-31T23:59:59.999Z",
            "tags": ["", "red and round"], "extra": true, "place.city": "Bonn", "place": { "city": null }}),
        ),
    ]
}

/// Each filter must match the records with those keys.
pub(super) async fn check(subject: &VectorSubject, expected: &[(&str, &str)]) {
    check_on(subject, usual(), expected).await;
}

pub(super) async fn check_on(
    subject: &VectorSubject,
    data: Vec<(&str, Value)>,
    expected: &[(&str, &str)],
) {
    let docs = subject.collection(filterable(subject)).await;
    // Distances increase, so a search has the order of a scan.
    let records = data.iter().zip(0_u16..).map(|((key, data), place)| {
        record(key, data.clone()).with_vector("embedding", direction(place * 5))
    });
    docs.upsert(records.collect()).await;
    for (text, expected) in expected {
        let filter: Filter = text.parse().unwrap_or_else(|error| panic!("{error}"));
        let expected: Vec<&str> = expected.split_whitespace().collect();
        let meant = data.iter().filter(|(_, data)| filter.matches_object(&object(data.clone())));
        let meant: Vec<&str> = meant.map(|(key, _)| *key).collect();
        assert_eq!(meant, expected, "the suite is wrong about `{filter}`");
        check_one(&docs, &filter, &expected).await;
    }
}

async fn check_one(docs: &TestCollection, filter: &Filter, expected: &[&str]) {
    let scan = ScanOptions::default().with_filter(filter.clone());
    let options = all().with_filter(filter.clone());
    let scanned = docs.collection.scan(&scan).await;
    let scanned = scanned.unwrap_or_else(|error| panic!("`{filter}` fails: {error:?}"));
    assert_eq!(scanned.total_count(), Some(TotalCount::Exact(expected.len() as u64)), "`{filter}`");
    let scanned = scanned.into_vec().await.expect("the records can be read");
    let scanned: Vec<String> = scanned.iter().map(|record| record.key.to_string()).collect();
    assert_eq!(scanned, expected, "a scan by `{filter}`");
    let nearest = keys(&docs.nearest(&direction(0), &options).await);
    assert_eq!(nearest, expected, "a search by `{filter}`");
}
