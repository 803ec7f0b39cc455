//! Compares conditions with the meaning of their filters, on records of every kind, evaluated like
//! a server without indexes.

mod server;

use proptest::prelude::*;
use qdrant_client::qdrant::condition::ConditionOneOf;
use serde_json::{Value, json};
use textsearch_core::{
    ErrorKind, Filter,
    filter::{DateTime, FilterOperator, FilterValue},
    text_analysis::SparseFields,
    vector::{DataField, DataKind, RecordDefinition, StoredRecord},
};

use self::server::Stored;
use super::{check_readable, translate};
use crate::{record::PointWriter, schema::Readable};

const KINDS: [(&str, DataKind); 8] = [
    ("text", DataKind::String),
    ("integer", DataKind::Integer),
    ("number", DataKind::Number),
    ("truth", DataKind::Boolean),
    ("date", DataKind::DateTime),
    ("tags", DataKind::Strings),
    ("any thing", DataKind::Json),
    ("nested.text", DataKind::String),
];

fn definition() -> RecordDefinition {
    let fields = KINDS.into_iter().map(|(name, kind)| DataField::new(name, kind).filterable());
    fields.fold(RecordDefinition::new("id"), RecordDefinition::with_data)
}

fn stored(field: &str, value: Option<&Value>) -> Stored {
    let definition = definition();
    let record = record(field, value);
    let record = StoredRecord::new(record.as_object().cloned().unwrap(), &definition).unwrap();
    let texts = SparseFields::new(&definition);
    Stored::new(PointWriter::new(&definition, texts.writer()).point(&record))
}

fn lets_through(filter: &Filter, field: &str, value: Option<&Value>) -> bool {
    stored(field, value).fits(&translate(filter, &definition()).unwrap())
}

fn record(field: &str, value: Option<&Value>) -> Value {
    let mut record = json!({ "id": "key" });
    if let Some(value) = value {
        match field.split_once('.') {
            Some((outer, inner)) => record[outer] = json!({ inner: value }),
            None => record[field] = value.clone(),
        }
    }
    record
}

fn values() -> Vec<Value> {
    let mut values = vec![
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(1.0),
        json!(-0.0),
        json!(1.5),
        json!(-1),
        json!(2020),
        json!(2020.0),
        json!(1e300),
        json!(-1e300),
        json!(9_007_199_254_740_992_u64),
        json!(9_007_199_254_740_993_u64),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(9_223_372_036_854_775_808_u64),
        json!(9.3e18),
        json!([]),
        json!(["a"]),
        json!(["a", "b"]),
        json!(["b", "a"]),
        json!([1]),
        json!([1.0, "a"]),
        json!([["a"]]),
        json!([null]),
        json!(["2024-01-01"]),
        json!(["a b c"]),
        json!({}),
        json!({ "a": "a" }),
        json!("2024-01-01"),
        json!("2024-01-01T00:00:00Z"),
        json!("2024-01-01T01:00:00+01:00"),
        json!("2024-01-01T00:00:00.000000001Z"),
        json!("2023-12-31T23:59:59.999999Z"),
        json!("2016-12-31T23:59:60Z"),
        json!("no date"),
        json!("true"),
        json!("1"),
        json!("a".repeat(29)),
        json!("a".repeat(60)),
    ];
    let texts = [
        "",
        "a",
        "ab",
        "abc",
        "abcdef",
        "abcdefg",
        "abcdefa",
        "a b",
        "a b c",
        "b",
        "B",
        "é",
        "日本",
        "\u{10ffff}",
    ];
    values.extend(texts.map(Value::from));
    values
}

fn filter_values() -> Vec<FilterValue> {
    let dates = ["2024-01-01", "2024-01-01T00:00:00.000000001Z", "2023-12-31T23:59:59.9999995Z"];
    let dates = dates.map(|date| FilterValue::from(DateTime::parse(date).unwrap()));
    let mut values: Vec<FilterValue> = vec![
        true.into(),
        false.into(),
        0.into(),
        1.into(),
        2020.into(),
        i64::MAX.into(),
        i64::MIN.into(),
        9_007_199_254_740_993_i64.into(),
        1.0.into(),
        1.5.into(),
        (-1e300).into(),
        9.3e18.into(),
        9_223_372_036_854_775_808.0.into(),
        1e31.into(),
        f64::NAN.into(),
        f64::INFINITY.into(),
        vec!["a"].into(),
        vec!["a", "b"].into(),
        vec!["a b c"].into(),
        vec![1].into(),
        Vec::<&str>::new().into(),
        FilterValue::List(vec![vec!["a"].into()]),
    ];
    values.extend(dates);
    let texts =
        ["", "a", "ab", "a b", "abcdef", "abcdefg", "b", "é", "2024-01-01", "true", "no date"];
    values.extend(texts.map(FilterValue::from));
    values.push("a".repeat(29).into());
    values
}

