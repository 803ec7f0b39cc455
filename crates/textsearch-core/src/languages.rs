//! The languages with full-text rules.

/// The languages with full-text rules: ISO 639-1 code and English name, sorted by code. Norwegian
/// has three codes.
pub const LANGUAGES: &[(&str, &str)] = &[
    ("ar", "Arabic"),
    ("az", "Azerbaijani"),
    ("da", "Danish"),
    ("de", "German"),
    ("el", "Greek"),
    ("en", "English"),
    ("es", "Spanish"),
    ("fi", "Finnish"),
    ("fr", "French"),
    ("hu", "Hungarian"),
    ("it", "Italian"),
    ("nb", "Norwegian"),
    ("nl", "Dutch"),
    ("nn", "Norwegian"),
    ("no", "Norwegian"),
    ("pt", "Portuguese"),
    ("ro", "Romanian"),
    ("ru", "Russian"),
    ("sv", "Swedish"),
    ("ta", "Tamil"),
    ("tr", "Turkish"),
];

/// Returns the code of a language by its English name, in any case, or `text` itself if it is a
/// code, such as `en-GB`. Returns `None` for a language without full-text rules.
pub fn language_code(text: &str) -> Option<&str> {
    let code = without_region(text);
    if LANGUAGES.iter().any(|(known, _)| known.eq_ignore_ascii_case(code)) {
        return Some(text);
    }
    let named = LANGUAGES.iter().find(|(_, name)| name.eq_ignore_ascii_case(text));
    named.map(|(code, _)| *code)
}

pub(crate) fn without_region(code: &str) -> &str {
    code.split(['-', '_']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_and_unique() {
        assert!(LANGUAGES.is_sorted_by(|(left, _), (right, _)| left < right));
    }

    #[test]
    fn a_language_may_have_a_region_and_capitals() {
        for code in ["en", "EN", "en-GB", "en_us"] {
            assert_eq!(language_code(code), Some(code), "{code}");
        }
        for code in ["", "-en", "xx"] {
            assert_eq!(language_code(code), None, "{code}");
        }
    }

    #[test]
    fn a_language_may_be_named_in_english() {
        let cases = [("English", "en"), ("german", "de"), ("NORWEGIAN", "nb"), ("en-GB", "en-GB")];
        for (text, code) in cases {
            assert_eq!(language_code(text), Some(code), "{text}");
        }
        for text in ["", "klingon", "xx", "english-GB"] {
            assert_eq!(language_code(text), None, "{text}");
        }
    }
}
