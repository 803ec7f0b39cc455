//! Filters as SQL.

use textsearch_core::Filter;

use super::*;

fn column(field: &str) -> Option<SqlColumn> {
    let kind = match field {
        "text" => DataKind::String,
        "count" => DataKind::Integer,
        "size" => DataKind::Number,
        "flag" => DataKind::Boolean,
        "at" => DataKind::DateTime,
        "typed" => return Some(SqlColumn::typed(field, "uuid")),
        _ => return None,
    };
    Some(SqlColumn::new(field, kind))
}

/// Compares each field with its column.
struct Columns;

impl PushDown for Columns {
    type Condition = SqlCondition;

    fn compare(
        &self,
        field: &str,
        operator: Comparison,
        value: &FilterValue,
    ) -> Pushed<SqlCondition> {
        column(field).map_or(Pushed::Unknown, |column| column.compare(field, operator, value))
    }

    fn exists(&self, field: &str) -> Pushed<SqlCondition> {
        column(field).map_or(Pushed::Unknown, |column| column.exists(field))
    }

    fn is_in(&self, field: &str, values: &[FilterValue]) -> Pushed<SqlCondition> {
        column(field).map_or(Pushed::Unknown, |column| column.is_in(field, values))
    }

    fn all(&self, conditions: Vec<SqlCondition>) -> SqlCondition {
        SqlCondition::all(conditions)
    }

    fn any(&self, conditions: Vec<SqlCondition>) -> SqlCondition {
        SqlCondition::any(conditions)
    }

    fn not(&self, condition: SqlCondition) -> SqlCondition {
        condition.not_true()
    }
}

fn pushed(filter: &Filter) -> (String, Vec<SqlValue>, bool) {
    predicate(filter.push_down(&Columns), 1)
}

fn constant(sql: &str, is_exact: bool) -> (String, Vec<SqlValue>, bool) {
    (sql.to_owned(), Vec::new(), is_exact)
}

fn sql(filter: &str) -> String {
    pushed(&filter.parse().unwrap()).0
}

