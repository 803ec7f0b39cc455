//! Queries arrive unchanged. Under a fixed filter, they have no operators.

use textsearch_core::{ErrorKind, SearchOptions};

use super::wire::{QUERY, Wire, sent_filters};
use crate::{Document, Subject, case::skipped, subject::RunningSearch};

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
pub(crate) async fn hostile_queries_arrive_intact(subject: Subject) {
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
pub(crate) async fn hostile_queries_do_no_harm(subject: Subject) {
    let running = subject.holding(Document::several(2)).await;
    let long = "word ".repeat(1000);
    let others = ["", " ", "\u{feff}", "x", long.as_str()];
    for query in HOSTILE.iter().copied().chain(others) {
        accepted(&running, query, &SearchOptions::top(2)).await;
    }
}

/// The parameters stay the same, even under a fixed filter.
pub(crate) async fn no_query_adds_a_parameter(subject: Subject) {
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

/// Each declared operator arrives quoted, as a plain word, or not at all, on every page.
pub(crate) async fn query_operators_do_not_work_under_a_fixed_filter(subject: Subject) {
    let Some(operators) = &subject.capabilities.query_operators else {
        return skipped("the operators of queries: say which with_query_operators");
    };
    let filters = sent_filters(&subject);
    let wire = Wire::new(&subject).await;
    if filters.is_empty() || !wire.accepts_fixed() {
        return skipped("fixed filters");
    }
    for declared in &filters {
        let [single, fixed] = [SearchOptions::top(1), wire.all_pages()]
            .map(|options| options.with_fixed_filter(declared.filter.clone()));
        let Some(harmless) = wire.ask(QUERY, &single).await.first().cloned() else { continue };
        let harmless = harmless.texts();
        let known = |name: &str, operator: &str| {
            let same_name = harmless.iter().filter(|(other, _)| other == name);
            same_name.map(|(_, text)| bare(text, operator)).max().unwrap_or_default()
        };
        let all = operators.iter().map(|operator| format!("{operator}evil {operator} evil"));
        let all = all.collect::<Vec<_>>().join(" ");
        let queries = operators.iter().flat_map(|operator| hostile_queries(operator));
        let queries = queries.map(|query| (query, &single)).chain([(all, &fixed)]);
        for (query, options) in queries {
            for request in wire.ask(&query, options).await.requests() {
                for (name, text) in request.texts() {
                    for operator in operators {
                        assert!(
                            bare(&text, operator) <= known(&name, operator),
                            "the operator `{operator}` of the query {query:?} arrives under a fixed filter: {name}={text}"
                        );
                    }
                    let is_open = has_open_quote(&text);
                    assert!(!is_open, "the query {query:?} opens a quote: {name}={text}");
                }
            }
        }
    }
}

/// The operator in many places, then after a quote that nothing closes, and between quotes.
fn hostile_queries(operator: &str) -> [String; 3] {
    let (first, rest) = operator.split_at(operator.chars().next().map_or(0, char::len_utf8));
    let places = [
        format!("{operator}evil {QUERY}"),
        format!("{operator} evil ({operator}evil)"),
        format!("\t{operator}evil\u{a0}{operator} evil"),
        // Removing it once leaves it.
        format!("{first}{operator}{rest}evil"),
    ];
    [
        places.join(" "),
        format!("{QUERY}\" {operator}evil {operator} evil"),
        format!("\"{QUERY}\" {operator}evil {operator} evil \"{QUERY}\""),
    ]
}

/// Counts an operator outside quotes: letters as a whole word, signs at the beginning of a word.
pub(super) fn bare(text: &str, operator: &str) -> usize {
    let outside = outside_quotes(text);
    let is_word = operator.chars().all(char::is_alphanumeric);
    let words = outside.split(|c: char| c.is_whitespace() || c == '(' || c == ')');
    let matching = words.filter(|word| {
        let word = word.trim_matches('\u{1}');
        if is_word {
            *word == *operator
        } else {
            word.starts_with(operator)
                || word.trim_start_matches(['-', '+', '!']).starts_with(operator)
        }
    });
    let brackets =
        if matches!(operator, "(" | ")") { outside.matches(operator).count() } else { 0 };
    let within = if operator == "|" { outside.matches('|').count() } else { 0 };
    matching.count().max(brackets).max(within)
}

/// Masks quotes and quoted text.
pub(super) fn outside_quotes(text: &str) -> String {
    parts(text).map(|(part, is_quoted)| if is_quoted { '\u{1}' } else { part }).collect()
}

pub(super) fn has_open_quote(text: &str) -> bool {
    let mut is_open = false;
    let mut is_escaped = false;
    for c in text.chars() {
        is_open ^= c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
    }
    is_open
}

/// Each character, and whether it is within quotes. A backslash escapes.
fn parts(text: &str) -> impl Iterator<Item = (char, bool)> {
    let mut is_quoted = false;
    let mut is_escaped = false;
    text.chars().map(move |c| {
        let is_quote = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        let was_quoted = is_quoted;
        is_quoted ^= is_quote;
        (c, was_quoted || is_quoted)
    })
}
