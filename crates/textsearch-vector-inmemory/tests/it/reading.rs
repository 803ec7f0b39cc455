//! Reading by key, and scans.

use serde_json::{Value, json};
use textsearch_core::vector::{DataField, OrderBy, RecordDefinition, ScanOptions};
use textsearch_core::{ErrorKind, Filter};

use crate::support::{Stored, collection, definition, option_of, point, record, scanned};

async fn with_years(years: &[(&str, Value)]) -> Stored {
    let collection = collection(definition()).await;
    let records = years.iter().map(|(id, year)| record(id, json!({ "year": year, "title": id })));
    collection.upsert(records.collect()).await.unwrap();
    collection
}

fn by(field: &str) -> ScanOptions {
    ScanOptions::default().with_order_by(OrderBy::ascending(field))
}

#[tokio::test]
async fn missing_values_come_last_in_both_directions() {
    let years = [("a", Value::Null), ("b", json!(2)), ("c", json!(10)), ("d", json!(2.0))];
    let collection = with_years(&years).await;
    collection.upsert(vec![record("e", json!({}))]).await.unwrap();
    assert_eq!(scanned(&collection, &by("year")).await, ["b", "d", "c", "a", "e"]);
    let descending = ScanOptions::default().with_order_by(OrderBy::descending("year"));
    assert_eq!(scanned(&collection, &descending).await, ["c", "b", "d", "a", "e"]);
}

#[tokio::test]
async fn later_fields_break_ties() {
    let collection = collection(definition()).await;
    let data = [("a", 1, "x"), ("b", 2, "x"), ("c", 1, "y"), ("d", 2, "y")];
    let records = data.map(|(id, year, body)| record(id, json!({ "year": year, "body": body })));
    collection.upsert(records.into()).await.unwrap();
    // One of the two is not filterable, so its values are not in a column.
    let options = by("body").with_order_by(OrderBy::descending("year"));
    assert_eq!(scanned(&collection, &options).await, ["b", "a", "d", "c"]);
    assert_eq!(scanned(&collection, &options.with_top(2).with_skip(1)).await, ["a", "d"]);
}

#[tokio::test]
async fn values_of_different_types_have_a_fixed_order() {
    let values =
        [json!([2]), json!("b"), json!(3), json!(true), json!({}), json!(false), json!(-1.5)];
    let keys = ["g", "f", "e", "d", "c", "b", "a"];
    let years: Vec<(&str, Value)> = keys.into_iter().zip(values).collect();
    let collection = with_years(&years).await;
    assert_eq!(scanned(&collection, &by("year")).await, ["b", "d", "a", "e", "f", "g", "c"]);
}

#[tokio::test]
async fn unknown_order_field_error_lists_known_fields() {
    let error = collection(definition()).await.scan(&by("yaer")).await.unwrap_err();
    assert_eq!(option_of(&error), "order_by");
    assert!(error.message().contains("id, title, body, year, tags"), "{error}");
}

#[tokio::test]
async fn filter_may_use_the_key_and_filterable_fields_only() {
    let collection = with_years(&[("a", json!(1)), ("b", json!(2))]).await;
    let scan = |filter| ScanOptions::default().with_filter(filter);
    assert_eq!(scanned(&collection, &scan(Filter::eq("id", "b"))).await, ["b"]);
    let both = Filter::eq("id", "b").and(Filter::eq("year", 1));
    assert!(scanned(&collection, &scan(both)).await.is_empty());
    let error = collection.scan(&scan(Filter::eq("body", "x"))).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::UnsupportedFilter { field, .. } if field == "body"));
}

#[tokio::test]
async fn filter_on_the_key_needs_no_filterable_field() {
    let collection =
        crate::support::points(Default::default(), &[("a", &[1.0]), ("b", &[1.0])]).await;
    let options = ScanOptions::default().with_filter(Filter::is_in("id", ["b", "c"]));
    assert_eq!(scanned(&collection, &options).await, ["b"]);
}

#[tokio::test]
async fn field_may_be_a_path_into_an_object() {
    let definition = RecordDefinition::new("id")
        .with_data(DataField::string("author.name").filterable().full_text());
    let collection = collection(definition).await;
    collection.upsert(vec![record("a", json!({ "author": { "name": "Ada" } }))]).await.unwrap();
    let options = ScanOptions::default().with_filter(Filter::eq("author.name", "Ada"));
    assert_eq!(scanned(&collection, &options).await, ["a"]);
    let results = collection.full_text_search("ada", &Default::default()).await;
    assert_eq!(crate::support::keys(results).await, ["a"]);
}

#[tokio::test]
async fn results_do_not_change_after_the_call() {
    let collection = collection(definition()).await;
    collection.upsert(vec![point("a", &[1.0, 0.0]), point("b", &[0.0, 1.0])]).await.unwrap();
    let mut results = collection.scan(&ScanOptions::default().with_vectors(true)).await.unwrap();
    collection.delete(&["b".into()]).await.unwrap();
    collection.upsert(vec![point("a", &[9.0, 9.0]), point("c", &[9.0, 9.0])]).await.unwrap();
    let first = results.next().await.unwrap().unwrap();
    assert_eq!(first.vectors["embedding"].as_ref(), [1.0, 0.0]);
    let second = results.next().await.unwrap().unwrap();
    assert_eq!(
        (second.key.to_string(), second.vectors["embedding"].as_ref()),
        ("b".to_owned(), &[0.0, 1.0][..])
    );
    assert!(results.next().await.is_none());
}
