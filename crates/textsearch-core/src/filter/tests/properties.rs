//! Laws of arbitrary filters.

use proptest::prelude::*;

use super::strategies::{date_time, filter, record, value};
use crate::filter::{Comparison, DateTime, Filter, FilterValue};

fn not(filter: &Filter) -> Filter {
    Filter::Not(Box::new(filter.clone()))
}

/// Pieces of the grammar, so that random texts get past the first token.
fn nearly_a_filter() -> impl Strategy<Value = String> {
    let pieces = vec![
        "a",
        "`b`",
        "=",
        "!=",
        "<",
        "in",
        "exists",
        "not",
        "and",
        "or",
        "true",
        "all",
        "(",
        ")",
        "[",
        "]",
        ",",
        "1",
        "-2.5",
        "\"x\"",
        "\"\\",
        "date",
        "\"2024-08-14\"",
        " ",
        "é",
        "\\u",
        "`",
    ];
    prop::collection::vec(prop::sample::select(pieces), 0..16).prop_map(|pieces| pieces.concat())
}

fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn text_is_read_back_exactly(filter in filter()) {
        let text = filter.to_string();
        let read: Filter = text.parse().map_err(|error| TestCaseError::fail(format!("{text}: {error}")))?;
        prop_assert_eq!(&read, &filter, "{}", text);
        prop_assert_eq!(read.to_string(), text);
    }

    #[test]
    fn text_is_one_line(filter in filter()) {
        prop_assert!(!filter.to_string().contains(char::is_control));
    }

    #[test]
    fn json_is_read_back_exactly(filter in filter()) {
        let json = serde_json::to_value(&filter).unwrap();
        prop_assert_eq!(&serde_json::from_value::<Filter>(json).unwrap(), &filter);
    }

    #[test]
    fn json_text_is_read_back_exactly(filter in filter()) {
        let json = serde_json::to_string(&filter).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Filter>(&json).unwrap(), &filter);
    }

    #[test]
    fn dates_are_read_back_exactly(instant in date_time()) {
        prop_assert_eq!(DateTime::parse(&instant.to_string()).unwrap(), instant);
    }

    #[test]
    fn no_text_makes_the_parsers_panic(text in any::<String>(), pieces in nearly_a_filter()) {
        let _ = DateTime::parse(&text);
        for text in [text, pieces] {
            if let Err(error) = text.parse::<Filter>() {
                prop_assert!(!error.to_string().contains('\n'));
            }
        }
    }

    #[test]
    fn parsed_filters_are_read_back_exactly(text in nearly_a_filter()) {
        if let Ok(filter) = text.parse::<Filter>() {
            prop_assert_eq!(filter.to_string().parse::<Filter>(), Ok(filter));
        }
    }

    #[test]
    fn a_double_negation_is_the_filter(filter in filter(), record in record()) {
        prop_assert_eq!(not(&not(&filter)).matches(&record), filter.matches(&record));
        prop_assert_eq!(not(&filter).matches(&record), !filter.matches(&record));
    }

    #[test]
    fn a_negated_group_is_the_other_group_of_negations(
        filters in prop::collection::vec(filter(), 0..4),
        record in record(),
    ) {
        let negations: Vec<Filter> = filters.iter().map(not).collect();
        let all = Filter::And(filters.clone());
        let any = Filter::Or(filters);
        prop_assert_eq!(not(&all).matches(&record), Filter::Or(negations.clone()).matches(&record));
        prop_assert_eq!(not(&any).matches(&record), Filter::And(negations).matches(&record));
    }

    #[test]
    fn groups_ignore_order_and_nesting(
        (a, b, c) in (filter(), filter(), filter()),
        record in record(),
    ) {
        for join in [Filter::And, Filter::Or] {
            let flat = join(vec![a.clone(), b.clone(), c.clone()]).matches(&record);
            let turned = join(vec![c.clone(), b.clone(), a.clone()]);
            let left = join(vec![join(vec![a.clone(), b.clone()]), c.clone()]);
            let right = join(vec![a.clone(), join(vec![b.clone(), c.clone()])]);
            for other in [turned, left, right] {
                prop_assert_eq!(other.matches(&record), flat);
            }
        }
    }

    #[test]
    fn the_builder_means_what_groups_mean((a, b) in (filter(), filter()), record in record()) {
        let first = a.matches(&record);
        let second = b.matches(&record);
        prop_assert_eq!(a.clone().and(b.clone()).matches(&record), first && second);
        prop_assert_eq!(a.clone().or(b).matches(&record), first || second);
        prop_assert_eq!((!a).matches(&record), !first);
    }

    #[test]
    fn unequal_is_the_negation_of_equal(value in value(), record in record()) {
        let equal = Filter::eq("a", value.clone());
        prop_assert_eq!(Filter::ne("a", value).matches(&record), !equal.matches(&record));
    }

    #[test]
    fn at_most_one_of_less_equal_and_greater_holds(value in value(), record in record()) {
        let holds = |operator| Filter::compare("a", operator, value.clone()).matches(&record);
        let less = holds(Comparison::Lt);
        let equal = holds(Comparison::Eq);
        let greater = holds(Comparison::Gt);
        prop_assert!(u8::from(less) + u8::from(equal) + u8::from(greater) <= 1);
        let has_order = !matches!(value, FilterValue::Bool(_) | FilterValue::List(_));
        prop_assert_eq!(holds(Comparison::Le), less || equal && has_order);
        prop_assert_eq!(holds(Comparison::Ge), greater || equal && has_order);
    }

    #[test]
    fn in_is_any_equality(values in prop::collection::vec(value(), 0..4), record in record()) {
        let equalities = values.iter().map(|value| Filter::eq("a", value.clone()));
        let any = Filter::any(equalities);
        prop_assert_eq!(Filter::is_in("a", values).matches(&record), any.matches(&record));
    }
}
