//! Search options.

use serde_json::json;
use textsearch_core::{Filter, SearchOptions};

#[test]
fn with_filter_replaces_only_the_normal_filter() {
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

#[test]
fn options_read_as_they_are_written() {
    let narrowed = SearchOptions::top(7)
        .with_skip(3)
        .with_total_count(true)
        .with_explanation(true)
        .with_filter(Filter::ge("year", 2020))
        .with_fixed_filter(Filter::eq("tenant", "a"))
        .with_fixed_filter(Filter::eq("public", true));
    for options in [SearchOptions::default(), narrowed] {
        let json = serde_json::to_string(&options).unwrap();
        assert_eq!(serde_json::from_str::<SearchOptions>(&json).unwrap(), options, "{json}");
    }
    let json = serde_json::to_value(SearchOptions::default()).unwrap();
    let expected =
        json!({ "top": 5, "skip": 0, "include_total_count": false, "include_explanation": false });
    assert_eq!(json, expected);
}

#[test]
fn missing_options_default_and_unknown_options_are_refused() {
    let options: SearchOptions = serde_json::from_value(json!({ "skip": 2 })).unwrap();
    assert_eq!(options, SearchOptions::default().with_skip(2));
    let misspelled = json!({ "fixed_filters": { "field": "tenant", "operator": "exists" } });
    let error = serde_json::from_value::<SearchOptions>(misspelled).unwrap_err();
    assert!(error.to_string().contains("unknown field `fixed_filters`"), "{error}");
}
