//! Filters, and what becomes of them.

use textsearch_core::vector::{DataField, DataKind};

use super::*;

fn definition() -> RecordDefinition {
    RecordDefinition::new("id")
        .with_data(DataField::string("tenant").filterable())
        .with_data(DataField::integer("year").filterable())
        .with_data(DataField::number("size").filterable())
        .with_data(DataField::boolean("open").filterable())
        .with_data(DataField::date_time("at").filterable())
        .with_data(DataField::strings("tags").filterable())
        .with_data(DataField::new("extra", DataKind::Json).filterable())
}

fn written(filter: &str) -> Preselection {
    preselection(Some(&filter.parse().unwrap()), &definition()).unwrap()
}

#[track_caller]
fn check(cases: &[(&str, &str)], is_exact: bool) {
    for (filter, expected) in cases {
        let written = written(filter);
        assert_eq!(written.odata.as_deref(), Some(*expected), "{filter}");
        assert_eq!(written.is_exact, is_exact, "{filter}");
    }
}

#[test]
fn equal_meanings_are_pushed_exactly() {
    let cases = [
        (r#"tenant = "a""#, "tenant eq 'a'"),
        (r#"tenant != "a""#, "not (tenant eq 'a')"),
        (r#"tenant = "it's""#, "tenant eq 'it''s'"),
        (r#"tenant in ["a", "b"]"#, "search.in(tenant, 'a,b', ',')"),
        (r#"tenant in ["a", ""]"#, "(tenant eq 'a' or tenant eq '')"),
        ("tenant exists", "tenant ne null"),
        ("year < 2020", "year le 2019"),
        ("year < 2019.5", "year le 2019"),
        ("year >= 2019.5", "year ge 2020"),
        ("year = 2020.0", "year eq 2020"),
        ("year in [1, 2]", "(year eq 1 or year eq 2)"),
        ("year < 1e300", "year ne null"),
        ("size > 1", "size gt 1.0"),
        ("size = -0.0", "size eq 0.0"),
        ("open = true", "open eq true"),
        (r#"at < date "2024-01-01T01:00:00+01:00""#, "at lt 2024-01-01T00:00:00.000Z"),
        (r#"at >= date "2024-01-01T00:00:00.001Z""#, "at ge 2024-01-01T00:00:00.001Z"),
        (r#"tags contains "a'b""#, "tags/any(member: member eq 'a''b')"),
        (r#"id = "a/b""#, "id eq 'b64-YS9i'"),
        (r#"not (year = 1 or open = false)"#, "(not (year eq 1) and not (open eq false))"),
    ];
    check(&cases, true);
}

#[test]
fn other_meanings_are_pushed_as_a_superset() {
    let cases = [
        (r#"tenant contains "a""#, "tenant ne null"),
        (r#"at = date "2024-01-01T00:00:00Z""#, "at eq 2024-01-01T00:00:00.000Z"),
        (r#"at > date "2024-01-01T00:00:00Z""#, "at ge 2024-01-01T00:00:00.000Z"),
        (r#"at < date "2024-01-01T00:00:00.0001Z""#, "at le 2024-01-01T00:00:00.000Z"),
        ("size < 9007199254740993", "size le 9007199254740992.0"),
        (r#"year = 1 and tenant < "b""#, "year eq 1"),
    ];
    check(&cases, false);
}

#[test]
fn unknown_comparisons_are_left_to_the_client() {
    for filter in [
        r#"tenant < "b""#,
        r#"tenant = date "2024-01-01T00:00:00Z""#,
        r#"at = "2024-01-01""#,
        r#"tags = ["a"]"#,
        "tags exists",
        "extra = 1",
        r#"id > "a""#,
        r#"not (tenant starts_with "a")"#,
        r#"year = 1 or tenant < "b""#,
    ] {
        assert_eq!(written(filter), all(false), "{filter}");
    }
}

#[test]
fn values_that_no_index_field_holds_never_match() {
    let filters =
        [r#"year = "2020""#, "tenant = 1", "year = 1.5", "open < true", "tags = 1", r#"id = """#];
    for filter in filters {
        assert!(written(filter).is_empty, "{filter}");
    }
    let long = Filter::eq("tenant", "a".repeat(LONGEST_TERM + 1));
    assert!(preselection(Some(&long), &definition()).unwrap().is_empty);
    let infinite = Filter::lt("size", f64::INFINITY);
    assert!(preselection(Some(&infinite), &definition()).unwrap().is_empty);
}

#[test]
fn too_many_comparisons_are_left_to_the_client() {
    let years = |count: i64| Filter::is_in("year", (0..count).collect::<Vec<_>>());
    assert!(preselection(Some(&years(250)), &definition()).unwrap().is_exact);
    assert_eq!(preselection(Some(&years(251)), &definition()).unwrap(), all(false));
    let names: Vec<String> = (0..10_000).map(|number| format!("t{number}")).collect();
    assert!(preselection(Some(&Filter::is_in("tenant", names)), &definition()).unwrap().is_exact);
}

#[test]
fn a_long_filter_is_left_to_the_client() {
    let of_length = |count: usize| {
        let names: Vec<String> = (0..count).map(|number| format!("{number:01023}")).collect();
        preselection(Some(&Filter::is_in("tenant", names)), &definition()).unwrap()
    };
    assert!(of_length(1_000).is_exact);
    assert_eq!(of_length(1_025), all(false));
}

#[test]
fn lists_without_a_separator_count_each_value() {
    let of_length = |count: usize| {
        let every = std::iter::once(",|;\u{1f}\u{1e}.".to_owned());
        let names: Vec<String> =
            every.chain((1..count).map(|number| format!("t{number}"))).collect();
        preselection(Some(&Filter::is_in("tenant", names)), &definition()).unwrap()
    };
    assert!(of_length(250).is_exact);
    assert_eq!(of_length(251), all(false));
}

#[test]
fn the_error_names_the_comparison_that_is_not_pushed() {
    let filter: Filter = r#"year = 1 and not (tenant < "b")"#.parse().unwrap();
    let error = unsupported(&filter, &definition(), "a hybrid search");
    let textsearch_core::ErrorKind::UnsupportedFilter { field, operator, .. } = error.kind() else {
        panic!("{error:?}")
    };
    assert_eq!((field.as_str(), *operator), ("tenant", FilterOperator::Lt));
    assert!(error.message().contains("a hybrid search"), "{error}");
}
