//! Filters on mixed types, and on missing or unfilterable fields.

use serde_json::json;
use textsearch_core::{
    Filter,
    vector::{ScanOptions, SearchInput},
};

use super::filter_table::{check, check_on, filterable};
use crate::{
    case::skipped,
    vector::{
        VectorFeature, VectorSubject,
        fixture::{all, direction, record, refused_filter, refused_record},
    },
};

/// Values of another type are unequal, and not ordered. Fields of arbitrary JSON behave alike.
pub(crate) async fn values_of_any_type_filter_by_what_they_are(subject: &VectorSubject) {
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

/// The kind in the definition does not matter.
pub(crate) async fn fields_of_mixed_kinds_filter_by_what_they_hold(subject: &VectorSubject) {
    let mixed = json!({ "text": 7, "count": "1", "size": [1, 2.5], "flag": "true", "at": "yesterday",
        "tags": "red", "extra": null, "place": "Rome" });
    if !subject.capabilities.has(VectorFeature::MixedKinds) {
        let docs = subject.collection(filterable(subject)).await;
        let refused = docs.collection.upsert(vec![record("m", mixed)]).await;
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

/// The numbers exceed the 53 bits of a float.
pub(crate) async fn large_whole_numbers_compare_exactly(subject: &VectorSubject) {
    const EDGE: i64 = 1 << 53;
    let large = vec![
        ("a", json!({ "count": EDGE })),
        ("b", json!({ "count": EDGE + 1 })),
        ("c", json!({ "count": i64::MAX })),
        ("d", json!({ "count": i64::MIN })),
    ];
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

/// The fields are unknown or unfilterable, and may be deeply nested.
pub(crate) async fn filters_on_other_fields_are_refused(subject: &VectorSubject) {
    let docs = subject.collection(subject.definition()).await;
    docs.upsert(vec![record("a", json!({ "body": "x", "year": 1 }))]).await;
    for field in ["body", "nowhere", "embedding", ""] {
        let plain = Filter::eq(field, "x");
        let filters = [
            plain.clone(),
            !plain.clone(),
            Filter::exists(field),
            Filter::is_in(field, ["x"]),
            Filter::eq("year", 1).and(plain.clone()),
            Filter::eq("year", 1).or(Filter::any([!plain])),
        ];
        for filter in filters {
            let scan = ScanOptions::default().with_filter(filter.clone());
            assert_eq!(refused_filter(docs.try_scan(&scan).await, &filter), field);
            let options = all().with_filter(filter.clone());
            let query = SearchInput::from(&direction(0)[..]);
            let results = docs.collection.search(&query, &options).await;
            assert_eq!(refused_filter(results, &filter), field);
            if subject.capabilities.has(VectorFeature::FullText) {
                let results = docs.collection.full_text_search("x", &options).await;
                assert_eq!(refused_filter(results, &filter), field);
            }
        }
    }
}
