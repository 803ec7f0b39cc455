//! Every filter operator.

use serde_json::json;
use textsearch_core::{
    Filter,
    vector::{DataField, RecordDefinition, ScanOptions},
};

use super::filter_table::check;
use crate::vector::{
    VectorSubject,
    fixture::{record, refused_filter},
    subject::unused_name,
};

/// Covers every kind of field. `ne` is the negation of `eq`: true if the field is null or missing.
pub(crate) async fn eq_and_ne_filter_by_value(subject: &VectorSubject) {
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

/// Ranges include or exclude their bounds. The integer 1 equals 1.0.
pub(crate) async fn numbers_filter_by_value_and_not_by_form(subject: &VectorSubject) {
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

/// Capitals come before lower-case letters. No character is special.
pub(crate) async fn texts_filter_by_code_points(subject: &VectorSubject) {
    let expected = [
        (r#"text < "apple""#, "b g"),
        (r#"text <= "apple""#, "a b g"),
        (r#"text > "apple""#, "c f"),
        (r#"text >= "b""#, "c f"),
        (r#"text >= "Z" and text < "b""#, "a"),
        (r#"text > "zebra""#, "f"),
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

/// The filter lists several values.
pub(crate) async fn in_filters_by_any_of_the_values(subject: &VectorSubject) {
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

/// `contains` matches whole elements. In an equal list, the order counts. No single value equals a list.
pub(crate) async fn lists_filter_by_members_and_as_a_whole(subject: &VectorSubject) {
    let expected = [
        (r#"tags contains "red""#, "a b f"),
        (r#"tags contains "round""#, "a f"),
        (r#"tags contains "red and""#, ""),
        (r#"tags contains "Red""#, ""),
        (r#"tags contains """#, "g"),
        (r#"tags contains "red" and tags contains "round""#, "a f"),
        (r#"not (tags contains "red")"#, "c d e g"),
        (r#"tags contains "red" and not (tags contains "round")"#, "b"),
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

/// The value is not null, but may be empty.
pub(crate) async fn exists_filters_what_is_there(subject: &VectorSubject) {
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

/// Offset and precision do not matter.
pub(crate) async fn dates_filter_by_instant(subject: &VectorSubject) {
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

/// All other comparisons still work.
pub(crate) async fn texts_without_order_are_not_ordered(subject: &VectorSubject) {
    let mut definition = subject.definition().without_key_order();
    let data = definition.data.into_iter().map(DataField::without_text_order);
    definition.data = data.collect();
    let docs = subject.collection(definition).await;
    let data = |title: &str, year: i32| json!({ "title": title, "year": year });
    docs.upsert(vec![record("a", data("apple", 1)), record("b", data("berry", 2))]).await;
    for (filter, expected) in [
        (Filter::eq("title", "apple"), "a"),
        (Filter::ne("title", "apple"), "b"),
        (Filter::contains("title", "err"), "b"),
        (Filter::gt("year", 1), "b"),
        (Filter::eq("id", "a"), "a"),
    ] {
        assert_eq!(docs.filtered(filter.clone()).await, [expected], "{filter}");
    }
    for (filter, field) in [
        (Filter::lt("title", "b"), "title"),
        (Filter::ge("title", "b"), "title"),
        (!Filter::starts_with("title", "a"), "title"),
        (Filter::eq("year", 1).and(Filter::gt("id", "a")), "id"),
    ] {
        let scan = ScanOptions::default().with_filter(filter.clone());
        assert_eq!(refused_filter(docs.collection.scan(&scan).await, &filter), field);
    }
}

/// Filters may be empty.
pub(crate) async fn filters_nest(subject: &VectorSubject) {
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

/// A store may refuse such a field.
pub(crate) async fn a_quote_in_a_fields_name_does_no_harm(subject: &VectorSubject) {
    let store = subject.store().await;
    for name in ["it's", "a\"b", "a`b"] {
        let definition =
            RecordDefinition::new("id").with_data(DataField::integer(name).filterable());
        let Ok(docs) = subject.handle(&store, &unused_name(), definition) else { continue };
        if docs.collection.ensure_exists().await.is_ok() {
            let with_value = |key, value: u8| record(key, json!({ (name): value }));
            docs.upsert(vec![with_value("a", 1), with_value("b", 2)]).await;
            let keys = docs.filtered(Filter::eq(name, 2)).await;
            assert_eq!(keys, ["b"], "records whose field {name:?} is 2");
        }
    }
}
