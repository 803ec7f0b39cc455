//! The languages that `--language` accepts.

use textsearch_core::text_analysis::{LANGUAGES, language_code};

/// Selects words exactly as they are written.
pub(crate) const NONE: &str = "none";

/// Parses a code, with or without a region as in `en-GB`, or the English name of a language.
pub(super) fn read(text: &str) -> Result<String, String> {
    if let Some(known) = if text == NONE { Some(NONE) } else { language_code(text) } {
        return Ok(known.to_owned());
    }
    let known = LANGUAGES.iter().map(|(code, name)| format!("{code} ({name})"));
    Err(format!(
        "there are no rules for the words of this language: try {NONE}, for words as they are written, or one of {}",
        known.collect::<Vec<_>>().join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_may_have_a_region_and_may_be_none() {
        for text in ["en", "EN", "en-GB", "pt_BR", "none"] {
            assert_eq!(read(text).as_deref(), Ok(text));
        }
        assert_eq!(read("english").as_deref(), Ok("en"));
    }

    #[test]
    fn an_unknown_language_is_refused_with_the_known_ones() {
        for text in ["xx", "", "klingon", "ja"] {
            let error = read(text).unwrap_err();
            assert!(
                error.contains("try none, for words as they are written, or one of ar (Arabic), ")
            );
            assert!(error.ends_with("tr (Turkish)"), "{error}");
        }
    }
}
