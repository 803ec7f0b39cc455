//! Filter translations agree with [`Filter::matches`] or are refused.

use proptest::prelude::*;
use serde_json::json;

use super::{Condition, Conditions, contradicts};
use crate::{
    Filter, FilterableField,
    filter::{Comparison, FilterOperator},
};

const SITES: [&str; 3] = ["a.example", "b.example", "c.example"];
const LANGUAGES: [&str; 2] = ["de", "en"];

fn fields() -> [FilterableField; 3] {
    [
        FilterableField::string("site", "The site").with_all_operators(),
        FilterableField::string("language", "The language").with_all_operators(),
        FilterableField::integer("level", "The level").with_all_operators(),
    ]
}

fn filter(leaf: impl Strategy<Value = Filter> + 'static) -> impl Strategy<Value = Filter> {
    leaf.prop_recursive(4, 20, 3, |filter| {
        prop_oneof![
            prop::collection::vec(filter.clone(), 0..4).prop_map(Filter::And),
            prop::collection::vec(filter.clone(), 0..4).prop_map(Filter::Or),
            filter.prop_map(|filter| Filter::Not(Box::new(filter))),
        ]
    })
}

fn one_of<T: Clone + std::fmt::Debug + 'static>(values: &[T]) -> impl Strategy<Value = T> {
    prop::sample::select(values.to_vec())
}

fn on_sites() -> impl Strategy<Value = Filter> {
    prop_oneof![
        one_of(&SITES).prop_map(|site| Filter::eq("site", site)),
        one_of(&SITES).prop_map(|site| Filter::ne("site", site)),
        prop::collection::vec(one_of(&SITES), 0..3).prop_map(|sites| Filter::is_in("site", sites)),
    ]
}

fn on_any_field() -> impl Strategy<Value = Filter> {
    prop_oneof![
        4 => on_sites(),
        1 => one_of(&LANGUAGES).prop_map(|language| Filter::eq("language", language)),
        1 => one_of(&LANGUAGES).prop_map(|language| Filter::ne("language", language)),
        1 => one_of(&SITES).prop_map(|site| Filter::contains("site", &site[..1])),
        1 => Just(Filter::exists("language")),
        2 => (0..3_i64, one_of(Comparison::ALL)).prop_filter_map("numbers compare", |(level, operator)| {
            let is_of_texts = matches!(operator, Comparison::Contains | Comparison::StartsWith);
            let field = "level".to_owned();
            (!is_of_texts).then(|| Filter::Compare { field, operator, value: level.into() })
        }),
    ]
}

fn filter_of(condition: &Condition) -> Filter {
    let any = condition.values.iter().map(|value| {
        let operator = match condition.operator {
            FilterOperator::Eq => Comparison::Eq,
            FilterOperator::Lt => Comparison::Lt,
            FilterOperator::Le => Comparison::Le,
            FilterOperator::Gt => Comparison::Gt,
            FilterOperator::Ge => Comparison::Ge,
            FilterOperator::Contains => Comparison::Contains,
            FilterOperator::StartsWith => Comparison::StartsWith,
            other => panic!("{other} isn't an operator of a condition"),
        };
        let is_number = condition.field == "level";
        let value =
            if is_number { value.parse::<i64>().unwrap().into() } else { value.as_str().into() };
        Filter::Compare { field: condition.field.clone(), operator, value }
    });
    let any = Filter::any(any);
    if condition.negated { !any } else { any }
}

proptest! {
    #[test]
    fn conditions_hold_where_the_filter_does(
        filter in filter(on_any_field()),
        site in one_of(&SITES),
        language in one_of(&LANGUAGES),
        level in 0..3_i64,
    ) {
        let record = json!({ "site": site, "language": language, "level": level });
        if let Ok(conditions) = Conditions::of("example", &filter, &fields()) {
            let mut all = conditions.all.iter().map(filter_of);
            let hold = !conditions.are_never_met && all.all(|condition| condition.matches(&record));
            prop_assert_eq!(hold, filter.matches(&record), "{}", filter);
        }
    }

    #[test]
    fn only_results_that_contradict_the_filter_are_dropped(
        filter in filter(on_any_field()),
        site in one_of(&SITES),
        language in one_of(&LANGUAGES),
        level in 0..3_i64,
    ) {
        let record = json!({ "site": site, "language": language, "level": level });
        let is_left_out = contradicts(&filter, &["site"], &format!("https://{site}/page"));
        prop_assert!(!(is_left_out && filter.matches(&record)), "{}", filter);
    }

    #[test]
    fn site_filters_drop_only_results_of_other_sites(
        filter in filter(on_sites()),
        site in one_of(&SITES),
    ) {
        let link = format!("https://{site}/page");
        let is_left_out = contradicts(&filter, &["site"], &link);
        prop_assert_eq!(is_left_out, !filter.matches(&json!({ "site": site })), "{}", filter);
    }
}
