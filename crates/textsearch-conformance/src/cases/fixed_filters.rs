//! A fixed filter holds, whatever the caller's filter says and the backend sends.

use textsearch_core::{ErrorKind, Filter, SearchOptions, filter::Comparison};

use super::{
    filter_combinations::{assert_all, pairs},
    filter_values::two_values,
    filters::assert_select,
    wire::{Asked, QUERY, Wire, sent_filters, shown, words},
};
use crate::{Document, Subject, case::skipped};

/// Sent with every page, or rejected before any request.
pub(crate) async fn fixed_filters_hold_or_are_refused(subject: Subject) {
    if subject.capabilities.filters.is_empty() {
        return skipped("filters");
    }
    let running = subject.holding(super::many(&subject)).await;
    if !running.search.supports_fixed_filter() {
        for declared in &subject.capabilities.filters {
            let fixed = SearchOptions::top(2).with_fixed_filter(declared.filter.clone());
            let error = running.try_results(QUERY, &fixed).await.expect_err("no support");
            let is_refused = matches!(error.kind(), ErrorKind::InvalidOptions { .. });
            assert!(is_refused && running.requests().is_empty(), "{error:?}");
        }
        return;
    }
    let filters = sent_filters(&subject);
    if !filters.is_empty() {
        let wire = Wire::new(&subject).await;
        for declared in &filters {
            let fixed = wire.all_pages().with_fixed_filter(declared.filter.clone());
            let search = format!("{} (fixed)", declared.filter);
            declared.assert_in(wire.ask(QUERY, &fixed).await.accepted(&search), &search);
        }
    }
    assert_select(&subject, SearchOptions::with_fixed_filter).await;
}

/// Both the fixed filter and the caller's arrive.
pub(crate) async fn a_callers_filter_adds_to_a_fixed_one(subject: Subject) {
    let filters = sent_filters(&subject);
    let wire = Wire::new(&subject).await;
    if filters.is_empty() || !wire.accepts_fixed() {
        return skipped("fixed filters");
    }
    for (first, second) in pairs(&filters) {
        for (fixed, caller) in [(first, second), (second, first)] {
            let both = format!("{} (fixed) and {}", fixed.filter, caller.filter);
            let asked = wire.first_fixed(fixed.filter, caller.filter).await;
            assert_all(&asked, [fixed, caller], &both);
        }
    }
}

/// Another value of its field, such as another tenant's, neither replaces nor widens it.
pub(crate) async fn another_value_does_not_widen_a_fixed_filter(subject: Subject) {
    let wire = Wire::new(&subject).await;
    let fields = two_values(&subject, &wire).await;
    if fields.is_empty() || !wire.accepts_fixed() {
        return skipped("fixed filters with several values");
    }
    for [first, second] in &fields {
        let asked = wire.first_fixed(first, second).await;
        let Some(request) = asked.first() else { continue };
        let is_same = |asked: &Asked| asked.first().map(words) == Some(words(request));
        // A connector may send the narrower value, but then it does so in either order.
        let are_alike = is_same(&*wire.first_fixed(second, first).await);
        let both = format!("{first} (fixed) and {second}");
        assert!(are_alike, "`{both}` depends on which is fixed: {}", shown(request));
        let mut wider = vec![first.clone().or(second.clone()), !first.clone(), !second.clone()];
        if matches!(first, Filter::Compare { operator: Comparison::Contains, .. }) {
            wider.extend([first.clone(), second.clone()]);
        }
        for wider in wider {
            let is_widened = is_same(&*wire.first(wider.clone()).await);
            assert!(!is_widened, "`{both}` is sent as `{wider}`");
        }
        let plain = wire.plain().await;
        assert!(plain.essence() != asked.essence(), "`{both}` is ignored");
    }
}

/// Outside `example.com`, although some look as if inside.
const OUTSIDE: &[&str] = &[
    "https://elsewhere.example/documents/1",
    "https://example.com.elsewhere.example/documents/1",
    "https://notexample.com/documents/1",
    "https://elsewhere.example/https://example.com/documents/1",
    "https://example.com@elsewhere.example/documents/1",
    r"https://example.com\@elsewhere.example/documents/1",
    "javascript://example.com/%0aalert(1)",
];

/// An engine may misread a query or an operator.
pub(crate) async fn results_outside_of_a_fixed_site_stay_out(subject: Subject) {
    let Some(field) = &subject.capabilities.site_field else {
        return skipped("a field that names the site of a link: say which one with_site_field");
    };
    let documents = mixed(subject.capabilities.within(2 * OUTSIDE.len()));
    let running = subject.holding(documents.clone()).await;
    if !running.search.supports_fixed_filter() {
        return skipped("fixed filters");
    }
    let fixed = Filter::eq(field, "example.com");
    let options = SearchOptions::top(documents.len()).with_fixed_filter(fixed);
    let mut keys = running.keys(&options).await;
    let mut inside: Vec<String> = documents.into_iter().map(|document| document.link).collect();
    inside.retain(|link| !OUTSIDE.contains(&link.as_str()));
    keys.sort();
    inside.sort();
    assert_eq!(keys, inside, "results under a fixed filter on `{field}`");
}

/// Alternately inside and outside, so each page has both.
fn mixed(count: usize) -> Vec<Document> {
    let mut documents = Document::several(count);
    for (document, link) in documents.iter_mut().skip(1).step_by(2).zip(OUTSIDE) {
        (*link).clone_into(&mut document.link);
    }
    documents
}
