//! Under a fixed filter, a query has no operators.

use textsearch_core::SearchOptions;

use super::wire::{QUERY, Wire, sent_filters};
use crate::{Subject, report::skipped};

/// Each declared operator arrives quoted, as a plain word, or not at all, on every page.
pub async fn query_operators_do_not_work_under_a_fixed_filter(subject: Subject) {
    let Some(operators) = &subject.capabilities.query_operators else {
        return skipped("the operators of queries: say which with_query_operators");
    };
    let filters = sent_filters(&subject);
    let wire = Wire::of(&subject).await;
    if filters.is_empty() || !wire.accepts_fixed() {
        return skipped("fixed filters");
    }
    for declared in &filters {
        let [one, fixed] = [SearchOptions::top(1), wire.all_pages()]
            .map(|options| options.with_fixed_filter(declared.filter.clone()));
        let Some(harmless) = wire.ask(QUERY, &one).await.first().cloned() else { continue };
        let harmless = harmless.texts();
        let known = |name: &str, operator: &str| {
            let same_name = harmless.iter().filter(|(other, _)| other == name);
            same_name.map(|(_, text)| bare(text, operator)).max().unwrap_or_default()
        };
        let all = operators.iter().map(|operator| format!("{operator}evil {operator} evil"));
        let all = all.collect::<Vec<_>>().join(" ");
        let queries = operators.iter().flat_map(|operator| hostile_queries(operator));
        let queries = queries.map(|query| (query, &one)).chain([(all, &fixed)]);
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
    let words = outside.split(|one: char| one.is_whitespace() || one == '(' || one == ')');
    let found = words.filter(|word| {
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
    found.count().max(brackets).max(within)
}

/// Masks quotes and quoted text.
pub(super) fn outside_quotes(text: &str) -> String {
    parts(text).map(|(part, is_quoted)| if is_quoted { '\u{1}' } else { part }).collect()
}

pub(super) fn has_open_quote(text: &str) -> bool {
    let (mut is_open, mut is_escaped) = (false, false);
    for one in text.chars() {
        is_open ^= one == '"' && !is_escaped;
        is_escaped = one == '\\' && !is_escaped;
    }
    is_open
}

/// Each character, and whether it is within quotes. A backslash escapes.
fn parts(text: &str) -> impl Iterator<Item = (char, bool)> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    text.chars().map(move |one| {
        let is_quote = one == '"' && !is_escaped;
        is_escaped = one == '\\' && !is_escaped;
        let was_quoted = is_quoted;
        is_quoted ^= is_quote;
        (one, was_quoted || is_quoted)
    })
}
