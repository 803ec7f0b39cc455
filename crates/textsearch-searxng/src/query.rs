//! SearXNG's syntax in queries.

/// In SearXNG, `!` selects engines, `:` a language and `<` a timeout.
pub(crate) fn plain_text(query: &str) -> String {
    let words = query.split(is_space).map(|word| word.trim_start_matches(['!', ':', '<']));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Python's white space has four separators more than Unicode's.
fn is_space(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '\u{1c}'..='\u{1f}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn plain_text_removes_searxng_syntax() {
        let cases = [
            ("!images cats", "images cats"),
            ("!!g cats :fr <3 cats", "g cats fr 3 cats"),
            ("! :: <!:!", ""),
            ("cats\u{1c}!wp\u{2003}:de", "cats wp de"),
            ("c++ a:b x!y 1<2", "c++ a:b x!y 1<2"),
        ];
        for (query, expected) in cases {
            assert_eq!(plain_text(query), expected, "{query:?}");
        }
    }

    proptest! {
        #[test]
        fn plain_text_has_no_operators(query in "[!:<a-z \\x1c-\\x1f\\t\u{85}\u{a0}\u{2028}]{0,40}") {
            let plain = plain_text(&query);
            for word in plain.split(|letter: char| letter.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&letter)) {
                prop_assert!(!word.starts_with(['!', ':', '<']), "{plain:?}");
            }
        }
    }
}
