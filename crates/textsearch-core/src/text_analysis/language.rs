//! The rules of a language: its stemmer, its stop words and its spelling.

use foldhash::HashSet;
use rust_stemmers::Algorithm;

use super::stop_words;
use crate::languages::without_region;

/// The rules of one language. The default has none.
#[derive(Debug, Default)]
pub(super) struct Language {
    /// The stemming algorithm.
    pub(super) stemmer: Option<Algorithm>,
    /// Words too common to distinguish texts, in lower case.
    pub(super) stop_words: HashSet<&'static str>,
    /// Articles and the like that lose their vowel before an apostrophe, as in `l'eau`.
    pub(super) elided: &'static [&'static str],
    /// Whether the upper case of `i` has a dot and the lower case of `I` has none.
    pub(super) has_dotless_i: bool,
}

impl Language {
    /// Returns the rules for an ISO 639-1 code. A region after it, as in `en-GB`, is ignored. An
    /// unknown language has neither stemming nor stop words.
    pub(super) fn of(code: Option<&str>) -> Self {
        let code = code.map(without_region).unwrap_or_default().to_ascii_lowercase();
        Self {
            stemmer: stemmer(&code),
            stop_words: stop_words::of(&code).split_whitespace().collect(),
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
    use super::*;
    use crate::languages::language_code;

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
                assert_eq!(language_code(&code).is_some(), has_rules, "{code}");
            }
        }
    }

    #[test]
    fn every_language_with_stop_words_has_a_stemmer() {
        for code in ["da", "de", "en", "es", "fi", "fr", "it", "nb", "nl", "no", "pt", "ru", "sv"] {
            let language = Language::of(Some(code));
            assert!(language.stemmer.is_some(), "{code}");
            assert!(language.stop_words.len() >= 30, "{code}: {}", language.stop_words.len());
        }
    }

    #[test]
    fn stop_words_are_in_lower_case() {
        for code in ["da", "de", "en", "es", "fi", "fr", "it", "nl", "no", "pt", "ru", "sv"] {
            for word in Language::of(Some(code)).stop_words {
                assert_eq!(word, word.to_lowercase());
            }
        }
    }

    #[test]
    fn a_region_is_left_aside_and_an_unknown_language_has_no_rules() {
        assert_eq!(Language::of(Some("en-GB")).stemmer, Some(Algorithm::English));
        let unknown = Language::of(Some("xx"));
        assert_eq!((unknown.stemmer, unknown.stop_words.len()), (None, 0));
        assert_eq!(Language::of(None).stemmer, None);
    }
}
