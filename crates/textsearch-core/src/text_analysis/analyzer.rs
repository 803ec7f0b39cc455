//! The analyzer of one language.

use std::{
    fmt,
    sync::{Mutex, PoisonError},
};

use unicode_segmentation::UnicodeSegmentation as _;

use super::{
    language::Language,
    stems::Stems,
    terms::{self, QueryTerm},
    vocabulary::Vocabulary,
};

/// Turns texts of one language into terms. It caches words, up to some megabytes: keep it as long
/// as the field that it reads.
///
/// ```
/// use textsearch_core::text_analysis::Analyzer;
///
/// let mut terms = Vec::new();
/// Analyzer::new(Some("en")).for_each_term("The snake_case names", |term, is_stop_word| {
///     terms.push((term.to_owned(), is_stop_word));
/// });
/// let terms: Vec<_> = terms.iter().map(|(term, is_stop_word)| (term.as_str(), *is_stop_word)).collect();
/// let expected = [("the", true), ("snake_cas", false), ("snake", false), ("case", false), ("name", false)];
/// assert_eq!(terms, expected);
/// ```
pub struct Analyzer {
    language: Language,
    stems: Option<Stems>,
    /// Empty while a reader uses it.
    vocabulary: Mutex<Vocabulary>,
}

impl Analyzer {
    /// The version of the analysis, which grows whenever some text gets other terms. Stores keep it
    /// with their terms.
    pub const VERSION: u32 = 1;

    /// Makes an analyzer for an ISO 639-1 code, such as `en` or `en-GB`. `None` and unknown codes
    /// have no stemming and no stop words.
    ///
    /// Stemming: Arabic, Danish, Dutch, English, Finnish, French, German, Greek, Hungarian,
    /// Italian, Norwegian, Portuguese, Romanian, Russian, Spanish, Swedish, Tamil, Turkish. Stop
    /// words: the same except Arabic, Greek, Hungarian, Romanian, Tamil and Turkish.
    pub fn new(code: Option<&str>) -> Self {
        let language = Language::of(code);
        let stems = language.stemmer.map(Stems::of);
        Self { language, stems, vocabulary: Mutex::default() }
    }

    /// Calls `emit` with each term of `text`, in order, and whether it is a stop word.
    pub fn for_each_term(&self, text: &str, mut emit: impl FnMut(&str, bool)) {
        let mut folded = String::new();
        for word in text.unicode_words() {
            self.fold_case(word, &mut folded);
            self.for_each_part(&folded, |part| self.with_term_of(part, &mut emit));
        }
    }

    /// Returns each term of `query` once, in order, without stop words unless it has no other
    /// words.
    pub fn query_terms(&self, query: &str) -> Vec<QueryTerm> {
        terms::of_query(self, query)
    }

    /// Empty while another reader has it.
    pub(super) fn take_vocabulary(&self) -> Vocabulary {
        std::mem::take(&mut self.vocabulary.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn keep_vocabulary(&self, mut vocabulary: Vocabulary) {
        vocabulary.forget_rare_terms();
        *self.vocabulary.lock().unwrap_or_else(PoisonError::into_inner) = vocabulary;
    }

    /// Emits a lower-case word and the parts joined in it.
    pub(super) fn for_each_part(&self, word: &str, mut emit: impl FnMut(&str)) {
        if word.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            // Fast path: most words have no parts.
            return emit(word);
        }
        let whole = self.without_article(word);
        emit(whole);
        if whole.contains(is_joint) {
            let parts = whole.split(is_joint);
            parts.filter(|part| part.contains(char::is_alphabetic)).for_each(emit);
        }
    }

    pub(super) fn with_term_of(&self, word: &str, emit: impl FnOnce(&str, bool)) {
        let is_stop_word = self.language.stop_words.contains(word);
        match &self.stems {
            Some(stems) => emit(&stems.stem(word), is_stop_word),
            None => emit(word, is_stop_word),
        }
    }

    /// Writes `word` into `folded`, with one kind of apostrophe.
    pub(super) fn fold_case(&self, word: &str, folded: &mut String) {
        folded.clear();
        if self.language.has_dotless_i && word.contains(['I', 'İ']) {
            let lower = word.replace('I', "ı").replace('İ', "i").to_lowercase();
            folded.push_str(&with_plain_apostrophe(&lower));
        } else if word.is_ascii() {
            folded.push_str(word);
            folded.make_ascii_lowercase();
        } else {
            folded.push_str(&with_plain_apostrophe(&word.to_lowercase()));
        }
    }

    fn without_article<'a>(&self, word: &'a str) -> &'a str {
        match word.split_once('\'') {
            Some((article, noun)) if self.language.elided.contains(&article) => noun,
            _ => word,
        }
    }
}

impl fmt::Debug for Analyzer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Analyzer").field("language", &self.language).finish_non_exhaustive()
    }
}

fn with_plain_apostrophe(word: &str) -> String {
    word.replace('\u{2019}', "'")
}

/// Whether a character inside a word joins parts. An apostrophe does not: `don't` is one word.
pub(super) fn is_joint(sign: char) -> bool {
    !sign.is_alphanumeric() && sign != '\'' && !is_mark(sign)
}

/// Whether a character modifies the letter before it, such as a combining accent or a vowel sign.
fn is_mark(sign: char) -> bool {
    !sign.is_ascii()
        && !sign.is_ascii_punctuation()
        && !matches!(sign, '\u{2018}'..='\u{2027}' | '\u{203f}' | '\u{2040}')
}