fn filters(field: &str) -> Vec<Filter> {
    let mut filters = vec![Filter::exists(field), Filter::is_in(field, Vec::<&str>::new())];
    for value in filter_values() {
        filters.extend([
            Filter::eq(field, value.clone()),
            Filter::ne(field, value.clone()),
            Filter::lt(field, value.clone()),
            Filter::le(field, value.clone()),
            Filter::gt(field, value.clone()),
            Filter::ge(field, value.clone()),
            Filter::contains(field, value.clone()),
            Filter::starts_with(field, value.clone()),
            Filter::is_in(field, [value, FilterValue::from("b")]),
        ]);
    }
    filters
}

#[test]
fn conditions_match_like_filters() {
    let values = values();
    let definition = definition();
    let mut compared = 0;
    for (field, _) in KINDS {
        let values = values.iter().map(Some).chain([None]);
        let of_field = values.map(|value| (record(field, value), stored(field, value)));
        let of_field: Vec<_> = of_field.collect();
        for filter in filters(field) {
            let conditions = translate(&filter, &definition).unwrap();
            for (record, stored) in &of_field {
                let expected = filter.matches(record);
                assert_eq!(stored.fits(&conditions), expected, "{filter:?} on {record}");
                compared += 1;
            }
        }
    }
    assert!(compared > 50_000, "{compared}");
}

fn comparison() -> impl Strategy<Value = Filter> {
    let filters: Vec<Filter> = KINDS.iter().flat_map(|(field, _)| filters(field)).collect();
    proptest::sample::select(filters)
}

fn any_filter() -> impl Strategy<Value = Filter> {
    comparison().prop_recursive(4, 16, 3, |inner| {
        let several = proptest::collection::vec(inner.clone(), 0..3);
        prop_oneof![
            several.clone().prop_map(Filter::And),
            several.prop_map(Filter::Or),
            inner.prop_map(|filter| Filter::Not(Box::new(filter))),
        ]
    })
}

proptest! {
    #[test]
    fn nested_conditions_match_like_filters(
        filter in any_filter(),
        place in 0..KINDS.len(),
        value in proptest::sample::select(values()),
    ) {
        let field = KINDS[place].0;
        let expected = filter.matches(&record(field, Some(&value)));
        prop_assert_eq!(lets_through(&filter, field, Some(&value)), expected);
    }

    #[test]
    fn numbers_compare_exactly(stored in any::<i64>(), offset in -2_i64..3) {
        let value = stored.saturating_add(offset);
        for filter in [Filter::eq("integer", value), Filter::lt("integer", value), Filter::ge("integer", value)] {
            let expected = filter.matches(&json!({ "integer": stored }));
            prop_assert_eq!(lets_through(&filter, "integer", Some(&json!(stored))), expected);
        }
    }
}

#[test]
fn key_filters_use_point_identifiers() {
    for (filter, expected) in [
        (Filter::eq("id", "key"), true),
        (Filter::eq("id", "other"), false),
        (Filter::eq("id", 1), false),
        (Filter::ne("id", "other"), true),
        (Filter::is_in("id", ["other", "key"]), true),
        (Filter::exists("id"), true),
        (Filter::ge("id", "kex"), true),
        (Filter::lt("id", "key"), false),
        (Filter::starts_with("id", "ke"), true),
        (Filter::contains("id", "ey"), true),
    ] {
        assert_eq!(lets_through(&filter, "text", None), expected, "{filter}");
    }
}

