//! Queries arrive unchanged.

use textsearch_core::{ErrorKind, SearchOptions};

use crate::{Document, Subject, report::skipped, subject::RunningSearch};

/// They break encodings, quoting and parsers.
const HOSTILE: &[&str] = &[
    "plain words",
    "a&key=b&count=1000#fragment",
    "100% + 1 = %2B %00 %",
    r#"he said "yes" and 'no' \ "#,
    "{\"query\": [null]} \\u0000",
    "<script>alert(1)</script> <b>x</b>",
    "'; DROP TABLE pages; --",
    "../../etc/passwd?x=y",
    "naïve Größe Ω ≠ ∞",
    "日本語の検索 العربية עברית हिन्दी",
    "👩\u{200d}👩\u{200d}👧 🇪🇺 e\u{301}",
    "\u{202e}backwards\u{202c} zero\u{200b}width",
    "line one\nline two\tand a tab",
    "(((((((((( ))))) AND OR NOT",
    "http://example.com/?q=1&r=2",
    "${HOME} $(id) `id` {{x}} {0} %s",
];

/// Or the search rejects them before any request. A long one isn't cut.
pub async fn hostile_queries_arrive_intact(subject: Subject) {
    let running = subject.holding(Document::several(2)).await;
    let long = format!("{}end", "word ".repeat(1000));
    for query in HOSTILE.iter().copied().chain([long.as_str()]) {
        let before = running.server().count();
        if accepted(&running, query, &SearchOptions::top(1)).await {
            let requests = running.requests();
            let texts = requests.get(before).map(|request| request.texts()).unwrap_or_default();
            let arrived = texts.iter().any(|(_, text)| text.contains(query.trim()));
            assert!(arrived, "{query:?} is not in {texts:?}");
        }
    }
}

/// If not, it must not send a request.
async fn accepted(running: &RunningSearch, query: &str, options: &SearchOptions) -> bool {
    let before = running.requests().len();
    match running.try_results(query, options).await {
        Ok(_) => true,
        Err(error) => {
            let refused = matches!(error.kind(), ErrorKind::InvalidOptions { .. });
            assert!(refused, "{query:?}: {error:?}");
            assert_eq!(running.requests().len(), before, "{query:?} is refused after it is sent");
            false
        }
    }
}

/// Even a very long or an empty query causes no panic.
pub async fn hostile_queries_do_no_harm(subject: Subject) {
    let running = subject.holding(Document::several(2)).await;
    let long = "word ".repeat(1000);
    let others = ["", " ", "\u{feff}", "x", long.as_str()];
    for query in HOSTILE.iter().copied().chain(others) {
        accepted(&running, query, &SearchOptions::top(2)).await;
    }
}

/// The parameters stay the same, even under a fixed filter.
pub async fn no_query_adds_a_parameter(subject: Subject) {
    let running = subject.holding(Document::several(2)).await;
    let plain = SearchOptions::top(1);
    assert_same_parameters(&running, &plain).await;
    if !running.search.supports_fixed_filter() || subject.capabilities.filters.is_empty() {
        return skipped("fixed filters, for the second half");
    }
    for declared in &subject.capabilities.filters {
        let fixed = plain.clone().with_fixed_filter(declared.filter.clone());
        assert_same_parameters(&running, &fixed).await;
    }
}

async fn assert_same_parameters(running: &RunningSearch, options: &SearchOptions) {
    let expected = parameters_of(running, "rust", options).await;
    assert!(expected.is_some(), "a plain query is refused");
    for query in HOSTILE {
        if let Some(names) = parameters_of(running, query, options).await {
            assert_eq!(Some(names), expected, "{query:?}");
        }
    }
}

async fn parameters_of(
    running: &RunningSearch,
    query: &str,
    options: &SearchOptions,
) -> Option<Vec<String>> {
    let before = running.server().count();
    let was_sent = accepted(running, query, options).await && running.server().count() > before;
    let request = running.requests().into_iter().nth(before).filter(|_| was_sent)?;
    Some(request.texts().into_iter().map(|(name, _)| name).collect())
}
