//! The rules of a language.

use foldhash::HashSet;
use rust_stemmers::Algorithm;

use crate::stop_words;

#[derive(Debug, Default)]
pub(crate) struct Language {
    pub(crate) stemmer: Option<Algorithm>,
    /// In lower case.
    pub(crate) stop_words: HashSet<&'static str>,
    /// Articles and the like before an apostrophe, as in `l'eau`.
    pub(crate) elided: &'static [&'static str],
    pub(crate) has_dotless_i: bool,
}

impl Language {
    /// A region after the ISO 639-1 code, as in `en-GB`, is ignored.
    pub(crate) fn from_code(code: Option<&str>) -> Self {
        let code = code.and_then(|code| code.split(['-', '_']).next()).unwrap_or_default();
        let code = code.to_ascii_lowercase();
        Self {
            stemmer: stemmer(&code),
            stop_words: stop_words::of_language(&code).split_whitespace().collect(),
            elided: elided(&code),
            has_dotless_i: matches!(code.as_str(), "tr" | "az"),
        }
    }
}

fn stemmer(code: &str) -> Option<Algorithm> {
    Some(match code {
        "ar" => Algorithm::Arabic,
        "da" => Algorithm::Danish,
        "de" => Algorithm::German,
        "el" => Algorithm::Greek,
        "en" => Algorithm::English,
        "es" => Algorithm::Spanish,
        "fi" => Algorithm::Finnish,
        "fr" => Algorithm::French,
        "hu" => Algorithm::Hungarian,
        "it" => Algorithm::Italian,
        "nb" | "nn" | "no" => Algorithm::Norwegian,
        "nl" => Algorithm::Dutch,
        "pt" => Algorithm::Portuguese,
        "ro" => Algorithm::Romanian,
        "ru" => Algorithm::Russian,
        "sv" => Algorithm::Swedish,
        "ta" => Algorithm::Tamil,
        "tr" => Algorithm::Turkish,
        _ => return None,
    })
}

fn elided(code: &str) -> &'static [&'static str] {
    match code {
        "fr" => {
            &["c", "d", "j", "jusqu", "l", "lorsqu", "m", "n", "puisqu", "qu", "quoiqu", "s", "t"]
        }
        "it" => {
            &["all", "c", "d", "dall", "dell", "gl", "l", "nell", "quell", "quest", "sull", "un"]
        }
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use textsearch_core::text_analysis::language_code;

    use super::*;

    #[test]
    fn only_languages_with_rules_are_known() {
        for first in 'a'..='z' {
            for second in 'a'..='z' {
                let code = format!("{first}{second}");
                let Language { stemmer, stop_words, elided, has_dotless_i } =
                    Language::from_code(Some(&code));
                let has_rules = stemmer.is_some()
                    || !stop_words.is_empty()
                    || !elided.is_empty()
                    || has_dotless_i;
                assert_eq!(language_code(&code).is_some(), has_rules, "{code}");
            }
        }
    }

    #[test]
    fn every_language_with_stop_words_has_a_stemmer() {
        for code in ["da", "de", "en", "es", "fi", "fr", "it", "nb", "nl", "no", "pt", "ru", "sv"] {
            let language = Language::from_code(Some(code));
            assert!(language.stemmer.is_some(), "{code}");
            assert!(language.stop_words.len() >= 30, "{code}: {}", language.stop_words.len());
        }
    }

    #[test]
    fn stop_words_are_in_lower_case() {
        for code in ["da", "de", "en", "es", "fi", "fr", "it", "nl", "no", "pt", "ru", "sv"] {
            for word in Language::from_code(Some(code)).stop_words {
                assert_eq!(word, word.to_lowercase());
            }
        }
    }

    #[test]
    fn ignores_regions_and_has_no_rules_for_unknown_languages() {
        assert_eq!(Language::from_code(Some("en-GB")).stemmer, Some(Algorithm::English));
        let unknown = Language::from_code(Some("xx"));
        assert_eq!((unknown.stemmer, unknown.stop_words.len()), (None, 0));
        assert_eq!(Language::from_code(None).stemmer, None);
    }
}
