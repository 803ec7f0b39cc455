//! The meaning of each comparison.

use serde_json::{Value, json};

use crate::filter::{Comparison, DateTime, Filter, FilterValue, lookup};

fn holding(record: &Value, value: impl Into<FilterValue>) -> Vec<Comparison> {
    let value = value.into();
    let holds =
        |operator: &Comparison| Filter::compare("f", *operator, value.clone()).matches(record);
    Comparison::ALL.iter().copied().filter(holds).collect()
}

fn date(text: &str) -> DateTime {
    DateTime::parse(text).unwrap()
}

use Comparison::{Contains, Eq, Ge, Gt, Le, Lt, Ne, StartsWith};

const EQUAL: &[Comparison] = &[Eq, Le, Ge];
const LESS: &[Comparison] = &[Ne, Lt, Le];
const GREATER: &[Comparison] = &[Ne, Gt, Ge];
const UNRELATED: &[Comparison] = &[Ne];

#[test]
fn a_missing_field_matches_only_not_equal() {
    let values: [FilterValue; 6] =
        [true.into(), 1.into(), 1.0.into(), "x".into(), date("2024-01-01").into(), vec![1].into()];
    for value in values {
        for record in [json!({}), json!({ "f": null }), json!({ "g": 1 }), json!(null), json!([1])]
        {
            assert_eq!(holding(&record, value.clone()), UNRELATED, "{record} {value}");
        }
    }
}

#[test]
fn only_not_equal_holds_for_a_field_of_another_type() {
    let cases: [(Value, FilterValue); 14] = [
        (json!("1"), 1.into()),
        (json!("1"), 1.0.into()),
        (json!(1), "1".into()),
        (json!(true), 1.into()),
        (json!(1), true.into()),
        (json!("true"), true.into()),
        (json!(true), "true".into()),
        (json!({}), "x".into()),
        (json!({ "a": 1 }), vec![1].into()),
        (json!("x"), vec!["x"].into()),
        (json!(1), vec![1].into()),
        (json!(["x"]), "y".into()),
        (json!("soon"), date("2024-01-01").into()),
        (json!(1_704_067_200), date("2024-01-01").into()),
    ];
    for (stored, value) in cases {
        assert_eq!(holding(&json!({ "f": stored }), value.clone()), UNRELATED, "{stored} {value}");
    }
}

#[test]
fn numbers_compare_by_value_whatever_their_type() {
    let cases: [(Value, FilterValue, &[Comparison]); 11] = [
        (json!(1), 1.into(), EQUAL),
        (json!(1), 1.0.into(), EQUAL),
        (json!(1.0), 1.into(), EQUAL),
        (json!(0), (-0.0).into(), EQUAL),
        (json!(-0.0), 0.into(), EQUAL),
        (json!(1), 2.into(), LESS),
        (json!(1), 1.5.into(), LESS),
        (json!(1.5), 1.into(), GREATER),
        (json!(-1), (-1.5).into(), GREATER),
        (json!(-1.5), (-1).into(), LESS),
        (json!(0.1), 0.1.into(), EQUAL),
    ];
    for (stored, value, expected) in cases {
        assert_eq!(holding(&json!({ "f": stored }), value.clone()), expected, "{stored} {value}");
    }
}

#[test]
fn large_numbers_compare_without_rounding() {
    let cases: [(Value, FilterValue, &[Comparison]); 12] = [
        (json!(9_007_199_254_740_993_i64), 9_007_199_254_740_992.0.into(), GREATER),
        (json!(9_007_199_254_740_992.0), 9_007_199_254_740_993_i64.into(), LESS),
        (json!(9_007_199_254_740_992_i64), 9_007_199_254_740_992.0.into(), EQUAL),
        (json!(u64::MAX), i64::MAX.into(), GREATER),
        (json!(u64::MAX), (-1).into(), GREATER),
        (json!(u64::MAX), 18_446_744_073_709_551_616.0.into(), LESS),
        (json!(i64::MAX), 9_223_372_036_854_775_808.0.into(), LESS),
        (json!(9_223_372_036_854_775_808_u64), 9_223_372_036_854_775_808.0.into(), EQUAL),
        (json!(i64::MIN), (-9_223_372_036_854_775_808.0).into(), EQUAL),
        (json!(1e300), i64::MAX.into(), GREATER),
        (json!(-1e300), i64::MIN.into(), LESS),
        (json!(u64::MAX), 1e300.into(), LESS),
    ];
    for (stored, value, expected) in cases {
        assert_eq!(holding(&json!({ "f": stored }), value.clone()), expected, "{stored} {value}");
    }
}

