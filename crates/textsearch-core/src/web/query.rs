//! Queries without operators.

use crate::invisible::is_invisible;

const OPERATORS: &[&str] = &["AND", "OR", "NOT"];

/// Operators in front of a word.
const SIGNS: &[char] = &['-', '+', '−', '‐', '‑', '–', '—', '\u{207a}', '\u{207b}', '~'];

/// Returns the query with single spaces and without operators, for engines whose quoting cannot be
/// trusted.
///
/// Characters that may be quotes or operators become spaces, signs before words go, and `AND`, `OR`
/// and `NOT` become lower case. Words such as `C++` and `vector-search` stay as far as possible.
///
/// ```
/// use textsearch_core::web::plain_query;
///
/// assert_eq!(plain_query("C++ OR -site:evil.example \"a b\""), "C++ or site evil.example a b");
/// ```
pub fn plain_query(query: &str) -> String {
    let text: String = query.chars().map(half_width).map(without_meaning).collect();
    text.split_whitespace().filter_map(plain_word).collect::<Vec<_>>().join(" ")
}

/// Quotes each word that may be an operator, for engines that read quoted text literally: words
/// with other characters than letters and digits, and `AND`, `OR`, `NOT` and `more_operators`, in
/// any case.
///
/// ```
/// use textsearch_core::web::quoted_query;
///
/// assert_eq!(quoted_query("x NEAR site:evil.example \"a b\"", &["NEAR"]), "x \"NEAR\" \"site:evil.example\" a b");
/// ```
pub fn quoted_query(query: &str, more_operators: &[&str]) -> String {
    let words = without_quotes(query);
    let terms = words.split(' ').filter_map(|word| term(word, more_operators));
    terms.collect::<Vec<_>>().join(" ")
}

/// Returns a value as one term: a word that is no operator of [`quoted_query`] as is, anything else
/// quoted. Returns `None` without a letter or digit.
///
/// ```
/// use textsearch_core::web::term;
///
/// assert_eq!(term("async", &[]).as_deref(), Some("async"));
/// assert_eq!(term("a\" OR site:evil.example", &[]).as_deref(), Some("\"a OR site:evil.example\""));
/// assert_eq!(term("\"", &[]), None);
/// ```
pub fn term(value: &str, more_operators: &[&str]) -> Option<String> {
    let words = without_quotes(value);
    if !words.contains(char::is_alphanumeric) {
        return None;
    }
    Some(if is_bare(&words, more_operators) { words } else { format!("\"{words}\"") })
}

/// Returns the text with single spaces and without characters that may be read as a quote or an
/// escape.
pub fn without_quotes(text: &str) -> String {
    let is_break = |c: char| c.is_whitespace() || c.is_control() || is_quote(c);
    text.split(is_break).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

fn is_bare(word: &str, more_operators: &[&str]) -> bool {
    // Engines read full-width forms as ASCII.
    let is_plain = |c: char| c.is_alphanumeric() && !('\u{ff00}'..='\u{ffef}').contains(&c);
    let mut operators = OPERATORS.iter().chain(more_operators);
    word.chars().all(is_plain) && !operators.any(|name| word.eq_ignore_ascii_case(name))
}

fn plain_word(word: &str) -> Option<String> {
    // An engine may drop invisible characters, so that the next one begins the word.
    let word = word.trim_start_matches(|c| SIGNS.contains(&c) || is_invisible(c));
    let letters: String = word.chars().filter(|c| c.is_alphabetic()).collect();
    if word.is_empty() {
        None
    } else if OPERATORS.contains(&letters.as_str()) {
        Some(word.to_lowercase())
    } else {
        Some(word.to_owned())
    }
}

/// East Asian keyboards write full-width characters.
fn half_width(character: char) -> char {
    match character {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(character) - 0xfee0).unwrap_or(' '),
        other => other,
    }
}