#[test]
fn refusal_lists_supported_operators() {
    let date = FilterValue::from(DateTime::parse("2024-01-01").unwrap());
    for (filter, operator) in [
        (Filter::lt("text", "a".repeat(30)), FilterOperator::Lt),
        (Filter::starts_with("text", "a".repeat(31)), FilterOperator::StartsWith),
        (Filter::eq("tags", FilterValue::List(vec![date.clone()])), FilterOperator::Eq),
        (Filter::contains("tags", FilterValue::List(vec![date])), FilterOperator::Contains),
    ] {
        let error = translate(&filter, &definition()).unwrap_err();
        match error.kind() {
            ErrorKind::UnsupportedFilter { operator: refused, supported, .. } => {
                assert_eq!(*refused, operator);
                assert!(!supported.is_empty() && !supported.contains(&operator));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn refuses_text_order_that_is_not_stored() {
    let long = translate(&Filter::lt("text", "a".repeat(30)), &definition()).unwrap_err();
    let expected = "cannot apply `lt` to `text`: only texts of at most 29 bytes can be ordered";
    assert_eq!(long.message(), expected);
    let mut unordered = definition();
    unordered.data.iter_mut().for_each(|field| field.text_order = false);
    let error = translate(&Filter::lt("text", "a"), &unordered).unwrap_err();
    assert!(error.message().contains("`DataField::without_text_order`"), "{error}");
    translate(&Filter::eq("text", "a").and(Filter::lt("integer", 1)), &unordered).unwrap();
}

#[test]
fn integer_ranges_have_whole_bounds() {
    for (filter, bounds) in [
        (Filter::lt("integer", 2.5), (None, Some(2.0))),
        (Filter::le("integer", -2.5), (None, Some(-3.0))),
        (Filter::gt("integer", 2.5), (Some(3.0), None)),
        (Filter::ge("integer", -2.5), (Some(-2.0), None)),
    ] {
        let conditions = translate(&filter, &definition()).unwrap();
        let plain = conditions.should[0].condition_one_of.clone().unwrap();
        let ConditionOneOf::Field(plain) = plain else { panic!("{plain:?}") };
        let range = plain.range.unwrap();
        assert_eq!((plain.key.as_str(), range.lt, range.gt), ("integer", None, None), "{filter}");
        assert_eq!((range.gte, range.lte), bounds, "{filter}");
    }
}

fn foreign(read_by_words: &[&str]) -> Readable {
    let read_by_words = read_by_words.iter().map(|name| (*name).to_owned()).collect();
    Readable { has_columns: false, read_by_words }
}

#[test]
fn rejects_substrings_on_fields_with_text_index() {
    let indexed = foreign(&["text", "tags", "id"]);
    let complete = Readable { has_columns: true, ..foreign(&["text", "tags", "id"]) };
    for filter in [Filter::contains("text", "a"), !Filter::contains("text", "a")] {
        for collection in [&indexed, &complete] {
            let error = check_readable(&filter, &definition(), collection).unwrap_err();
            let ErrorKind::UnsupportedFilter { field, operator, supported, .. } = error.kind()
            else {
                panic!("{error}")
            };
            assert_eq!((field.as_str(), *operator), ("text", FilterOperator::Contains));
            assert!(supported.contains(&FilterOperator::Eq), "{supported:?}");
            assert!(error.message().contains("text index finds words"), "{error}");
        }
        check_readable(&filter, &definition(), &foreign(&["tags"])).unwrap();
    }
    check_readable(&Filter::contains("id", "k"), &definition(), &complete).unwrap_err();
    // Members of lists and whole texts aren't searched by words.
    for filter in [Filter::contains("tags", "a"), Filter::eq("text", "a b")] {
        check_readable(&filter, &definition(), &indexed).unwrap();
    }
}

#[test]
fn without_columns_only_plain_comparisons_are_allowed() {
    let date = || FilterValue::from(DateTime::parse("2024-01-01").unwrap());
    let list = || FilterValue::List(vec!["a".into()]);
    for filter in [
        Filter::eq("text", "a"),
        Filter::contains("text", "a"),
        Filter::is_in("integer", [1, 2]),
        Filter::lt("number", 1.5),
        Filter::ge("date", date()),
        Filter::ne("truth", true),
        Filter::contains("tags", "a"),
        Filter::exists("any thing"),
        Filter::eq("id", "key"),
    ] {
        check_readable(&filter, &definition(), &foreign(&[])).unwrap();
    }
    for filter in [
        Filter::lt("text", "b"),
        Filter::starts_with("text", "a"),
        Filter::eq("text", date()),
        Filter::ge("date", "2024"),
        Filter::eq("tags", list()),
        Filter::contains("tags", date()),
        Filter::eq("any thing", 1),
        Filter::eq("nested.text", "a"),
        Filter::starts_with("id", "k"),
        Filter::Not(Box::new(Filter::eq("text", "a").and(Filter::lt("text", "b")))),
    ] {
        let error = check_readable(&filter, &definition(), &foreign(&[])).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::UnsupportedFilter { .. }), "{filter}: {error}");
    }
}
