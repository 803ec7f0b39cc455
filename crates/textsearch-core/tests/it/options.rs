//! How filters in the options add up.

use serde_json::json;
use textsearch_core::{Filter, SearchOptions};

#[test]
fn a_later_filter_replaces_the_earlier_one_and_leaves_the_fixed_one() {
    let options = SearchOptions::default()
        .with_fixed_filter(Filter::eq("tenant", "a"))
        .with_filter(Filter::eq("tenant", "b"))
        .with_filter(Filter::eq("year", 2024));
    let filter = options.filter().unwrap();
    assert!(filter.matches(&json!({ "tenant": "a", "year": 2024 })));
    assert!(!filter.matches(&json!({ "tenant": "b", "year": 2024 })));
    assert!(!filter.matches(&json!({ "tenant": "a", "year": 2023 })));
}

#[test]
fn fixed_filters_only_narrow() {
    let options = SearchOptions::default()
        .with_fixed_filter(Filter::eq("tenant", "a"))
        .with_fixed_filter(Filter::eq("public", true));
    let fixed = options.fixed_filter().unwrap();
    assert!(fixed.matches(&json!({ "tenant": "a", "public": true })));
    assert!(!fixed.matches(&json!({ "tenant": "b", "public": true })));
    assert!(!fixed.matches(&json!({ "tenant": "a", "public": false })));
}

#[test]
fn a_fixed_or_stays_together_beside_a_filter() {
    let options = SearchOptions::default()
        .with_fixed_filter(Filter::eq("tenant", "a").or(Filter::eq("tenant", "shared")))
        .with_fixed_filter(Filter::eq("public", true))
        .with_filter(Filter::ge("year", 2020).or(Filter::eq("pinned", true)));
    let filter = options.filter().unwrap();
    assert!(filter.matches(&json!({ "tenant": "shared", "public": true, "pinned": true })));
    assert!(!filter.matches(&json!({ "tenant": "b", "public": true, "pinned": true })));
    assert!(!filter.matches(&json!({ "tenant": "shared", "public": false, "pinned": true })));
}

#[test]
fn five_results_from_the_first_on_are_the_default() {
    let options = SearchOptions::default();
    assert_eq!((options.top, options.skip, options.include_total_count), (5, 0, false));
    assert!(options.filter().is_none());
}
