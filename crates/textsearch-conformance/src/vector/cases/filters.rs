//! Every operator of filters, with the records that it lets through.

use serde_json::{Value, json};
use textsearch_core::{
    Filter, TotalCount,
    vector::{DataField, DataKind, RecordDefinition, ScanOptions, SearchInput, VectorField},
};

use crate::{
    runner::skipped,
    vector::{
        VectorSubject,
        fixture::{
            Held, all, definition, direction, keys, object, record, refused_filter, refused_record,
        },
    },
};

fn filterable(subject: &VectorSubject) -> RecordDefinition {
    RecordDefinition::new("id")
        .with_data(DataField::string("text").filterable())
        .with_data(DataField::integer("count").filterable())
        .with_data(DataField::number("size").filterable())
        .with_data(DataField::boolean("flag").filterable())
        .with_data(DataField::date_time("at").filterable())
        .with_data(DataField::strings("tags").filterable())
        .with_data(DataField::new("extra", DataKind::Json).filterable())
        .with_data(DataField::string("place.city").filterable())
        .with_vector(VectorField::new("embedding", 2).with_distance(subject.distance()))
}

/// Fields that are there, that are null (`d`) and that are missing (`e`).
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

/// Asserts that each filter lets through the records with those keys.
async fn check(subject: &VectorSubject, expected: &[(&str, &str)]) {
    check_on(subject, usual(), expected).await;
}

async fn check_on(subject: &VectorSubject, data: Vec<(&str, Value)>, expected: &[(&str, &str)]) {
    let held = subject.collection(filterable(subject)).await;
    // Ever farther from the query, so that a search has the order of a scan.
    let records = data.iter().zip(0_u16..).map(|((key, data), place)| {
        record(key, data.clone()).with_vector("embedding", direction(place * 5))
    });
    held.upsert(records.collect()).await;
    for (text, expected) in expected {
        let filter: Filter = text.parse().unwrap_or_else(|error| panic!("{error}"));
        let expected: Vec<&str> = expected.split_whitespace().collect();
        let meant = data.iter().filter(|(_, data)| filter.matches_object(&object(data.clone())));
        let meant: Vec<&str> = meant.map(|(key, _)| *key).collect();
        assert_eq!(meant, expected, "the suite is wrong about `{filter}`");
        check_one(subject, &held, &filter, &expected).await;
    }
}

async fn check_one(subject: &VectorSubject, held: &Held, filter: &Filter, expected: &[&str]) {
    let scan = ScanOptions::default().with_filter(filter.clone());
    let options = all().with_filter(filter.clone());
    if !subject.capabilities.supports(filter, held.collection.definition()) {
        refused_filter(held.try_scan(&scan).await, filter);
        let query = SearchInput::from(&direction(0)[..]);
        refused_filter(held.collection.search(&query, &options).await, filter);
        return;
    }
    let scanned = held.collection.scan(&scan).await;
    let scanned = scanned.unwrap_or_else(|error| panic!("`{filter}` fails: {error:?}"));
    assert_eq!(scanned.total_count(), Some(TotalCount::Exact(expected.len() as u64)), "`{filter}`");
    let scanned = scanned.into_vec().await.expect("the records can be read");
    let scanned: Vec<String> = scanned.iter().map(|record| record.key.to_string()).collect();
    assert_eq!(scanned, expected, "a scan by `{filter}`");
    let nearest = keys(&held.nearest(&direction(0), &options).await);
    assert_eq!(nearest, expected, "a search by `{filter}`");
}