#[test]
fn non_finite_numbers_equal_nothing_and_have_no_order() {
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for stored in [json!(1), json!(1.5), json!(f64::MAX), json!(u64::MAX), json!(f64::NAN)] {
            assert_eq!(holding(&json!({ "f": stored }), value), UNRELATED, "{stored} {value}");
        }
    }
}

#[test]
fn strings_compare_by_code_point() {
    let cases: [(&str, &str, &[Comparison]); 8] = [
        ("a", "b", LESS),
        ("Z", "a", LESS),
        ("é", "z", GREATER),
        // Above the surrogates: an order by UTF-16 unit would be the other way round.
        ("\u{ffff}", "\u{1f600}", LESS),
        ("10", "9", LESS),
        ("b", "a", GREATER),
        ("", "a", LESS),
        ("2024-08-14", "2024-08-14T00:00:00Z", LESS),
    ];
    for (stored, value, expected) in cases {
        assert_eq!(holding(&json!({ "f": stored }), value), expected, "{stored:?} {value:?}");
    }
}

#[test]
fn equal_strings_contain_and_start_with_each_other() {
    assert_eq!(holding(&json!({ "f": "a" }), "a"), [Eq, Le, Ge, Contains, StartsWith]);
}

#[test]
fn booleans_are_equal_or_not_and_have_no_order() {
    assert_eq!(holding(&json!({ "f": true }), true), [Eq]);
    assert_eq!(holding(&json!({ "f": false }), true), [Ne]);
    assert_eq!(holding(&json!({ "f": true }), false), [Ne]);
}

#[test]
fn contains_finds_a_part_of_a_string_by_exact_case() {
    let record = json!({ "f": "Text Search" });
    assert!(Filter::contains("f", "t S").matches(&record));
    assert!(Filter::contains("f", "").matches(&record));
    assert!(!Filter::contains("f", "search").matches(&record));
    assert!(!Filter::contains("f", vec!["Text"]).matches(&record));
}

#[test]
fn contains_finds_an_element_of_an_array_by_equality() {
    let record = json!({ "f": ["rust", 1, true, [2, 3], "2024-08-14"] });
    assert!(Filter::contains("f", "rust").matches(&record));
    assert!(Filter::contains("f", 1.0).matches(&record));
    assert!(Filter::contains("f", true).matches(&record));
    assert!(Filter::contains("f", vec![2, 3]).matches(&record));
    assert!(Filter::contains("f", date("2024-08-14T00:00:00Z")).matches(&record));
    assert!(!Filter::contains("f", "rus").matches(&record));
    assert!(!Filter::contains("f", 2).matches(&record));
    assert!(!Filter::contains("f", vec![2]).matches(&record));
}

#[test]
fn contains_is_false_for_numbers_and_objects() {
    assert!(!Filter::contains("f", 1).matches(&json!({ "f": 11 })));
    assert!(!Filter::contains("f", "a").matches(&json!({ "f": { "a": 1 } })));
}

#[test]
fn starts_with_is_for_strings_alone() {
    assert!(Filter::starts_with("f", "Te").matches(&json!({ "f": "Text" })));
    assert!(!Filter::starts_with("f", "te").matches(&json!({ "f": "Text" })));
    assert!(!Filter::starts_with("f", "ext").matches(&json!({ "f": "Text" })));
    assert!(!Filter::starts_with("f", "a").matches(&json!({ "f": ["a", "b"] })));
    assert!(!Filter::starts_with("f", 1).matches(&json!({ "f": 12 })));
}

