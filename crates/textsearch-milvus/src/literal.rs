//! Values in filter expressions.
//!
//! Milvus can take values apart from the expression, but Milvus Lite can't. So this module writes
//! them, and nothing else does.

/// Writes a text, in quotes.
pub(crate) fn text(value: &str) -> String {
    let mut literal = String::with_capacity(value.len() + 2);
    literal.push('"');
    for c in value.chars() {
        match c {
            '"' => literal.push_str("\\\""),
            '\\' => literal.push_str("\\\\"),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            c => literal.push(c),
        }
    }
    literal.push('"');
    literal
}

/// Writes a pattern of `LIKE` that matches texts with `value` between `before` and `after`, and
/// returns whether it matches no others.
///
/// Servers escape wildcards differently. A single wildcard matches each of them.
pub(crate) fn pattern(before: &str, value: &str, after: &str) -> (String, bool) {
    let is_special = |c: char| matches!(c, '%' | '_' | '\\');
    let is_exact = !value.contains(is_special);
    let value = value.replace(is_special, "_");
    (text(&format!("{before}{value}{after}")), is_exact)
}

/// Writes a float, always as one.
pub(crate) fn float(value: f64) -> String {
    format!("{value:?}")
}

/// Writes a list.
pub(crate) fn list(values: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", values.into_iter().collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_backslashes_cannot_end_a_text() {
        assert_eq!(text(r#"a" or id != ""#), r#""a\" or id != \"""#);
        assert_eq!(text(r"a\"), r#""a\\""#);
        assert_eq!(text("a\r\n\tb'ü🦀\0"), "\"a\\r\\n\\tb'ü🦀\0\"");
    }

    #[test]
    fn wildcards_in_patterns_match_any_character() {
        assert_eq!(pattern("%", "a\"b", "%"), (r#""%a\"b%""#.to_owned(), true));
        assert_eq!(pattern("", r"50%_\", "%"), (r#""50___%""#.to_owned(), false));
    }

    #[test]
    fn floats_are_no_integers() {
        assert_eq!(float(2.0), "2.0");
        assert_eq!(float(-0.5), "-0.5");
        assert_eq!(float(1e300), "1e300");
        assert_eq!(float(5e-324), "5e-324");
    }

    proptest::proptest! {
        /// Reads a literal as Milvus's lexer does: up to the first quote without a backslash.
        #[test]
        fn every_text_ends_where_it_ends(value in "\\PC*[\"'\\\\\n\r\t\0]{0,4}\\PC*") {
            let literal = text(&value);
            let mut characters = literal.chars().skip(1);
            let mut read = String::new();
            loop {
                match characters.next().expect("the literal ends") {
                    '"' => break,
                    '\\' => read.push(match characters.next().expect("an escape has two characters") {
                        'n' => '\n',
                        'r' => '\r',
                        't' => '\t',
                        other => other,
                    }),
                    c => {
                        assert!(!matches!(c, '\n' | '\r'));
                        read.push(c);
                    }
                }
            }
            assert_eq!(read, value);
            assert_eq!(characters.next(), None);
        }
    }
}