/// Equal is equal, in every kind of field.
pub async fn eq_filters_by_value(subject: &VectorSubject) {
    let expected = [
        (r#"text = "apple""#, "a"),
        (r#"text = "Apple""#, ""),
        (r#"text = "app""#, ""),
        (r#"text = """#, "g"),
        (r#"text = "zebra Ünï%_*""#, "f"),
        ("count = 2", "b"),
        ("count = -3", "c"),
        ("count = 3", ""),
        ("size = 2.5", "b"),
        ("flag = true", "a c"),
        ("flag = false", "b f g"),
        (r#"`place.city` = "Rome""#, "a"),
        (r#"`place.city` = "Bonn""#, "g"),
    ];
    check(subject, &expected).await;
}

/// Unequal is the negation of equal: true where the field is null or missing.
pub async fn ne_filters_by_value_and_keeps_what_is_missing(subject: &VectorSubject) {
    let expected = [
        (r#"text != "apple""#, "b c d e f g"),
        ("count != 2", "a c d e f g"),
        ("size != 10", "a b c d e g"),
        ("flag != true", "b d e f g"),
        (r#"at != date "2024-01-01T00:00:00Z""#, "b c d e f g"),
        (r#"tags != ["red"]"#, "a c d e f g"),
        (r#"`place.city` != "Rome""#, "b c d e f g"),
        (r#"not (text = "apple")"#, "b c d e f g"),
        (r#"not (text != "apple")"#, "a"),
    ];
    check(subject, &expected).await;
}

/// Ranges of numbers, with and without their ends.
pub async fn numbers_filter_by_range(subject: &VectorSubject) {
    let expected = [
        ("count < 1", "c g"),
        ("count <= 1", "a c g"),
        ("count > 1", "b f"),
        ("count >= 2", "b f"),
        ("count > 100", ""),
        ("size < 1.0", "c"),
        ("size <= 1.0", "a c"),
        ("size > 2.5", "f g"),
        ("size >= 2.5", "b f g"),
        ("size > 1e200", "g"),
        ("count > 0 and count <= 2", "a b"),
        ("not (count >= 1)", "c d e g"),
    ];
    check(subject, &expected).await;
}

/// Numbers compare by value, whole or not: 1 is 1.0.
pub async fn numbers_filter_by_value_and_not_by_form(subject: &VectorSubject) {
    let expected = [
        ("count = 1.0", "a"),
        ("size = 1", "a"),
        ("size = 10.0", "f"),
        ("count = 1.5", ""),
        ("count < 1.5", "a c g"),
        ("count >= 1.5", "b f"),
        ("count > -2.5", "a b f g"),
        ("size >= 1", "a b f g"),
        ("count in [1.0, 10.0, 2.5]", "a f"),
        ("size in [1, 10]", "a f"),
        ("count != 2.0", "a c d e f g"),
    ];
    check(subject, &expected).await;
}

/// Texts order by code point, capitals before small letters.
pub async fn texts_filter_by_code_point(subject: &VectorSubject) {
    let expected = [
        (r#"text < "apple""#, "b g"),
        (r#"text <= "apple""#, "a b g"),
        (r#"text > "apple""#, "c f"),
        (r#"text >= "b""#, "c f"),
        (r#"text >= "Z" and text < "b""#, "a"),
        (r#"text > "zebra""#, "f"),
    ];
    check(subject, &expected).await;
}

/// One of several values.
pub async fn in_filters_by_any_of_the_values(subject: &VectorSubject) {
    let expected = [
        (r#"text in ["apple", "banana", "cherry"]"#, "a c"),
        ("count in [1, 2, 3]", "a b"),
        ("flag in [true]", "a c"),
        ("text in []", ""),
        ("not (text in [])", "a b c d e f g"),
        (r#"not (text in ["apple", "banana"])"#, "b d e f g"),
        (r#"tags in [["red"], []]"#, "b c"),
        (r#"`place.city` in ["Rome", "Oslo"]"#, "a b"),
        (r#"at in [date "2024-01-01T00:00:00Z", date "2024-06-01T00:00:00Z"]"#, "a c"),
    ];
    check(subject, &expected).await;
}

/// A part of a text, case and all; no sign in it means anything else than itself.
pub async fn contains_filters_texts_by_their_parts(subject: &VectorSubject) {
    let expected = [
        (r#"text contains "pple""#, "a b"),
        (r#"text contains "Apple""#, "b"),
        (r#"text contains "e pi""#, "b"),
        (r#"text contains "Ünï""#, "f"),
        (r#"text contains "%""#, "f"),
        (r#"text contains "_""#, "f"),
        (r#"text contains "*""#, "f"),
        (r#"text contains ".""#, ""),
        (r#"text contains """#, "a b c f g"),
        (r#"not (text contains "pple")"#, "c d e f g"),
    ];
    check(subject, &expected).await;
}

/// A member of a list, as a whole.
pub async fn contains_filters_lists_by_their_members(subject: &VectorSubject) {
    let expected = [
        (r#"tags contains "red""#, "a b f"),
        (r#"tags contains "round""#, "a f"),
        (r#"tags contains "red and""#, ""),
        (r#"tags contains "Red""#, ""),
        (r#"tags contains """#, "g"),
        (r#"tags contains "red" and tags contains "round""#, "a f"),
        (r#"not (tags contains "red")"#, "c d e g"),
        (r#"tags contains "red" and not (tags contains "round")"#, "b"),
    ];
    check(subject, &expected).await;
}

/// A list equals one of as many values, in their order, and no single value.
pub async fn lists_are_equal_as_a_whole(subject: &VectorSubject) {
    let expected = [
        (r#"tags = ["red", "round"]"#, "a"),
        (r#"tags = ["round", "red"]"#, "f"),
        (r#"tags = ["red"]"#, "b"),
        ("tags = []", "c"),
        (r#"tags = "red""#, ""),
        (r#"tags != "red""#, "a b c d e f g"),
        (r#"tags starts_with "red""#, ""),
        (r#"tags < "z""#, ""),
    ];
    check(subject, &expected).await;
}

/// The beginning of a text, case and all.
pub async fn starts_with_filters_by_the_beginning(subject: &VectorSubject) {
    let expected = [
        (r#"text starts_with "app""#, "a"),
        (r#"text starts_with "Apple ""#, "b"),
        (r#"text starts_with "pie""#, ""),
        (r#"text starts_with "apple pie""#, ""),
        (r#"text starts_with """#, "a b c f g"),
        (r#"text starts_with "zebra Ün""#, "f"),
        (r#"not (text starts_with "a")"#, "b c d e f g"),
    ];
    check(subject, &expected).await;
}

/// There and not null; an empty text or list is there.
pub async fn exists_filters_what_is_there(subject: &VectorSubject) {
    let expected = [
        ("text exists", "a b c f g"),
        ("count exists", "a b c f g"),
        ("size exists", "a b c f g"),
        ("flag exists", "a b c f g"),
        ("at exists", "a b c f g"),
        ("tags exists", "a b c f g"),
        ("extra exists", "a b c f g"),
        ("`place.city` exists", "a b f g"),
        ("not (text exists)", "d e"),
    ];
    check(subject, &expected).await;
}

/// Dates compare as instants, whatever offset and precision they are written with.
pub async fn dates_filter_by_instant(subject: &VectorSubject) {
    let expected = [
        (r#"at = date "2024-01-01T00:00:00Z""#, "a"),
        (r#"at = date "2024-01-01T03:00:00+03:00""#, "a"),
        (r#"at = date "2023-12-31T23:00:00Z""#, "b"),
        (r#"at < date "2024-01-01T00:00:00Z""#, "b g"),
        (r#"at <= date "2024-01-01T00:00:00Z""#, "a b g"),
        (r#"at > date "2024-01-01T00:00:00Z""#, "c f"),
        (r#"at >= date "2024-06-01T00:00:00Z""#, "c f"),
        (r#"at >= date "2024-06-01T00:00:00.001Z""#, "f"),
        (r#"at = date "2025-01-01T00:00:00.500Z""#, "f"),
        (r#"at > date "2025-01-01T00:00:00.499Z""#, "f"),
        (r#"at < date "1970-01-01T00:00:00Z""#, "g"),
    ];
    check(subject, &expected).await;
}

/// `And`, `Or` and `Not` in each other, and of nothing.
pub async fn filters_nest(subject: &VectorSubject) {
    let expected = [
        ("true", "a b c d e f g"),
        ("false", ""),
        ("not (true)", ""),
        ("not (false)", "a b c d e f g"),
        ("count = 1 or count = 2", "a b"),
        ("flag = true and count = 1", "a"),
        ("flag = true and count = 2", ""),
        (r#"(flag = true or count > 5) and not (text = "apple")"#, "c f"),
        (r#"not (flag = true or flag = false)"#, "d e"),
        (r#"not (flag = true and count = 1)"#, "b c d e f g"),
        (r#"all(count = 1)"#, "a"),
        (r#"any(count = 1)"#, "a"),
        (r#"not (not (count = 1 or not (text exists)))"#, "a d e"),
        (
            r#"((count > 0 and (size < 3 or flag = false)) or (tags contains "red" and not (count = 1))) and text != "x""#,
            "a b f",
        ),
        ("flag = true and false", ""),
        ("flag = true or true", "a b c d e f g"),
    ];
    check(subject, &expected).await;
}

/// A value of another type than the filter's is neither equal nor in any order with it.
pub async fn values_of_another_type_are_unequal(subject: &VectorSubject) {
    let expected = [
        (r#"count = "1""#, ""),
        (r#"count != "1""#, "a b c d e f g"),
        (r#"count < "9""#, ""),
        ("text = 1", ""),
        ("text != 1", "a b c d e f g"),
        ("text < 5", ""),
        ("flag = 1", ""),
        (r#"flag = "true""#, ""),
        (r#"count contains "1""#, ""),
        (r#"count starts_with "1""#, ""),
        (r#"text = ["apple"]"#, ""),
        (r#"text = date "2024-01-01T00:00:00Z""#, ""),
        (r#"at = "2024-01-01T00:00:00Z""#, "a"),
        (r#"at starts_with "2024-""#, "a b c"),
    ];
    check(subject, &expected).await;
}

/// A field may hold values of another kind than it is defined with; filters take them for what they are.
pub async fn fields_of_mixed_kinds_filter_by_what_they_hold(subject: &VectorSubject) {
    let mixed = json!({ "text": 7, "count": "1", "size": [1, 2.5], "flag": "true", "at": "yesterday",
        "tags": "red", "extra": null, "place": "Rome" });
    if !subject.capabilities.mixed_kinds {
        let held = subject.collection(filterable(subject)).await;
        let refused = held.collection.upsert(vec![record("m", mixed)]).await;
        refused_record(refused, "a value of another kind");
        return skipped("mixed_kinds");
    }
    let data = vec![
        ("a", json!({ "text": "7", "count": 1, "size": 1, "flag": true, "tags": ["red"] })),
        ("m", mixed),
        ("n", json!({ "count": 1.0, "at": "2024-01-01T00:00:00Z", "tags": [1, "red", null] })),
    ];
    let expected = [
        ("text = 7", "m"),
        (r#"text = "7""#, "a"),
        ("text > 5", "m"),
        ("count = 1", "a n"),
        (r#"count = "1""#, "m"),
        (r#"count != 1"#, "m"),
        ("size = 1", "a"),
        ("size = [1, 2.5]", "m"),
        ("size contains 2.5", "m"),
        ("flag = true", "a"),
        (r#"flag = "true""#, "m"),
        (r#"tags = "red""#, "m"),
        (r#"tags contains "red""#, "a m n"),
        (r#"tags contains "re""#, "m"),
        ("tags contains 1", "n"),
        (r#"at < date "2030-01-01T00:00:00Z""#, "n"),
        (r#"at != date "2030-01-01T00:00:00Z""#, "a m n"),
        (r#"at = "yesterday""#, "m"),
        (r#"`place.city` = "Rome""#, ""),
        ("not (count >= 1)", "m"),
    ];
    check_on(subject, data, &expected).await;
}

/// Fields of any JSON filter by what they hold, too.
pub async fn json_fields_filter_by_what_they_hold(subject: &VectorSubject) {
    let expected = [
        (r#"extra = "plain""#, "b"),
        ("extra = 7", "c"),
        ("extra > 6", "c"),
        ("extra = true", "g"),
        ("extra = [1, 2]", "f"),
        ("extra contains 2", "f"),
        (r#"extra contains "lai""#, "b"),
        (r#"extra starts_with "pl""#, "b"),
        ("extra != 7", "a b d e f g"),
        (r#"extra in ["plain", 7]"#, "b c"),
    ];
    check(subject, &expected).await;
}

/// Whole numbers beyond the 53 bits of a float compare exactly.
pub async fn large_whole_numbers_compare_exactly(subject: &VectorSubject) {
    const EDGE: i64 = 1 << 53;
    let large = vec![
        ("a", json!({ "count": EDGE })),
        ("b", json!({ "count": EDGE + 1 })),
        ("c", json!({ "count": i64::MAX })),
        ("d", json!({ "count": i64::MIN })),
    ];
    if !subject.capabilities.large_integers {
        let held = subject.collection(filterable(subject)).await;
        let records = large.into_iter().skip(1).map(|(key, data)| record(key, data));
        for record in records {
            let refused = held.collection.upsert(vec![record]).await;
            refused_record(refused, "a large number");
        }
        let scan = ScanOptions::default().with_filter(Filter::gt("count", EDGE + 1));
        assert!(held.try_scan(&scan).await.is_err(), "a large number in a filter is not refused");
        return skipped("large_integers");
    }
    let expected = [
        ("count = 9007199254740993", "b"),
        ("count = 9007199254740992", "a"),
        ("count = 9007199254740992.0", "a"),
        ("count > 9007199254740992", "b c"),
        ("count >= 9007199254740993", "b c"),
        ("count < 9007199254740993", "a d"),
        ("count = 9223372036854775807", "c"),
        ("count <= -9223372036854775808", "d"),
        ("count in [9007199254740993, 1]", "b"),
    ];
    check_on(subject, large, &expected).await;
}

/// A field that is not filterable, and one that is not there, are refused wherever they stand.
pub async fn filters_on_other_fields_are_refused(subject: &VectorSubject) {
    let held = subject.collection(definition(subject)).await;
    held.upsert(vec![record("a", json!({ "body": "x", "year": 1 }))]).await;
    for field in ["body", "nowhere", "embedding", ""] {
        let plain = Filter::eq(field, "x");
        let filters = [
            plain.clone(),
            plain.clone().negate(),
            Filter::exists(field),
            Filter::is_in(field, ["x"]),
            Filter::eq("year", 1).and(plain.clone()),
            Filter::eq("year", 1).or(Filter::any([plain.negate()])),
        ];
        for filter in filters {
            let scan = ScanOptions::default().with_filter(filter.clone());
            assert_eq!(refused_filter(held.try_scan(&scan).await, &filter), field);
            let options = all().with_filter(filter.clone());
            let query = SearchInput::from(&direction(0)[..]);
            let found = held.collection.search(&query, &options).await;
            assert_eq!(refused_filter(found, &filter), field);
            if subject.capabilities.full_text {
                let found = held.collection.full_text_search("x", &options).await;
                assert_eq!(refused_filter(found, &filter), field);
            }
        }
    }
}
