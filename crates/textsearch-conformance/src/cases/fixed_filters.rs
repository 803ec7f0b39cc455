//! A fixed filter holds, whatever the caller's filter says.

use textsearch_core::{ErrorKind, Filter, SearchOptions, filter::Comparison};

use super::{
    filter_combinations::{assert_both, pairs},
    filter_values::two_values,
    filters::{assert_in_each, assert_select},
    wire::{Asked, QUERY, Wire, sent_filters, shown, words},
};
use crate::{Subject, report::skipped};

/// Sent with every page, or rejected before any request.
pub async fn fixed_filters_hold_or_are_refused(subject: Subject) {
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
        let wire = Wire::of(&subject).await;
        for declared in &filters {
            let fixed = wire.all_pages().with_fixed_filter(declared.filter.clone());
            match wire.ask(QUERY, &fixed).await {
                Asked::Sent(requests) => assert_in_each(&requests, declared),
                Asked::Refused(why) => panic!("`{}` is refused if fixed: {why}", declared.filter),
                Asked::Nothing => panic!("`{}` finds nothing if fixed", declared.filter),
            }
        }
    }
    assert_select(&subject, SearchOptions::with_fixed_filter).await;
}

/// Both the fixed filter and the caller's arrive.
pub async fn a_callers_filter_adds_to_a_fixed_one(subject: Subject) {
    let filters = sent_filters(&subject);
    let wire = Wire::of(&subject).await;
    if filters.is_empty() || !wire.accepts_fixed() {
        return skipped("fixed filters");
    }
    for (one, other) in pairs(&filters) {
        for (fixed, caller) in [(one, other), (other, one)] {
            let both = format!("{} (fixed) and {}", fixed.filter, caller.filter);
            let asked = wire.first_fixed(fixed.filter, caller.filter).await;
            assert_both(&asked, fixed, caller, &both);
        }
    }
}

/// Another value of its field, such as another tenant's, neither replaces nor widens it.
pub async fn another_value_does_not_widen_a_fixed_filter(subject: Subject) {
    let wire = Wire::of(&subject).await;
    let fields = two_values(&subject, &wire).await;
    if fields.is_empty() || !wire.accepts_fixed() {
        return skipped("fixed filters with several values");
    }
    for [one, other] in &fields {
        let asked = wire.first_fixed(one, other).await;
        let Some(request) = asked.first() else { continue };
        let swapped = wire.first_fixed(other, one).await;
        // A connector may send the narrower value, but then it does so in either order.
        let are_alike = swapped.first().map(words) == Some(words(request));
        assert!(
            are_alike,
            "of `{one}` and `{other}`, the request depends on which is fixed: {}",
            shown(request)
        );
        let either = one.clone().or(other.clone());
        for wider in [either, !one.clone(), !other.clone()] {
            let wider_request = wire.first(wider.clone()).await;
            let is_widened = wider_request.first().map(words) == Some(words(request));
            assert!(!is_widened, "`{one}` (fixed) and `{other}` is sent as `{wider}`");
        }
        if matches!(one, Filter::Compare { operator: Comparison::Contains, .. }) {
            for alone in [one, other] {
                let is_alone = wire.first(alone.clone()).await.first().map(words);
                let is_alone = is_alone == Some(words(request));
                assert!(!is_alone, "`{one}` (fixed) and `{other}` is sent as `{alone}`");
            }
        }
        let plain = wire.plain().await;
        assert!(plain.essence() != asked.essence(), "`{one}` (fixed) and `{other}` is ignored");
    }
}