fn without_meaning(character: char) -> char {
    let is_operator = "():[]{}|&!*^`<>=".contains(character)
        || matches!(character, '\u{2236}' | '\u{a789}' | '\u{fe10}'..='\u{fe19}' | '\u{fe50}'..='\u{fe6f}');
    if is_operator || is_quote(character) || character.is_control() { ' ' } else { character }
}

/// Includes look-alikes, and the backslash that some engines escape with.
pub(super) fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\\' | '«' | '»' | '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{2036}')
        || matches!(c, '\u{275d}' | '\u{275e}' | '\u{301d}'..='\u{301f}' | '\u{ff02}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hostile_query() -> impl Strategy<Value = String> {
        let pieces = [
            "site:",
            "-",
            "OR",
            " ",
            "\"",
            "ＳＩＴＥ：",
            "NOT",
            "(",
            ")",
            "evil.example",
            "|",
            "ＯＲ",
            "−",
            "+",
            "AND",
            "\u{200b}",
            "\n",
            "“",
            "lang:",
            "NEAR",
            "\\",
            "..",
            "﹕",
            "\u{feff}",
        ];
        let piece = prop::sample::select(pieces.to_vec());
        let pieces = prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat());
        prop_oneof![pieces, any::<String>()]
    }

    proptest! {
        #[test]
        fn no_plain_query_has_an_operator(query in hostile_query()) {
            let plain = plain_query(&query);
            let operators = [':', '"', '(', ')', '|', '：', '“', '”', '!', '﹕', '\\'];
            prop_assert!(!plain.contains(operators), "{}", plain);
            for word in plain.split_whitespace() {
                prop_assert!(!OPERATORS.contains(&word), "{}", plain);
                prop_assert!(!word.starts_with(SIGNS) && !word.starts_with(is_invisible), "{}", plain);
            }
        }

        #[test]
        fn outside_of_quotes_a_quoted_query_has_bare_words_only(query in hostile_query()) {
            let quoted = quoted_query(&query, &["NEAR"]);
            for (number, part) in quoted.split('"').enumerate() {
                if number % 2 == 0 {
                    let mut words = part.split(' ').filter(|word| !word.is_empty());
                    prop_assert!(words.all(|word| is_bare(word, &["NEAR"])), "{}", quoted);
                }
            }
            prop_assert!(quoted.matches('"').count().is_multiple_of(2));
        }

        #[test]
        fn a_value_is_one_word_or_one_phrase(value in hostile_query()) {
            if let Some(term) = term(&value, &["NEAR"]) {
                match term.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
                    Some(phrase) => prop_assert!(!phrase.contains(is_quote), "{}", term),
                    None => prop_assert!(is_bare(&term, &["NEAR"]), "{}", term),
                }
            }
        }
    }

    #[test]
    fn plain_words_stay_as_they_are() {
        let query = "How do C++ and vector-search work in Größe 12.5?";
        assert_eq!(plain_query(query), query);
    }

    #[test]
    fn a_plain_query_keeps_the_words_of_its_operators() {
        let cases = [
            ("x OR site:evil.example", "x or site evil.example"),
            (r#""a phrase" -not +must (a|b)"#, "a phrase not must a b"),
            ("ＯＲ ｓｉｔｅ：evil.example", "or site evil.example"),
            ("\u{200b}-b \u{feff}+c", "b c"),
        ];
        for (query, expected) in cases {
            assert_eq!(plain_query(query), expected);
        }
    }

    #[test]
    fn a_quoted_query_keeps_its_words_and_loses_its_operators() {
        let cases = [
            ("rust traits", "rust traits"),
            ("x OR site:evil.example", "x \"OR\" \"site:evil.example\""),
            ("-java (\"a b\" | c++)", "\"-java\" a b \"c++)\""),
            ("1..9 $5", "\"1..9\" \"$5\""),
            ("größe 東京", "größe 東京"),
            ("x around y", "x \"around\" y"),
            ("\" \\ “ ( ", ""),
        ];
        for (query, expected) in cases {
            assert_eq!(quoted_query(query, &["AROUND"]), expected, "{query}");
        }
    }
}
