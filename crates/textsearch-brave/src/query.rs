//! The words of a query: with Brave's operators, or as plain text without any.

/// Words that Brave reads as operators where they are in capitals.
const OPERATORS: &[&str] = &["AND", "OR", "NOT"];
/// Signs that are operators in front of a word.
const SIGNS: &[char] = &['-', '+', '−', '‐', '‑', '–', '—', '\u{207a}', '\u{207b}', '~'];

/// The filter's words and then the query, whose own operators stay what they are.
pub(crate) fn with_operators(words: &[String], query: &str) -> String {
    let query = query.trim();
    let mut tokens = query.split(|one: char| !one.is_alphanumeric());
    let has_alternatives = query.contains('|') || tokens.any(|token| token == "OR");
    if words.is_empty() {
        query.to_owned()
    } else if has_alternatives {
        // Without parentheses the filter would be one more word of the first alternative only.
        format!("{} ({})", words.join(" "), closed(query))
    } else {
        joined(words, query)
    }
}

/// The query with its last quote closed, and without parentheses where they do not match: neither may end or swallow
/// those around it.
fn closed(query: &str) -> String {
    let is_odd = query.matches('"').count() % 2 == 1;
    let query = if is_odd { format!("{query}\"") } else { query.to_owned() };
    let mut depth = 0_i64;
    let is_matched = query.chars().all(|one| {
        depth += i64::from(one == '(') - i64::from(one == ')');
        depth >= 0
    });
    if is_matched && depth == 0 { query } else { query.replace(['(', ')'], " ") }
}

/// The filter's words and then the query as plain text, in which nothing is an operator.
pub(crate) fn as_plain_text(words: &[String], query: &str) -> String {
    joined(words, &plain(query))
}

/// A value as one word or one phrase; `None` where it has neither a letter nor a digit.
pub(crate) fn quoted(value: &str) -> Option<String> {
    let value: String = value.chars().map(|one| if is_quote(one) { ' ' } else { one }).collect();
    let words: Vec<&str> = value.split_whitespace().collect();
    if !value.chars().any(char::is_alphanumeric) {
        return None;
    }
    let is_word = |word: &str| {
        word.chars().all(|one| one.is_alphanumeric() || one == '_') && !OPERATORS.contains(&word)
    };
    match words.as_slice() {
        [word] if is_word(word) => Some((*word).to_owned()),
        words => Some(format!("\"{}\"", words.join(" "))),
    }
}

fn joined(words: &[String], query: &str) -> String {
    let words = words.iter().map(String::as_str).chain([query]);
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The query without signs, and with operators in small letters.
fn plain(query: &str) -> String {
    let text: String = query.chars().map(folded).map(without_meaning).collect();
    text.split_whitespace().filter_map(plain_word).collect::<Vec<_>>().join(" ")
}

fn plain_word(word: &str) -> Option<String> {
    let word = word.trim_start_matches(SIGNS);
    let letters: String = word.chars().filter(|one| one.is_alphabetic()).collect();
    if word.is_empty() {
        None
    } else if OPERATORS.contains(&letters.as_str()) {
        Some(word.to_lowercase())
    } else {
        Some(word.to_owned())
    }
}

/// The usual form of what East Asian keyboards write in full width: search engines take both for the same.
fn folded(one: char) -> char {
    match one {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(one) - 0xfee0).unwrap_or(' '),
        other => other,
    }
}

fn without_meaning(one: char) -> char {
    let is_operator = matches!(
        one,
        ':' | '('
            | ')'
            | '['
            | ']'
            | '{'
            | '}'
            | '|'
            | '&'
            | '!'
            | '*'
            | '^'
            | '\\'
            | '`'
            | '<'
            | '>'
            | '='
            | '\u{fe55}'
            | '\u{fe13}'
            | '\u{a789}'
            | '\u{2236}'
            | '\u{fe63}'
            | '\u{fe62}'
            | '\u{fe59}'
            | '\u{fe5a}'
    );
    if is_operator || is_quote(one) || one.is_control() { ' ' } else { one }
}

fn is_quote(one: char) -> bool {
    matches!(
        one,
        '"' | '“' | '”' | '„' | '‟' | '«' | '»' | '″' | '\u{ff02}' | '\u{301d}'..='\u{301f}'
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Words, operators and look-alikes in any order.
    fn hostile_query() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("site:"),
            Just("-"),
            Just("OR"),
            Just(" "),
            Just("\""),
            Just("ＳＩＴＥ："),
            Just("NOT"),
            Just("("),
            Just(")"),
            Just("evil.example"),
            Just("|"),
            Just("ＯＲ"),
            Just("−"),
            Just("+"),
            Just("AND"),
            Just("\u{200b}"),
            Just("\n"),
            Just("“"),
            Just("lang:"),
        ];
        let pieces = prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat());
        prop_oneof![pieces, any::<String>()]
    }

    proptest! {
        #[test]
        fn no_plain_query_has_an_operator(query in hostile_query()) {
            let plain = plain(&query);
            prop_assert!(!plain.contains([':', '"', '(', ')', '|', '：', '“', '”', '!']), "{plain}");
            for word in plain.split_whitespace() {
                prop_assert!(!OPERATORS.contains(&word), "{plain}");
                prop_assert!(!word.starts_with(SIGNS), "{plain}");
            }
        }

        #[test]
        fn a_value_is_one_word_or_one_phrase(value in hostile_query()) {
            if let Some(quoted) = quoted(&value) {
                let inner = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
                match inner {
                    Some(phrase) => prop_assert!(!phrase.contains('"'), "{quoted}"),
                    None => prop_assert!(
                        quoted.chars().all(|one| one.is_alphanumeric() || one == '_'),
                        "{quoted}"
                    ),
                }
            }
        }
    }

    #[test]
    fn alternatives_cannot_leave_the_parentheses_around_them() {
        let words = ["site:docs.rs".to_owned()];
        let cases = [
            ("a OR (b c)", "site:docs.rs (a OR (b c))"),
            ("a) OR (b", "site:docs.rs (a  OR  b)"),
            ("a OR \"b", "site:docs.rs (a OR \"b\")"),
            ("a|b", "site:docs.rs (a|b)"),
            ("(a)OR(b)", "site:docs.rs ((a)OR(b))"),
            ("a b", "site:docs.rs a b"),
        ];
        for (query, expected) in cases {
            assert_eq!(with_operators(&words, query), expected);
        }
    }

    #[test]
    fn plain_words_stay_as_they_are() {
        let query = "How do C++ and vector-search work in Größe 12.5?";
        assert_eq!(plain(query), query);
    }
}
