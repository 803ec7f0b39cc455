//! Building filters.

use crate::filter::{Comparison, DateTime, Filter, FilterOperator, FilterValue};

fn a() -> Filter {
    Filter::exists("a")
}

fn b() -> Filter {
    Filter::exists("b")
}

fn c() -> Filter {
    Filter::exists("c")
}

#[test]
fn and_appends_to_an_and() {
    assert_eq!(a().and(b()).and(c()), Filter::And(vec![a(), b(), c()]));
}

#[test]
fn and_nests_an_or_and_keeps_a_nested_and() {
    assert_eq!(a().or(b()).and(c()), Filter::And(vec![Filter::Or(vec![a(), b()]), c()]));
    assert_eq!(a().and(b().and(c())), Filter::And(vec![a(), Filter::And(vec![b(), c()])]));
}

#[test]
fn or_appends_to_an_or() {
    assert_eq!(a().or(b()).or(c()), Filter::Or(vec![a(), b(), c()]));
}

#[test]
fn negating_twice_gives_the_filter_back() {
    assert_eq!(!a(), Filter::Not(Box::new(a())));
    assert_eq!(!!a(), a());
}

#[test]
fn comparisons_are_built_by_their_names() {
    let cases = [
        (Filter::eq("f", 1), Comparison::Eq),
        (Filter::ne("f", 1), Comparison::Ne),
        (Filter::lt("f", 1), Comparison::Lt),
        (Filter::le("f", 1), Comparison::Le),
        (Filter::gt("f", 1), Comparison::Gt),
        (Filter::ge("f", 1), Comparison::Ge),
        (Filter::contains("f", 1), Comparison::Contains),
        (Filter::starts_with("f", 1), Comparison::StartsWith),
    ];
    for (filter, operator) in cases {
        let value = FilterValue::Integer(1);
        assert_eq!(filter, Filter::Compare { field: "f".into(), operator, value });
    }
}

#[test]
fn values_keep_the_kind_they_come_from() {
    assert_eq!(FilterValue::from("x"), FilterValue::String("x".into()));
    assert_eq!(FilterValue::from(String::from("x")), FilterValue::String("x".into()));
    assert_eq!(FilterValue::from(true), FilterValue::Bool(true));
    assert_eq!(FilterValue::from(-1_i32), FilterValue::Integer(-1));
    assert_eq!(FilterValue::from(u32::MAX), FilterValue::Integer(4_294_967_295));
    assert_eq!(FilterValue::from(i64::MIN), FilterValue::Integer(i64::MIN));
    assert_eq!(FilterValue::from(0.5_f32), FilterValue::Float(0.5));
    assert_eq!(FilterValue::from(1.0), FilterValue::Float(1.0));
    assert_eq!(FilterValue::from(DateTime::MIN), FilterValue::DateTime(DateTime::MIN));
    let list = FilterValue::List(vec![FilterValue::Integer(1), FilterValue::Integer(2)]);
    assert_eq!(FilterValue::from(vec![1, 2]), list);
}

#[test]
fn operators_have_the_names_of_serde() {
    for operator in FilterOperator::ALL_COMPARISONS {
        let name = serde_json::to_value(operator).unwrap();
        assert_eq!(name, operator.name());
        assert_eq!(operator.to_string(), operator.name());
    }
    for operator in [FilterOperator::And, FilterOperator::Or, FilterOperator::Not] {
        assert_eq!(serde_json::to_value(operator).unwrap(), operator.name());
        assert!(!FilterOperator::ALL_COMPARISONS.contains(&operator));
    }
}

#[test]
fn every_comparison_is_among_the_operators() {
    for comparison in Comparison::ALL {
        assert!(FilterOperator::ALL_COMPARISONS.contains(&FilterOperator::from(*comparison)));
    }
    assert_eq!(FilterOperator::ALL_COMPARISONS.len(), Comparison::ALL.len() + 2);
}

#[test]
fn fields_are_named_from_left_to_right() {
    let filter = Filter::any([a().and(!b()), Filter::is_in("d", [1]), Filter::eq("a", 2)]);
    assert_eq!(filter.fields().collect::<Vec<_>>(), ["a", "b", "d", "a"]);
}
