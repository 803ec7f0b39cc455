//! A search applies or rejects each filter, and never ignores one.

use textsearch_core::{
    ErrorKind, Filter, FilterableField, SearchOptions,
    filter::{Comparison, FilterOperator, FilterValue},
};

use super::{
    many,
    wire::{QUERY, Sent, Wire, sent_filters},
};
use crate::{Document, Subject, capabilities::Check, case::skipped, subject::RunningSearch};

/// The request for each page carries the filter, or each result matches it.
pub(crate) async fn declared_filters_work(subject: Subject) {
    let running = subject.holding(many(&subject)).await;
    let fields = running.search.fields();
    if fields.is_empty() {
        return skipped("filters");
    }
    for field in fields {
        let mut filters = subject.capabilities.filters.iter();
        let is_named = filters.any(|it| it.filter.fields().any(|name| name == field.name));
        assert!(is_named, "no filter to try `{}` with: add one with_filter", field.name);
    }
    drop(running);
    let filters = sent_filters(&subject);
    if !filters.is_empty() {
        assert_sent_with_every_page(&Wire::new(&subject).await, &filters).await;
    }
    assert_select(&subject, SearchOptions::with_filter).await;
}

async fn assert_sent_with_every_page(wire: &Wire, filters: &[Sent<'_>]) {
    let all = wire.all_pages();
    let plain = wire.ask(QUERY, &all).await;
    for declared in filters {
        let filter = declared.filter;
        declared.assert_not_in(plain.requests(), "no filter");
        let asked = wire.ask(QUERY, &all.clone().with_filter(filter.clone())).await;
        declared.assert_in(asked.accepted(filter), filter);
        let window = SearchOptions::top(1).with_skip(1).with_total_count(true);
        let asked = wire.ask(QUERY, &window.with_filter(filter.clone())).await;
        declared.assert_in(asked.requests(), filter);
        let after = wire.ask(QUERY, &SearchOptions::top(1)).await;
        declared.assert_not_in(after.requests(), "no filter, after a search with one");
    }
}

/// Checks filters that the search itself applies, alone and combined.
pub(super) async fn assert_select(
    subject: &Subject,
    with_filter: fn(SearchOptions, Filter) -> SearchOptions,
) {
    let documents = many(subject);
    let running = subject.holding(documents.clone()).await;
    let plain = running.keys(&SearchOptions::top(documents.len())).await;
    assert_eq!(plain.len(), documents.len(), "results without a filter");
    for (filter, matches) in local_filters(subject) {
        let options = with_filter(SearchOptions::top(documents.len()), filter.clone());
        let Ok(results) = running.try_results(QUERY, &options).await else {
            let is_declared = subject.capabilities.filters.iter().any(|it| it.filter == filter);
            assert!(!is_declared, "`{filter}` is refused");
            continue;
        };
        let mut keys = running.keys_of(results);
        let matching = documents.iter().filter(|document| matches(document));
        let mut expected: Vec<&str> =
            matching.map(|document| subject.capabilities.key_of(document)).collect();
        keys.sort_unstable();
        expected.sort_unstable();
        assert_eq!(keys, expected, "results of `{filter}`");
    }
}

type Matches<'a> = Box<dyn Fn(&Document) -> bool + 'a>;

/// The declared filters, their negations, and each pair by `and` and `or`.
fn local_filters(subject: &Subject) -> Vec<(Filter, Matches<'_>)> {
    let declared = subject.capabilities.filters.iter();
    let local: Vec<_> = declared
        .filter_map(|declared| match &declared.check {
            Check::Document(matches) => Some((&declared.filter, &matches.0)),
            Check::Request(_) => None,
        })
        .collect();
    let mut all: Vec<(Filter, Matches<'_>)> = Vec::new();
    for (number, &(filter, matches)) in local.iter().enumerate() {
        all.push((filter.clone(), Box::new(|document| matches(document))));
        all.push((!filter.clone(), Box::new(|document| !matches(document))));
        for &(other, also) in local.iter().skip(number + 1) {
            let filter = filter.clone();
            let other = other.clone();
            let both = filter.clone().and(other.clone());
            all.push((both, Box::new(|document| matches(document) && also(document))));
            let either = filter.or(other);
            all.push((either, Box::new(|document| matches(document) || also(document))));
        }
    }
    all
}

/// It finds nothing, or is refused.
pub(crate) async fn a_filter_that_matches_nothing_finds_nothing(subject: Subject) {
    let running = subject.holding(many(&subject)).await;
    let never = SearchOptions::top(2).with_filter(Filter::any([]));
    if let Ok(results) = running.try_results(QUERY, &never).await {
        assert!(results.is_empty(), "a filter that matches nothing finds {results:?}");
    }
}

/// The error names the field, before any request.
pub(crate) async fn undeclared_fields_are_refused(subject: Subject) {
    let running = subject.holding(many(&subject)).await;
    let name = "a_field_that_nobody_declares";
    let unknown = Filter::eq(name, "x");
    let filters = [
        unknown.clone(),
        Filter::exists(name),
        !unknown.clone(),
        Filter::all([unknown.clone()]),
        Filter::any([unknown.clone(), unknown]),
    ];
    for filter in filters {
        let (field, _) = refused(&running, &filter).await;
        assert_eq!(field, name, "{filter}");
    }
    assert_eq!(running.requests().len(), 0, "requests were sent");
}

/// The error names the field and the operator, before any request.
pub(crate) async fn undeclared_operators_are_refused(subject: Subject) {
    let running = subject.holding(many(&subject)).await;
    let fields = running.search.fields();
    if fields.is_empty() {
        return skipped("filters");
    }
    for field in fields {
        let operators = FilterOperator::ALL_COMPARISONS.iter().copied();
        for operator in operators.filter(|operator| !field.operators.contains(operator)) {
            let (name, actual) = refused(&running, &with_operator(field, operator)).await;
            assert_eq!((name, actual), (field.name.clone(), operator));
        }
    }
    assert_eq!(running.requests().len(), 0, "requests were sent");
}

fn with_operator(field: &FilterableField, operator: FilterOperator) -> Filter {
    let value = match field.schema.get("type").and_then(|kind| kind.as_str()) {
        Some("integer" | "number") => FilterValue::Integer(1),
        Some("boolean") => FilterValue::Bool(true),
        _ => FilterValue::from("x"),
    };
    let mut comparisons = Comparison::ALL.iter().copied();
    match comparisons.find(|comparison| FilterOperator::from(*comparison) == operator) {
        Some(comparison) => Filter::compare(&field.name, comparison, value),
        None if operator == FilterOperator::In => Filter::is_in(&field.name, [value]),
        None => Filter::exists(&field.name),
    }
}

async fn refused(running: &RunningSearch, filter: &Filter) -> (String, FilterOperator) {
    let options = SearchOptions::top(2).with_filter(filter.clone());
    match running.try_results("what there is", &options).await {
        Ok(_) => panic!("`{filter}` is not refused"),
        Err(error) => match error.kind() {
            ErrorKind::UnsupportedFilter { field, operator, .. } => (field.clone(), *operator),
            _ => panic!("`{filter}` is refused as another error: {error:?}"),
        },
    }
}
