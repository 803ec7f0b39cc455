//! Texts as queries in the [simple
//! syntax](https://learn.microsoft.com/azure/search/query-simple-syntax), without its operators.

use std::collections::HashSet;

/// The service's limit. A query has one clause per term and field.
const MOST_CLAUSES: usize = 3_000;

/// Returns the query that finds any of the words in any of `fields` fields; `None` if there are no
/// words.
///
/// Drops repeated words, and words beyond the service's limit.
pub(crate) fn query(text: &str, fields: usize) -> Option<String> {
    let most = MOST_CLAUSES / fields.max(1);
    let (mut seen, mut words, mut terms) = (HashSet::new(), Vec::new(), 0);
    for word in text.split(|one: char| one.is_whitespace() || one.is_control()) {
        let count = estimated_terms(word);
        if count == 0 || !seen.insert(word.to_lowercase()) {
            continue;
        }
        terms += count;
        if terms > most {
            break;
        }
        words.push(escaped(word));
    }
    (!words.is_empty()).then(|| words.join(" "))
}

/// Analyzers split a word at its punctuation at most, and some languages into characters.
fn estimated_terms(word: &str) -> usize {
    let others = word.chars().filter(|one| !one.is_ascii() && one.is_alphanumeric()).count();
    let ascii = word.split(|one: char| !one.is_ascii_alphanumeric());
    others + ascii.filter(|part| !part.is_empty()).count()
}

/// Escapes operators with a backslash, which makes any character literal.
fn escaped(word: &str) -> String {
    let mut escaped = String::with_capacity(word.len());
    for one in word.chars() {
        if one.is_ascii_punctuation() && !matches!(one, '_' | '.' | ',') {
            escaped.push('\\');
        }
        escaped.push(one);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_are_escaped() {
        let cases = [
            ("river bank", Some("river bank")),
            ("-apple +pear", Some("\\-apple \\+pear")),
            ("\"a b\" c*", Some("\\\"a b\\\" c\\*")),
            ("a|b (c) d~2", Some("a\\|b \\(c\\) d\\~2")),
            ("back\\slash", Some("back\\\\slash")),
            ("node.js snake_case", Some("node.js snake_case")),
            ("Äpfel 日本", Some("Äpfel 日本")),
        ];
        for (text, expected) in cases {
            assert_eq!(query(text, 1).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_text_without_words_has_no_query() {
        for text in ["", "  ", "?! * -", "🦀", "\u{0}"] {
            assert_eq!(query(text, 1), None, "{text:?}");
        }
    }

    #[test]
    fn a_long_text_stays_within_the_clauses() {
        assert_eq!(query(&"apple ".repeat(5_000), 1).as_deref(), Some("apple"));
        let long: String = (0..5_000).map(|number| format!("w{number} ")).collect();
        assert_eq!(query(&long, 1).unwrap().split(' ').count(), 3_000);
        assert_eq!(query(&long, 4).unwrap().split(' ').count(), 750);
        assert_eq!(query(&format!("a {}", "x-".repeat(3_000)), 1).as_deref(), Some("a"));
    }
}
