//! Filters, as text and as JSON.

use serde_json::json;
use textsearch_core::Filter;

/// A filter survives a round trip as text and as JSON.
pub(crate) fn text(input: &[u8]) {
    let text = crate::text(input);
    let Ok(filter) = text.parse::<Filter>() else { return };
    holds_both_ways(&filter);
    let wire = serde_json::to_string(&filter).unwrap_or_else(|error| {
        panic!("a filter that was read as text has no JSON: {error}: {filter}")
    });
    assert_eq!(serde_json::from_str::<Filter>(&wire).ok().as_ref(), Some(&filter));
}

pub(crate) fn wire(input: &[u8]) {
    let Ok(filter) = serde_json::from_slice::<Filter>(input) else { return };
    let wire = serde_json::to_string(&filter)
        .unwrap_or_else(|error| panic!("a filter that was read cannot be written: {error}"));
    assert_eq!(serde_json::from_str::<Filter>(&wire).ok().as_ref(), Some(&filter));
    holds_both_ways(&filter);
}

fn holds_both_ways(filter: &Filter) {
    let printed = filter.to_string();
    assert_eq!(printed.parse::<Filter>().as_ref(), Ok(filter), "printed as {printed}");
    let record = json!({
        "name": "x", "year": 2020, "score": 0.5, "tag": ["rust", 2], "deep": { "er": true }, "none": null,
    });
    let negated = !filter.clone();
    assert_ne!(filter.matches(&record), negated.matches(&record), "negated: {printed}");
}
