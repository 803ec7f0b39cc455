//! A search applies or rejects each filter, and never ignores one.

use textsearch_core::{
    ErrorKind, Filter, FilterableField, SearchOptions,
    filter::{Comparison, FilterOperator, FilterValue},
};

use super::{all_links, many};
use crate::{Subject, report::skipped, subject::RunningSearch};

/// The request carries the filter, and every result is a document.
pub async fn declared_filters_work(subject: Subject) {
    let documents = many(&subject);
    let running = subject.holding(documents.clone()).await;
    let fields = running.search.filterable_fields();
    if fields.is_empty() {
        return skipped("filters");
    }
    for field in fields {
        let named = subject.capabilities.filters.iter().any(|filter| names(filter, &field.name));
        assert!(named, "no filter to try `{}` with: add one with_filter", field.name);
    }
    let links = all_links(&documents);
    let top = SearchOptions::top(subject.capabilities.within(5));
    running.results(&top).await;
    for filter in &subject.capabilities.filters {
        let before = running.requests().len();
        let found = running.links(&top.clone().with_filter(filter.clone())).await;
        assert!(found.iter().all(|link| links.contains(link)), "{filter}: {found:?}");
        assert_filter_was_sent(&running, before, filter);
    }
}

fn names(filter: &Filter, field: &str) -> bool {
    match filter {
        Filter::And(filters) | Filter::Or(filters) => {
            filters.iter().any(|filter| names(filter, field))
        }
        Filter::Not(filter) => names(filter, field),
        Filter::Compare { field: other, .. }
        | Filter::In { field: other, .. }
        | Filter::Exists { field: other } => other == field,
        _ => false,
    }
}

/// A request with the filter must differ from one without.
fn assert_filter_was_sent(running: &RunningSearch, before: usize, filter: &Filter) {
    let requests = running.requests();
    if let (Some(plain), Some(filtered)) = (requests.first(), requests.get(before)) {
        assert_ne!(plain.essence(), filtered.essence(), "nothing in the request says `{filter}`");
    }
}

/// The error names the field, before any request.
pub async fn undeclared_fields_are_refused(subject: Subject) {
    let running = subject.holding(many(&subject)).await;
    let name = "a_field_that_nobody_declares";
    let unknown = Filter::eq(name, "x");
    let filters = [
        unknown.clone(),
        Filter::exists(name),
        unknown.clone().negate(),
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
pub async fn undeclared_operators_are_refused(subject: Subject) {
    let running = subject.holding(many(&subject)).await;
    let fields = running.search.filterable_fields();
    if fields.is_empty() {
        return skipped("filters");
    }
    for field in fields {
        let operators = FilterOperator::ALL_COMPARISONS.iter().copied();
        for operator in operators.filter(|operator| !field.operators.contains(operator)) {
            let (name, found) = refused(&running, &with_operator(field, operator)).await;
            assert_eq!((name, found), (field.name.clone(), operator));
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

/// Sent like any other, or rejected before any request.
pub async fn fixed_filters_hold_or_are_refused(subject: Subject) {
    let running = subject.holding(many(&subject)).await;
    if subject.capabilities.filters.is_empty() {
        return skipped("filters");
    }
    let top = SearchOptions::top(2);
    running.results(&top).await;
    for filter in &subject.capabilities.filters {
        let before = running.requests().len();
        let fixed = top.clone().with_fixed_filter(filter.clone());
        match running.try_results("what there is", &fixed).await {
            Ok(_) => assert_filter_was_sent(&running, before, filter),
            Err(error) => {
                let accepts = running.search.accepts_fixed_filter();
                assert!(!accepts, "`{filter}` is accepted but fails: {error:?}");
                assert_eq!(running.requests().len(), before, "requests were sent");
            }
        }
    }
}
