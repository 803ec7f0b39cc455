//! Filters split into conditions.

use super::*;
use crate::{ErrorKind, web::Sites};

fn fields() -> [FilterableField; 5] {
    [
        FilterableField::string("site", "The site").with_all_operators(),
        FilterableField::string("topic", "The topic"),
        FilterableField::integer("level", "The level").with_all_operators(),
        FilterableField::number("weight", "The weight").with_all_operators(),
        FilterableField::boolean("fresh", "Whether it is fresh").with_all_operators(),
    ]
}

fn parsed(filter: &str) -> Result<Conditions> {
    Conditions::of("example", &filter.parse().unwrap(), &fields())
}

fn shown(filter: &str) -> Vec<String> {
    parsed(filter).unwrap().all.iter().map(text).collect()
}

fn text(condition: &Condition) -> String {
    let sign = if condition.negated { "not " } else { "" };
    format!("{sign}{} {} {}", condition.field, condition.operator, condition.values.join("|"))
}

#[test]
fn negations_end_at_single_comparisons() {
    let cases = [
        (r#"not (site != "a")"#, "site eq a"),
        (r#"not (site in ["a", "b"])"#, "not site eq a|b"),
        (r#"site = "a" or site in ["b"]"#, "site eq a|b"),
        (r#"not (site != "a" and site != "b")"#, "site eq a|b"),
        ("level = 2", "level eq 2"),
        ("weight >= 1.5", "weight ge 1.5"),
        ("fresh = true", "fresh eq true"),
    ];
    for (filter, expected) in cases {
        assert_eq!(shown(filter), [expected], "{filter}");
    }
    let both = shown(r#"not (site = "a" or site = "b")"#);
    assert_eq!(both, ["not site eq a", "not site eq b"]);
}

#[test]
fn equalities_on_one_field_are_narrowed() {
    let cases = [
        (r#"topic = "a" and topic = "b""#, None),
        (r#"topic = "a" and (topic = "b" or topic = "a")"#, Some("topic eq a")),
        (r#"site = "docs.rs" and site in ["b.docs.rs", "a.rs"]"#, Some("site eq b.docs.rs")),
        (r#"site = "b.docs.rs" and site = "Docs.rs""#, Some("site eq b.docs.rs")),
        (r#"site = "a.rs" and site = "b.rs""#, None),
    ];
    for (filter, expected) in cases {
        let narrowed = parsed(filter).unwrap().narrowed(&["site"]).unwrap();
        let met = (!narrowed.are_never_met).then_some(narrowed.all);
        assert_eq!(
            met.map(|all| all.iter().map(text).collect()),
            expected.map(|condition| vec![condition.to_owned()]),
            "{filter}"
        );
    }
    for filter in [
        r#"site = "a" and site != "b""#,
        "level >= 1 and level >= 2",
        r#"site = "a" and topic = "a""#,
    ] {
        let conditions = parsed(filter).unwrap();
        assert_eq!(conditions.clone().narrowed(&["site"]).unwrap(), conditions, "{filter}");
    }
    let error = parsed(r#"site = "a" and site = "a b""#).unwrap().narrowed(&["site"]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }), "{error:?}");
}

#[test]
fn constant_filters_are_no_conditions() {
    for (filter, is_never) in [
        ("true", false),
        ("not (site in [])", false),
        (r#"true or site = "a""#, false),
        ("false", true),
        ("site in []", true),
        ("site in [] or false", true),
    ] {
        let conditions = parsed(filter).unwrap();
        assert_eq!((conditions.all.len(), conditions.are_never_met), (0, is_never), "{filter}");
    }
}

#[test]
fn mixed_alternatives_are_refused_with_the_odd_field() {
    for (filter, expected, expected_operator) in [
        (r#"site = "a" or topic = "b""#, "topic", FilterOperator::Or),
        (r#"not (site = "a" and topic = "b")"#, "topic", FilterOperator::And),
        (r#"site = "a" or site != "b""#, "site", FilterOperator::Or),
        (r#"site exists"#, "site", FilterOperator::Exists),
    ] {
        let error = parsed(filter).unwrap_err();
        let ErrorKind::UnsupportedFilter { field, operator, .. } = error.kind() else {
            panic!("{error:?}")
        };
        assert_eq!((field.as_str(), *operator), (expected, expected_operator), "{filter}");
    }
}

#[test]
fn mixed_alternatives_are_explained() {
    let error = parsed(r#"site = "a" or topic = "b""#).unwrap_err();
    let expected = "example: cannot apply `or` to `topic`: its parts must all compare one field with `=`, such as \
                    site = \"a\" or site = \"b\"; search once for each part";
    assert_eq!(error.to_string(), expected);
    let error = parsed(r#"not (site = "a" and topic = "b")"#).unwrap_err();
    assert!(error.message().contains("under `not` its parts are alternatives"), "{error}");
}

#[test]
fn a_value_has_the_type_of_its_field() {
    for filter in ["site = 1", r#"level = "1""#, "level = 1.5", "site = true", "fresh = 1"] {
        let error = parsed(filter).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }), "{filter}");
    }
    let instant = shown(r#"site = date "2025-03-31""#);
    assert_eq!(instant, ["site eq 2025-03-31T00:00:00Z"]);
}

#[test]
fn values_accept_what_the_request_can_express() {
    let first = |filter| parsed(filter).unwrap().all.remove(0);
    assert_eq!(first(r#"topic = "a""#).single().unwrap(), "a");
    assert_eq!(first(r#"site in ["a", "b"]"#).listed().unwrap(), ["a", "b"]);
    for (filter, expected) in [
        (r#"not (topic = "a")"#, FilterOperator::Not),
        (r#"topic = "a" or topic = "b""#, FilterOperator::Or),
    ] {
        let condition = first(filter);
        for error in [condition.single().unwrap_err(), condition.listed().unwrap_err()] {
            let ErrorKind::UnsupportedFilter { operator, .. } = error.kind() else {
                panic!("{error:?}")
            };
            assert_eq!(*operator, expected, "{filter}");
        }
    }
}
#[test]
fn a_comparison_is_never_read_as_equality() {
    for filter in ["level < 4", r#"site contains "a""#, r#"site starts_with "a""#] {
        let condition = parsed(filter).unwrap().all.remove(0);
        let refusals = [
            condition.single().unwrap_err(),
            condition.listed().unwrap_err(),
            Sites::default().narrow_by("example", &condition).unwrap_err(),
        ];
        for error in refusals {
            let ErrorKind::UnsupportedFilter { operator, .. } = error.kind() else {
                panic!("{error:?}")
            };
            assert_eq!(*operator, condition.operator, "{filter}");
        }
    }
}

#[test]
fn an_instant_is_read_and_written_in_utc() {
    let field = FilterableField::date_time("seen", "When").with_all_operators();
    let first = |filter: &str| {
        let conditions =
            Conditions::of("example", &filter.parse().unwrap(), std::slice::from_ref(&field));
        conditions.map(|mut conditions| conditions.all.remove(0))
    };
    for (value, expected) in [
        ("2025-03-31", "2025-03-31T00:00:00Z"),
        ("2025-03-31T01:00:00+02:00", "2025-03-30T23:00:00Z"),
        ("2025-03-31T01:00:00.250Z", "2025-03-31T01:00:00.25Z"),
    ] {
        let condition = first(&format!("seen >= {value:?}")).unwrap();
        assert_eq!(condition.values, [expected]);
        let (operator, instant) = condition.instant().unwrap();
        assert_eq!((operator, instant.to_string().as_str()), (FilterOperator::Ge, expected));
    }
    let error = first(r#"seen >= "soon""#).unwrap_err();
    let expected = "example: `seen` is `soon`; expected an instant, such as 2025-03-31T08:00:00Z";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_second_accepts_the_same_seconds() {
    let field = FilterableField::date_time("seen", "When").with_all_operators();
    let second = |operator: &str, value: &str| {
        let filter = format!("seen {operator} {value:?}").parse().unwrap();
        let conditions = Conditions::of("example", &filter, std::slice::from_ref(&field));
        conditions.unwrap().all[0].second().map(|(_, second)| second.to_string())
    };
    for (operator, expected) in
        [("<", "59:00Z"), (">=", "59:00Z"), ("<=", "58:59Z"), (">", "58:59Z")]
    {
        let rounded = second(operator, "2025-03-31T01:58:59.000001Z").unwrap();
        assert_eq!(rounded, format!("2025-03-31T01:{expected}"), "{operator}");
    }
    assert_eq!(second("=", "1969-12-31T23:59:59Z").unwrap(), "1969-12-31T23:59:59Z");
    assert!(second("=", "2025-03-31T01:58:59.5Z").is_err());
    assert!(second(">=", "9999-12-31T23:59:59.5Z").is_err());
}

#[test]
fn compared_returns_the_operator() {
    let first = |filter| parsed(filter).unwrap().all.remove(0);
    assert_eq!(first("level < 4").compared().unwrap(), (FilterOperator::Lt, "4"));
    assert_eq!(first("level = 4").compared().unwrap(), (FilterOperator::Eq, "4"));
    assert!(first("not (level < 4)").compared().is_err());
    assert!(first("level < 4 or level < 5").compared().is_err());
}
