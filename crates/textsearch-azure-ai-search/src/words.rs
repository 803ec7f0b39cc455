//! Texts as queries in the [simple
//! syntax](https://learn.microsoft.com/azure/search/query-simple-syntax), without its operators.

use std::collections::HashSet;

/// The service's limit. A query has one clause per term and field.
const MAX_CLAUSES: usize = 3_000;

/// Returns the query that finds any of the words in any of `fields` fields; `None` if there are no
/// words.
///
/// Drops repeated words. The query ends at the service's limit, within a word if necessary: a text
/// in a language without spaces may be one word.
pub(crate) fn query(text: &str, fields: usize) -> Option<String> {
    let max = (MAX_CLAUSES / fields.max(1)).max(1);
    let mut seen = HashSet::new();
    let mut words = Vec::new();
    let mut terms = 0;
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        let (word, count) = beginning(word, max - terms);
        if count == 0 || !seen.insert(word.to_lowercase()) {
            continue;
        }
        words.push(escaped(word));
        terms += count;
        if terms >= max {
            break;
        }
    }
    (!words.is_empty()).then(|| words.join(" "))
}

/// Returns the longest beginning of `word` with at most `max` terms, and its number of terms.
///
/// Analyzers split a word at its punctuation at most, and some languages into characters.
fn beginning(word: &str, max: usize) -> (&str, usize) {
    let mut terms = 0;
    let mut is_in_ascii = false;
    for (place, c) in word.char_indices() {
        let is_in_term = is_in_ascii && c.is_ascii();
        is_in_ascii = c.is_ascii_alphanumeric();
        if !c.is_alphanumeric() || is_in_term {
            continue;
        }
        if terms == max {
            return (word.get(..place).unwrap_or(word), terms);
        }
        terms += 1;
    }
    (word, terms)
}

/// Escapes operators with a backslash, which makes any character literal.
fn escaped(word: &str) -> String {
    let mut escaped = String::with_capacity(word.len());
    for c in word.chars() {
        if c.is_ascii_punctuation() && !matches!(c, '_' | '.' | ',') {
            escaped.push('\\');
        }
        escaped.push(c);
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
        let cut = format!("a {}", "x\\-".repeat(2_999));
        assert_eq!(query(&format!("a {} b", "x-".repeat(3_000)), 1), Some(cut));
    }

    #[test]
    fn a_long_text_without_spaces_is_cut() {
        let text = "日本語。".repeat(2_000);
        let cut = |count| text.chars().take(count).collect::<String>();
        assert_eq!(query(&text, 1), Some(cut(4_000)));
        assert_eq!(query(&text, 3_000), Some(cut(1)));
        assert_eq!(query(&text, 4_000), Some(cut(1)));
        assert_eq!(query(&format!("river {text} bank"), 1_000).as_deref(), Some("river 日本"));
    }

    #[test]
    fn terms_are_ascii_runs_and_other_letters() {
        for (word, count) in
            [("node.js", 2), ("日本", 2), ("a日b", 3), ("snake_case", 2), ("?!", 0)]
        {
            assert_eq!(beginning(word, 9), (word, count));
        }
    }
}
