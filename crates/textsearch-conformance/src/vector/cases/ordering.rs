//! The order of scans.

use serde_json::{Value, json};
use textsearch_core::vector::{DataField, DataKind, OrderBy, RecordDefinition, ScanOptions};

use crate::vector::{
    VectorSubject,
    fixture::{definition, record, refused_option},
};

async fn check(
    subject: &VectorSubject,
    kind: DataKind,
    values: &[(&str, Value)],
    expected: [&str; 2],
) {
    let definition =
        RecordDefinition::new("id").with_data(DataField::new("value", kind).filterable());
    let docs = subject.collection(definition).await;
    let records = values.iter().map(|(key, value)| match value {
        Value::Null => record(key, json!({})),
        value => record(key, json!({ "value": value })),
    });
    docs.upsert(records.collect()).await;
    docs.upsert(vec![record("null", json!({ "value": null }))]).await;
    let orders = [OrderBy::ascending("value"), OrderBy::descending("value")];
    for (order, expected) in orders.into_iter().zip(expected) {
        let expected: Vec<&str> = expected.split_whitespace().collect();
        let options = ScanOptions::default().with_order_by(order);
        assert_eq!(docs.scanned(&options).await, expected, "{kind:?}");
        for (top, skip) in [(2, 0), (2, 1), (3, 2), (100, 3), (0, 0)] {
            let window: Vec<&str> = expected.iter().skip(skip).take(top).copied().collect();
            let options = options.clone().with_top(top).with_skip(skip);
            assert_eq!(docs.scanned(&options).await, window, "top = {top}, skip = {skip}");
        }
    }
}

/// Ties order by key. Missing and null values come last in both directions.
pub(crate) async fn scans_order_by_whole_numbers(subject: &VectorSubject) {
    let values = [
        ("a", json!(2)),
        ("b", json!(10)),
        ("c", Value::Null),
        ("d", json!(-3)),
        ("e", json!(2)),
        ("f", json!(0)),
    ];
    check(subject, DataKind::Integer, &values, ["d f a e b c null", "b a e f d c null"]).await;
}

/// Numbers with and without a fraction share one order.
pub(crate) async fn scans_order_by_numbers(subject: &VectorSubject) {
    let values = [("a", json!(1.5)), ("b", json!(1)), ("c", json!(-0.25)), ("d", json!(1e9))];
    check(subject, DataKind::Number, &values, ["c b a d null", "d a b c null"]).await;
}

/// Texts order by code point.
pub(crate) async fn scans_order_by_texts(subject: &VectorSubject) {
    let values = [
        ("a", json!("b")),
        ("b", json!("B")),
        ("c", json!("é")),
        ("d", json!("")),
        ("e", json!("ba")),
        ("f", json!("10")),
        ("g", json!("9")),
    ];
    check(subject, DataKind::String, &values, ["d f g b a e c null", "c e a b g f d null"]).await;
}

/// Dates order by instant, whatever their offset.
pub(crate) async fn scans_order_by_dates(subject: &VectorSubject) {
    let values = [
        ("a", json!("2024-05-01T10:00:00Z")),
        ("b", json!("2024-05-01T11:00:00+02:00")),
        ("c", json!("2023-12-31")),
        ("d", json!("2024-05-01T10:00:00.001Z")),
    ];
    check(subject, DataKind::DateTime, &values, ["c b a d null", "d a b c null"]).await;
}

/// False comes first.
pub(crate) async fn scans_order_by_truth(subject: &VectorSubject) {
    let values = [("a", json!(true)), ("b", json!(false)), ("c", json!(true))];
    check(subject, DataKind::Boolean, &values, ["b a c null", "a c b null"]).await;
}

/// Later fields break ties of earlier ones.
pub(crate) async fn scans_order_by_several_fields(subject: &VectorSubject) {
    let docs = subject.collection(definition(subject)).await;
    let data = [("a", 1, "x"), ("b", 2, "x"), ("c", 1, "y"), ("d", 2, "y"), ("e", 2, "y")];
    let records =
        data.map(|(key, year, title)| record(key, json!({ "year": year, "title": title })));
    docs.upsert(records.into()).await;
    let options = ScanOptions::default()
        .with_order_by(OrderBy::ascending("title"))
        .with_order_by(OrderBy::descending("year"));
    assert_eq!(docs.scanned(&options).await, ["b", "a", "d", "e", "c"]);
    assert_eq!(docs.scanned(&options.with_top(2).with_skip(2)).await, ["d", "e"]);
    let by_key = ScanOptions::default().with_order_by(OrderBy::descending("id"));
    assert_eq!(docs.scanned(&by_key).await, ["e", "d", "c", "b", "a"]);
}

/// A dotted name leads into objects, unless the record has a field of that exact name.
pub(crate) async fn scans_order_by_nested_fields(subject: &VectorSubject) {
    let fields = [
        (DataKind::Integer, "place.rank", [json!(1), json!(2), json!(3)]),
        (DataKind::Number, "place.height", [json!(0.5), json!(1), json!(1.5)]),
        (DataKind::String, "place.city", [json!("Bonn"), json!("Oslo"), json!("Rome")]),
    ];
    for (kind, name, [min, middle, max]) in fields {
        let definition =
            RecordDefinition::new("id").with_data(DataField::new(name, kind).filterable());
        let docs = subject.collection(definition).await;
        let inner = name.trim_start_matches("place.");
        let records = vec![
            record("a", json!({ "place": {} })),
            record("b", json!({ "place": { inner: middle } })),
            record("c", json!({ "place": { inner: min.clone() } })),
            record("d", json!({ "place": { inner: min }, name: max })),
        ];
        docs.upsert(records).await;
        let orders = [OrderBy::ascending(name), OrderBy::descending(name)];
        for (order, expected) in
            orders.into_iter().zip([["c", "b", "d", "a"], ["d", "b", "c", "a"]])
        {
            let options = ScanOptions::default().with_order_by(order);
            assert_eq!(docs.scanned(&options).await, expected, "{kind:?}");
            let window = options.with_top(2).with_skip(1);
            assert_eq!(docs.scanned(&window).await, expected[1..3], "{kind:?}");
        }
    }
}

/// The error names the known fields.
pub(crate) async fn an_order_by_an_unknown_field_is_refused(subject: &VectorSubject) {
    let docs = subject.collection(definition(subject)).await;
    let options = ScanOptions::default().with_order_by(OrderBy::ascending("yaer"));
    let error = refused_option(docs.try_scan(&options).await, "an order by an unknown field");
    assert!(error.message().contains("year"), "the fields are not named: {error}");
}
