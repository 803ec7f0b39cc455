//! The languages that there are rules for, by code and by name.

/// Each language that an [`Analyzer`](super::Analyzer) has rules for, by its ISO 639-1 code and in English, in the
/// order of the codes. Texts in any other are read as texts in no language in particular.
///
/// Norwegian has three codes, since it has two written forms.
///
/// ```
/// use textsearch_core::text_analysis::LANGUAGES;
///
/// assert!(LANGUAGES.contains(&("de", "German")));
/// ```
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

/// The English name of a language that there are rules for, by its code in any case, with or without a region such as in
/// `en-GB`; `None` for any other.
///
/// ```
/// use textsearch_core::text_analysis::language_name;
///
/// assert_eq!(language_name("pt-BR"), Some("Portuguese"));
/// assert_eq!(language_name("ja"), None);
/// ```
pub fn language_name(code: &str) -> Option<&'static str> {
    let code = without_region(code);
    let known = LANGUAGES.iter().find(|(known, _)| known.eq_ignore_ascii_case(code));
    known.map(|(_, name)| *name)
}

/// The part of a code that names the language.
pub(super) fn without_region(code: &str) -> &str {
    code.split(['-', '_']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text_analysis::language::Language;

    #[test]
    fn the_known_languages_are_those_with_rules() {
        for one in 'a'..='z' {
            for other in 'a'..='z' {
                let code = format!("{one}{other}");
                let Language { stemmer, stop_words, elided, has_dotless_i } =
                    Language::of(Some(&code));
                let has_rules = stemmer.is_some()
                    || !stop_words.is_empty()
                    || !elided.is_empty()
                    || has_dotless_i;
                assert_eq!(language_name(&code).is_some(), has_rules, "{code}");
            }
        }
    }

    #[test]
    fn the_codes_are_sorted_and_there_once_each() {
        assert!(LANGUAGES.is_sorted_by(|(one, _), (other, _)| one < other));
    }

    #[test]
    fn a_language_may_have_a_region_and_capitals() {
        for code in ["en", "EN", "en-GB", "en_us"] {
            assert_eq!(language_name(code), Some("English"), "{code}");
        }
        for code in ["", "-en", "english", "xx"] {
            assert_eq!(language_name(code), None, "{code}");
        }
    }
}
