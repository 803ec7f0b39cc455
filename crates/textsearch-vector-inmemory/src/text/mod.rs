//! From a text to the terms that it is found by.
//!
//! - Words are those of [Unicode word segmentation](https://www.unicode.org/reports/tr29/), in lower case. Chinese and
//!   Thai, which write no spaces, fall into single characters, as does Japanese but for katakana; Korean into what
//!   stands between spaces.
//! - A word that holds other signs, such as `snake_case` or `std.fs`, is a term as a whole and in each of its parts
//!   that have a letter.
//! - Where the language is known, terms are stems, and articles such as the French `l'` are cut off.

mod language;
mod memory;
mod pieces;
mod stop_words;
mod term_table;
mod terms;
mod vocabulary;

use std::sync::{Mutex, PoisonError};

use rust_stemmers::Stemmer;
use unicode_segmentation::UnicodeSegmentation as _;

use self::vocabulary::Vocabulary;
pub(crate) use self::{
    language::Language,
    terms::{DocumentTerms, QueryTerms, TermReader},
};

/// The longest word, in bytes, that is cut down to its stem: anything longer is no word of a language.
const LONGEST_STEMMED: usize = 64;

/// What turns texts of one language into terms.
pub(crate) struct Analyzer {
    language: Language,
    stemmer: Option<Stemmer>,
    /// What was read before, unless it is in use.
    vocabulary: Mutex<Vocabulary>,
}

impl Analyzer {
    /// An analyzer for a language by its ISO 639-1 code.
    pub(crate) fn new(code: Option<&str>) -> Self {
        let language = Language::of(code);
        let stemmer = language.stemmer.map(Stemmer::create);
        Self { language, stemmer, vocabulary: Mutex::default() }
    }

    /// What is remembered of texts read before; nothing while another reader has it.
    fn take_vocabulary(&self) -> Vocabulary {
        std::mem::take(&mut self.vocabulary.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Remembers for the next reader, as far as that is worth its memory.
    fn keep_vocabulary(&self, mut vocabulary: Vocabulary) {
        vocabulary.forget_rare_terms();
        *self.vocabulary.lock().unwrap_or_else(PoisonError::into_inner) = vocabulary;
    }

    /// Calls `emit` with each term of `text` and whether it is a stop word, in the order of the text.
    pub(crate) fn for_each_term(&self, text: &str, mut emit: impl FnMut(&str, bool)) {
        let mut folded = String::new();
        for word in text.unicode_words() {
            self.fold_case(word, &mut folded);
            self.for_each_part(&folded, |part| self.with_term_of(part, &mut emit));
        }
    }

    /// Calls `emit` with each part of a word in lower case that is a term: the whole, and what is joined in it.
    fn for_each_part(&self, word: &str, mut emit: impl FnMut(&str)) {
        let whole = self.without_article(word);
        emit(whole);
        if whole.contains(is_joint) {
            let parts = whole.split(is_joint);
            parts.filter(|part| part.contains(char::is_alphabetic)).for_each(emit);
        }
    }

    /// Calls `emit` with the term of a part of a word, and whether it is a stop word.
    fn with_term_of(&self, word: &str, emit: impl FnOnce(&str, bool)) {
        let is_stop_word = self.language.stop_words.contains(word);
        match &self.stemmer {
            Some(stemmer) if word.len() <= LONGEST_STEMMED => {
                emit(&stemmer.stem(word), is_stop_word);
            }
            _ => emit(word, is_stop_word),
        }
    }

    /// Writes `word` in lower case, and with one kind of apostrophe, into `folded`.
    fn fold_case(&self, word: &str, folded: &mut String) {
        folded.clear();
        if self.language.has_dotless_i && word.contains(['I', 'İ']) {
            folded.push_str(&word.replace('I', "ı").replace('İ', "i").to_lowercase());
        } else if word.is_ascii() {
            folded.push_str(word);
            folded.make_ascii_lowercase();
        } else {
            folded.push_str(&word.to_lowercase().replace('\u{2019}', "'"));
        }
    }

    fn without_article<'a>(&self, word: &'a str) -> &'a str {
        match word.split_once('\'') {
            Some((article, noun)) if self.language.elided.contains(&article) => noun,
            _ => word,
        }
    }
}

