//! The citation checker.

#[path = "../../../crates/textsearch-kernel/tests/it/support/rendered.rs"]
mod rendered;

use std::time::{Duration, Instant};

use textsearch_core::TextSearchResult;
use textsearch_kernel::citations::{Citation, Sources, check_citations};

/// Exposes superlinear time.
const LONG: usize = 4 << 10;

/// Far above linear time, even in a build with every check on a busy machine.
const PATIENCE: Duration = Duration::from_secs(5);

/// Each citation lies in the answer, in order, with an existing source. A foreign address that a
/// browser finds in the rendered answer is reported. A long answer takes no more than linear time.
pub(crate) fn check(input: &[u8]) {
    let answer = crate::text(input);
    let results = ["https://known.example/a", "https://known.example/b#part", "docs/guide.md"]
        .map(|link| TextSearchResult::new("A text.").with_name("Guide").with_link(link));
    let sources: Sources = results.iter().collect();
    let citations = check_citations(&answer, &sources);
    let is_reported = !citations.iter().all(Citation::is_supported);
    let mut addresses = rendered::addresses(&answer).into_iter();
    let foreign = addresses.find(|url| url.host_str() == Some("evil.example"));
    assert!(foreign.is_none() || is_reported, "not reported: {foreign:?}");
    let mut last = 0;
    for citation in citations {
        assert!(
            answer.get(citation.range.clone()).is_some(),
            "outside of the answer: {citation:?}"
        );
        assert!(last <= citation.range.start, "out of order: {citation:?}");
        last = citation.range.start;
        let source = citation.source.map(|number| sources.get(number));
        assert_ne!(source, Some(None), "no such source: {citation:?}");
        // A fragment may contain anything and names no host.
        let page = citation.target.split('#').next().unwrap_or_default();
        let is_foreign = page.contains("evil.example");
        assert!(!(is_foreign && citation.is_supported()), "not what was found: {citation:?}");
    }
    let long = answer.repeat(LONG / answer.len().max(1));
    let start = Instant::now();
    check_citations(&long, &sources);
    assert!(start.elapsed() < PATIENCE, "{} bytes took {:?}", long.len(), start.elapsed());
}