#[test]
fn each_comparison_has_its_sql() {
    let cases = [
        ("text = \"a\"", r#""text" = $1"#),
        ("text < \"a\"", r#""text" < $1 COLLATE "C""#),
        ("text contains \"a\"", r#"strpos("text", $1) > 0"#),
        ("text starts_with \"é!\"", r#"starts_with("text", $1)"#),
        ("flag = true", r#""flag" = $1"#),
        ("size > 1.5", r#""size" > $1"#),
        ("count exists", r#""count" IS NOT NULL"#),
        ("typed < \"a\"", r#""typed" < CAST($1 AS uuid)"#),
        ("typed in [\"a\", \"b\"]", r#""typed" IN (CAST($1 AS uuid), CAST($2 AS uuid))"#),
        ("typed contains \"a\"", "TRUE"),
    ];
    for (filter, expected) in cases {
        assert_eq!(sql(filter), expected);
    }
}

#[test]
fn parameters_are_numbered_in_the_order_of_the_values() {
    let filter = "text in [\"a\", \"b\"] and count = 3".parse().unwrap();
    let (sql, values, _) = pushed(&filter);
    assert_eq!(sql, r#"("text" IN ($1, $2) AND "count" = $3)"#);
    let text = |text: &str| SqlValue::Text(text.to_owned());
    assert_eq!(values, [text("a"), text("b"), SqlValue::Integer(3)]);
}

#[test]
fn negations_hold_for_nulls() {
    assert_eq!(sql("count != 3"), r#"("count" = $1) IS NOT TRUE"#);
    let both = r#"(("count" <= $1) IS NOT TRUE AND ("flag" = $2) IS NOT TRUE)"#;
    assert_eq!(sql("not (count < 3 or flag = true)"), both);
}

#[test]
fn integers_compare_exactly_with_fractions() {
    let (sql, values, is_exact) = pushed(&"count < 2.5".parse().unwrap());
    assert_eq!((sql.as_str(), is_exact), (r#""count" <= $1"#, true));
    assert_eq!(values, [SqlValue::Integer(2)]);
}

#[test]
fn bounds_beyond_64_bits_compare_with_all_or_none() {
    assert_eq!(sql("count < 1e30"), r#""count" IS NOT NULL"#);
    assert_eq!(sql("count > 1e30"), "FALSE");
}

#[test]
fn large_floats_select_a_superset() {
    let (sql, values, is_exact) = pushed(&Filter::gt("size", 9_007_199_254_740_993_i64));
    assert_eq!((sql.as_str(), is_exact), (r#""size" >= $1"#, false));
    assert_eq!(values, [SqlValue::Number(9_007_199_254_740_992.0)]);
}

#[test]
fn values_of_another_type_match_nothing() {
    for filter in ["text = 1", "count = \"1\"", "flag < true", "size contains 1", "flag = 1"] {
        assert_eq!(sql(filter), "FALSE", "{filter}");
    }
    let unequal = "text != 1".parse().unwrap();
    assert_eq!(pushed(&unequal), constant("TRUE", true));
}

#[test]
fn dates_and_fields_without_a_column_are_unknown() {
    for filter in
        ["at > date \"2024-01-01\"", "text = date \"2024-01-01\"", "other = 1", "other exists"]
    {
        let condition = pushed(&filter.parse().unwrap());
        assert_eq!(condition, constant("TRUE", false), "{filter}");
    }
}

#[test]
fn lists_leave_out_values_of_another_type() {
    assert_eq!(sql("count in [1, \"1\", 2.5]"), r#""count" IN ($1)"#);
    assert_eq!(sql("count in [\"1\"]"), "FALSE");
    let (sql, _, is_exact) = pushed(&Filter::is_in("size", [1, 9_007_199_254_740_993_i64]));
    assert_eq!((sql.as_str(), is_exact), (r#""size" IN ($1, $2)"#, false));
}

#[test]
fn long_lists_of_values_are_left_to_the_store() {
    let values = |count: i64| Filter::is_in("count", 0..count);
    assert_eq!(pushed(&values(10_000)).1.len(), 10_000);
    assert_eq!(pushed(&values(10_001)), constant("TRUE", false));
    let several = Filter::all((0..4).map(|_| values(9_000)));
    assert_eq!(pushed(&several), constant("TRUE", false));
}

#[test]
fn expressions_are_in_parentheses() {
    let column = SqlColumn::computed("hidden OR deleted", DataKind::Boolean);
    let (sql, ..) = predicate(Filter::eq("gone", false).push_down(&column), 1);
    assert_eq!(sql, "(hidden OR deleted) = $1");
}

#[test]
fn no_value_becomes_part_of_the_sql() {
    let hostile = "'; DROP TABLE docs; -- \" $1";
    for filter in [
        Filter::eq("text", hostile),
        Filter::contains("text", hostile),
        Filter::starts_with("text", hostile),
        Filter::lt("text", hostile),
        Filter::is_in("text", [hostile]),
        Filter::ne("text", hostile),
    ] {
        let (sql, values, _) = pushed(&filter);
        assert!(!sql.contains("DROP"), "{sql}");
        assert_eq!(values, [SqlValue::Text(hostile.to_owned())]);
    }
}

#[test]
fn a_zero_byte_is_no_text_of_postgres() {
    assert_eq!(pushed(&Filter::eq("text", "a\0b")).0, "FALSE");
    assert_eq!(pushed(&Filter::lt("text", "a\0b")), constant("TRUE", false));
}

#[test]
fn names_of_columns_are_quoted() {
    let column = SqlColumn::new("a\" OR 1=1 --", DataKind::Integer);
    let (sql, ..) = predicate(Filter::exists("a").push_down(&column), 1);
    assert_eq!(sql, r#""a"" OR 1=1 --" IS NOT NULL"#);
}
