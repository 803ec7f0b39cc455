//! Filters that a backend expresses in part.

use proptest::prelude::*;

use super::strategies::{filter, record};
use crate::filter::{Comparison, Filter, FilterValue, PushDown, Pushed};

/// A backend that knows some comparisons exactly, widens some, and cannot express others.
struct Partial;

impl PushDown for Partial {
    type Condition = Filter;

    fn compare(&self, field: &str, operator: Comparison, value: &FilterValue) -> Pushed<Filter> {
        let field = field.to_owned();
        let value = value.clone();
        match (operator, &value) {
            (Comparison::Eq, FilterValue::List(_)) => Pushed::Unknown,
            (Comparison::Eq | Comparison::Contains, _) => {
                Pushed::Exact(Filter::Compare { field, operator, value })
            }
            (Comparison::Lt, _) => {
                Pushed::Superset(Filter::Compare { field, operator: Comparison::Le, value })
            }
            (Comparison::StartsWith, FilterValue::Integer(_)) => Pushed::Never,
            (Comparison::StartsWith, _) => Pushed::Superset(Filter::Exists { field }),
            _ => Pushed::Unknown,
        }
    }

    fn exists(&self, field: &str) -> Pushed<Filter> {
        Pushed::Exact(Filter::exists(field))
    }

    fn all(&self, conditions: Vec<Filter>) -> Filter {
        Filter::And(conditions)
    }

    fn any(&self, conditions: Vec<Filter>) -> Filter {
        Filter::Or(conditions)
    }

    fn not(&self, condition: Filter) -> Filter {
        Filter::Not(Box::new(condition))
    }
}

fn pushed(filter: &str) -> Pushed<String> {
    match filter.parse::<Filter>().unwrap().push_down(&Partial) {
        Pushed::Never => Pushed::Never,
        Pushed::Always => Pushed::Always,
        Pushed::Exact(condition) => Pushed::Exact(condition.to_string()),
        Pushed::Superset(condition) => Pushed::Superset(condition.to_string()),
        Pushed::Unknown => Pushed::Unknown,
    }
}

#[test]
fn an_unknown_part_of_an_and_is_left_out() {
    assert_eq!(pushed("a = 1 and b > 2"), Pushed::Superset("a = 1".to_owned()));
    assert_eq!(pushed("a >= 1 and b > 2"), Pushed::Unknown);
}

#[test]
fn an_unknown_part_of_an_or_makes_it_unknown() {
    assert_eq!(pushed("a = 1 or b > 2"), Pushed::Unknown);
    assert_eq!(pushed("not (a = 1 or b > 2)"), Pushed::Superset("not (a = 1)".to_owned()));
}

#[test]
fn a_superset_has_no_negation() {
    assert_eq!(pushed("a < 1"), Pushed::Superset("a <= 1".to_owned()));
    assert_eq!(pushed("not (a < 1)"), Pushed::Unknown);
}

#[test]
fn constants_need_no_condition() {
    assert_eq!(pushed("true"), Pushed::Always);
    assert_eq!(pushed("a in []"), Pushed::Never);
    assert_eq!(pushed("a = 1 and a starts_with 2"), Pushed::Never);
    assert_eq!(pushed("not (a starts_with 2)"), Pushed::Always);
    assert_eq!(pushed("a = 1 or a starts_with 2"), Pushed::Exact("a = 1".to_owned()));
}

proptest! {
    #[test]
    fn a_pushed_condition_loses_no_match(filter in filter(), record in record()) {
        let pushed = filter.push_down(&Partial);
        let is_exact = pushed.is_exact();
        let is_match = filter.matches(&record);
        let is_selected = match pushed {
            Pushed::Never => false,
            Pushed::Always | Pushed::Unknown => true,
            Pushed::Exact(condition) | Pushed::Superset(condition) => condition.matches(&record),
        };
        if is_exact {
            prop_assert_eq!(is_selected, is_match);
        } else {
            prop_assert!(is_selected || !is_match);
        }
    }
}
