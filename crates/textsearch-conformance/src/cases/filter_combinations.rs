//! Filters combined by `and`, `or` and `not`, and each operator of a field.

use std::fmt::Display;

use textsearch_core::{
    Filter,
    filter::{Comparison, FilterOperator},
};

use super::{
    filter_values::{compared, two_values},
    wire::{Asked, Sent, Wire, assert_differs, sent_filters},
};
use crate::{Subject, case::skipped};

/// Both parts arrive, or the combination is refused.
pub(crate) async fn both_parts_of_an_and_are_sent(subject: Subject) {
    let filters = sent_filters(&subject);
    if filters.is_empty() {
        return skipped("filters");
    }
    let wire = Wire::new(&subject).await;
    for (first, second) in pairs(&filters) {
        let both = first.filter.clone().and(second.filter.clone());
        assert_all(&*wire.first(both.clone()).await, [first, second], &both);
    }
    for parts in triples(&filters) {
        let all = Filter::all(parts.map(|part| part.filter.clone()));
        assert_all(&*wire.first(all.clone()).await, parts, &all);
    }
}

/// For each pair, one triple without a field in common.
fn triples<'a>(filters: &'a [Sent<'a>]) -> Vec<[&'a Sent<'a>; 3]> {
    let pairs = pairs(filters);
    let is_pair = |first: &Sent<'_>, second: &Sent<'_>| {
        pairs
            .iter()
            .any(|(left, right)| left.filter == first.filter && right.filter == second.filter)
    };
    let mut triples = Vec::new();
    for &(first, second) in &pairs {
        let third = filters.iter().find(|third| is_pair(first, third) && is_pair(second, third));
        triples.extend(third.map(|third| [first, second, third]));
    }
    triples
}

pub(super) fn assert_all<const N: usize>(
    asked: &Asked,
    parts: [&Sent<'_>; N],
    search: &impl Display,
) {
    for part in parts {
        part.assert_in(asked.accepted_or_refused(search), search);
    }
}

/// Each pair that has no field in common.
pub(super) fn pairs<'a>(filters: &'a [Sent<'a>]) -> Vec<(&'a Sent<'a>, &'a Sent<'a>)> {
    let mut pairs = Vec::new();
    for (number, first) in filters.iter().enumerate() {
        for second in filters.iter().skip(number + 1) {
            if !first.filter.fields().any(|field| second.filter.fields().any(|it| it == field)) {
                pairs.push((first, second));
            }
        }
    }
    pairs
}

/// A request for alternatives differs from one for either, or the search refuses them.
pub(crate) async fn alternatives_are_sent_whole_or_refused(subject: Subject) {
    let filters = sent_filters(&subject);
    if filters.is_empty() {
        return skipped("filters");
    }
    let wire = Wire::new(&subject).await;
    for (first, second) in pairs(&filters) {
        let either = first.filter.clone().or(second.filter.clone());
        let both = first.filter.clone().and(second.filter.clone());
        let parts = [first.filter.clone(), second.filter.clone(), both];
        assert_differs(&wire, &either, &parts).await;
    }
    for [first, second] in two_values(&subject, &wire).await {
        let field = compared(&first).map(|(field, _)| field);
        let either = first.clone().or(second.clone());
        for part in filters.iter().filter(|part| part.filter.fields().next() != field) {
            let with = |filter: &Filter| part.filter.clone().and(filter.clone());
            let nested = with(&either);
            part.assert_in(wire.first(nested.clone()).await.requests(), &nested);
            assert_differs(&wire, &nested, &[with(&first), with(&second), either.clone()]).await;
        }
    }
}

/// A negated filter is sent as its opposite, or refused.
pub(crate) async fn negated_filters_are_not_sent_as_they_are(subject: Subject) {
    let filters = sent_filters(&subject);
    if filters.is_empty() {
        return skipped("filters");
    }
    let wire = Wire::new(&subject).await;
    for declared in &filters {
        let negated = !declared.filter.clone();
        declared.assert_not_in(wire.first(negated.clone()).await.requests(), &negated);
        assert_differs(&wire, &negated, std::slice::from_ref(declared.filter)).await;
        let twice = !negated;
        declared.assert_in(wire.first(twice.clone()).await.requests(), &twice);
    }
    for (first, second) in pairs(&filters) {
        let [not_first, not_second] = [first, second].map(|part| !part.filter.clone());
        let both = !first.filter.clone().and(second.filter.clone());
        let neither = !first.filter.clone().or(second.filter.clone());
        let parts = [not_first.clone(), not_second.clone()];
        assert_differs(&wire, &both, &parts).await;
        assert_differs(&wire, &both, &[not_first.and(not_second)]).await;
        assert_differs(&wire, &neither, &parts).await;
    }
}

/// Each declared operator makes its own request, or is refused.
pub(crate) async fn declared_operators_differ_on_the_wire(subject: Subject) {
    let filters = sent_filters(&subject);
    if filters.is_empty() {
        return skipped("filters");
    }
    let wire = Wire::new(&subject).await;
    let pairs = two_values(&subject, &wire).await;
    for field in wire.running.search.fields() {
        let values = filters.iter().filter_map(|declared| compared(declared.filter));
        let Some((_, value)) = values.into_iter().find(|(name, _)| *name == field.name) else {
            continue;
        };
        let other =
            pairs.iter().find(|[filter, _]| compared(filter).is_some_and(|it| it.0 == field.name));
        let other = other.and_then(|[_, other]| compared(other)).map(|(_, value)| value.clone());
        let mut seen = vec![("no filter".to_owned(), wire.plain().await.essence())];
        for operator in &field.operators {
            let comparison =
                Comparison::ALL.iter().find(|it| FilterOperator::from(**it) == *operator);
            let filter = match (comparison, &other) {
                (Some(comparison), _) => Filter::compare(&field.name, *comparison, value.clone()),
                (None, _) if *operator == FilterOperator::Exists => Filter::exists(&field.name),
                // A list of one value is equality.
                (None, Some(other)) => Filter::is_in(&field.name, [value.clone(), other.clone()]),
                (None, None) => continue,
            };
            let asked = wire.first(filter.clone()).await;
            if asked.first().is_none() {
                continue;
            }
            for (known, essence) in &seen {
                assert!(*essence != asked.essence(), "`{filter}` is sent as {known}: {essence:?}");
            }
            seen.push((format!("`{filter}`"), asked.essence()));
        }
    }
}

/// A field whose words the backend matches offers no equality.
pub(crate) async fn approximate_fields_offer_contains_alone(subject: Subject) {
    if subject.capabilities.approximate_fields.is_empty() {
        return skipped("fields whose words the backend matches: say which with_approximate_field");
    }
    let running = subject.holding(Vec::new()).await;
    for name in &subject.capabilities.approximate_fields {
        let fields = running.search.fields();
        let field = fields.iter().find(|field| field.name == *name);
        let offered = field.map(|field| field.operators.as_slice()).unwrap_or_default();
        assert_eq!(offered, [FilterOperator::Contains], "operators of `{name}`");
    }
}