#[test]
fn arrays_are_equal_element_by_element_and_have_no_order() {
    assert_eq!(holding(&json!({ "f": [1, "a"] }), vec![FilterValue::from(1.0), "a".into()]), [Eq]);
    assert_eq!(holding(&json!({ "f": [] }), Vec::<i64>::new()), [Eq]);
    assert_eq!(holding(&json!({ "f": [1, 2] }), vec![1]), [Ne]);
    assert_eq!(holding(&json!({ "f": [1] }), vec![1, 2]), [Ne]);
    assert_eq!(holding(&json!({ "f": [2, 1] }), vec![1, 2]), [Ne]);
    assert_eq!(holding(&json!({ "f": [null] }), vec![1]), [Ne]);
    assert_eq!(holding(&json!({ "f": [[1], []] }), vec![vec![1], vec![]]), [Eq]);
}

#[test]
fn dates_compare_as_instants_where_the_value_is_one() {
    let midnight = date("2024-08-14T00:00:00Z");
    let cases: [(&str, &[Comparison]); 6] = [
        ("2024-08-14", EQUAL),
        ("2024-08-14T02:00:00+02:00", EQUAL),
        ("2024-08-14T00:00:00.000", EQUAL),
        ("2024-08-14T00:00:00+02:00", LESS),
        ("2024-08-13T23:59:60Z", LESS),
        ("2024-08-14T00:00:00.000000001Z", GREATER),
    ];
    for (stored, expected) in cases {
        assert_eq!(holding(&json!({ "f": stored }), midnight), expected, "{stored}");
    }
}

#[test]
fn a_string_against_a_date_compares_as_text() {
    let record = json!({ "f": "2024-08-14T02:00:00+02:00" });
    assert!(!Filter::eq("f", "2024-08-14T00:00:00Z").matches(&record));
    assert!(Filter::gt("f", "2024-08-14T00:00:00Z").matches(&record));
}

#[test]
fn exists_means_present_and_not_null() {
    for stored in [json!(false), json!(0), json!(""), json!([]), json!({})] {
        assert!(Filter::exists("f").matches(&json!({ "f": stored })), "{stored}");
    }
    for record in [json!({}), json!({ "f": null }), json!({ "g": 1 }), json!("f")] {
        assert!(!Filter::exists("f").matches(&record), "{record}");
    }
}

#[test]
fn in_holds_where_one_of_the_values_is_equal() {
    let filter = Filter::is_in("f", vec![FilterValue::from("a"), 2.into()]);
    assert!(filter.matches(&json!({ "f": "a" })));
    assert!(filter.matches(&json!({ "f": 2.0 })));
    assert!(!filter.matches(&json!({ "f": "2" })));
    assert!(!filter.matches(&json!({ "f": ["a"] })));
    assert!(!filter.matches(&json!({ "f": null })));
    assert!(!filter.matches(&json!({})));
}

#[test]
fn groups_of_nothing_have_their_neutral_value() {
    let record = json!({ "f": 1 });
    assert!(!Filter::is_in("f", [0; 0]).matches(&record));
    assert!(Filter::all([]).matches(&record));
    assert!(!Filter::any([]).matches(&record));
}

#[test]
fn groups_and_negation_combine() {
    let record = json!({ "a": 1, "b": 2 });
    let yes = Filter::eq("a", 1);
    let no = Filter::eq("b", 1);
    assert!(yes.clone().and(!no.clone()).matches(&record));
    assert!(!yes.clone().and(no.clone()).matches(&record));
    assert!(yes.clone().or(no.clone()).matches(&record));
    assert!(!no.clone().or(no).matches(&record));
    assert!(!(!yes).matches(&record));
}

#[test]
fn an_exact_key_wins_over_a_path() {
    let record = json!({ "a.b": null, "a": { "b": 1 } });
    let record = record.as_object().unwrap();
    assert_eq!(lookup(record, "a.b"), Some(&Value::Null));
    assert!(!Filter::exists("a.b").matches_object(record));
}

#[test]
fn a_dotted_name_walks_into_objects() {
    let record = json!({ "a": { "b": { "c": 1 }, "b.d": 2, "": 3 }, "x": [1] });
    let record = record.as_object().unwrap();
    assert_eq!(lookup(record, "a.b.c"), Some(&json!(1)));
    assert_eq!(lookup(record, "a.b.d"), Some(&json!(2)));
    assert_eq!(lookup(record, "a."), Some(&json!(3)));
    for missing in ["a.c", "b", "", ".", "a.b.c.d", "x.0", ".a", "a..b"] {
        assert_eq!(lookup(record, missing), None, "{missing}");
    }
}