/// Whether a sign inside a word joins what could stand alone. An apostrophe does not: `don't` is one word.
fn is_joint(sign: char) -> bool {
    !sign.is_alphanumeric() && sign != '\'' && !is_mark(sign)
}

/// Whether a sign changes the letter before it: the accents that are written as characters of their own, vowel signs
/// and the like, which are all neither letters nor ASCII.
fn is_mark(sign: char) -> bool {
    !sign.is_ascii()
        && !sign.is_ascii_punctuation()
        && !matches!(sign, '\u{2018}'..='\u{2027}' | '\u{203f}' | '\u{2040}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(language: Option<&str>, text: &str) -> Vec<String> {
        let mut terms = Vec::new();
        Analyzer::new(language).for_each_term(text, |term, _| terms.push(term.to_owned()));
        terms
    }

    #[test]
    fn words_are_folded_to_lower_case_in_every_script() {
        assert_eq!(terms(None, "Straße ÉTÉ Ωμέγα МОСКВА"), ["straße", "été", "ωμέγα", "москва"]);
    }

    #[test]
    fn a_joined_word_is_found_whole_and_by_its_parts() {
        assert_eq!(terms(None, "snake_case"), ["snake_case", "snake", "case"]);
        assert_eq!(terms(None, "std.fs"), ["std.fs", "std", "fs"]);
        assert_eq!(terms(None, "_private"), ["_private", "private"]);
    }

    #[test]
    fn numbers_stay_whole() {
        assert_eq!(terms(None, "3.14 1,000 1.2.3"), ["3.14", "1,000", "1.2.3"]);
    }

    #[test]
    fn stems_join_the_forms_of_a_word() {
        assert_eq!(terms(Some("en"), "connections connected"), ["connect", "connect"]);
        assert_eq!(terms(Some("de"), "Häuser Haus"), ["haus", "haus"]);
        assert_eq!(terms(None, "connections"), ["connections"]);
    }

    #[test]
    fn articles_before_an_apostrophe_are_cut_off() {
        assert_eq!(terms(Some("fr"), "l’homme qu'il"), terms(Some("fr"), "homme il"));
        assert_eq!(terms(Some("it"), "dell'acqua"), terms(Some("it"), "acqua"));
        assert_eq!(terms(None, "l'homme"), ["l'homme"]);
    }

    #[test]
    fn scripts_without_spaces_fall_into_characters() {
        assert_eq!(terms(None, "全文検索"), ["全", "文", "検", "索"]);
        assert_eq!(terms(None, "คน"), ["ค", "น"]);
        assert_eq!(terms(None, "データ"), ["データ"]);
        assert_eq!(terms(None, "검색 엔진"), ["검색", "엔진"]);
    }

    #[test]
    fn accents_of_their_own_do_not_part_a_word() {
        assert_eq!(terms(None, "cafe\u{301}s"), ["cafe\u{301}s"]);
        assert_eq!(terms(None, "हिन्दी"), ["हिन्दी"]);
    }

    #[test]
    fn turkish_keeps_its_two_letters_i_apart() {
        assert_eq!(terms(Some("tr"), "ISPARTA")[0].chars().next(), Some('ı'));
        assert_eq!(terms(Some("tr"), "İzmir")[0].chars().next(), Some('i'));
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_terms_in_every_language(text in "\\PC{0,40}", ending in "[\\PC']{1,3}(ing|ly|s|en|的|ние|ler|ுகள்|ات|ισμος)") {
            let codes = [
                "ar", "da", "de", "el", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ro", "ru", "sv", "ta", "tr",
            ];
            for code in codes {
                let found = terms(Some(code), &format!("{text} {ending}"));
                assert!(found.iter().all(|term| term.len() <= 400), "{code}: {found:?}");
            }
        }
    }

    #[test]
    fn a_text_without_words_has_no_terms() {
        assert!(terms(Some("en"), " ... !? \n").is_empty());
    }
}
