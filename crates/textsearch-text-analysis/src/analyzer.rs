//! The analyzer of one language.

use std::{
    collections::HashMap,
    fmt,
    sync::{Mutex, PoisonError},
};

use unicode_segmentation::UnicodeSegmentation as _;

use crate::{vocabulary::Vocabulary, words::Words};

/// A term of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueryTerm {
    /// The term, in the same form as in texts.
    pub term: String,
    /// How often the query contains it.
    pub count: u32,
}

/// Turns texts of one language into terms. It caches words, up to some megabytes: keep it as long
/// as the field that it reads.
///
/// ```
/// use textsearch_text_analysis::Analyzer;
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
    pub(crate) words: Words,
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
        Self { words: Words::of_language(code), vocabulary: Mutex::default() }
    }

    /// Calls `emit` with each term of `text`, in order, and whether it is a stop word.
    pub fn for_each_term(&self, text: &str, mut emit: impl FnMut(&str, bool)) {
        let mut folded = String::new();
        for word in text.unicode_words() {
            self.words.fold_case(word, &mut folded);
            self.words.for_each_part(&folded, |part| self.words.with_term_of(part, &mut emit));
        }
    }

    /// Returns each term of `query` once, in order, without stop words unless it has no other
    /// words.
    pub fn query_terms(&self, query: &str) -> Vec<QueryTerm> {
        let mut all: Vec<(String, bool)> = Vec::new();
        self.for_each_term(query, |term, is_stop_word| all.push((term.to_owned(), is_stop_word)));
        let only_stop_words = all.iter().all(|(_, is_stop_word)| *is_stop_word);
        let mut counted: Vec<QueryTerm> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for (term, _) in all.into_iter().filter(|(_, is_stop)| only_stop_words || !is_stop) {
            let place = *places.entry(term.clone()).or_insert(counted.len());
            match counted.get_mut(place) {
                Some(known) => known.count = known.count.saturating_add(1),
                None => counted.push(QueryTerm { term, count: 1 }),
            }
        }
        counted
    }

    /// Empty while another reader has it.
    pub(crate) fn take_vocabulary(&self) -> Vocabulary {
        std::mem::take(&mut self.vocabulary.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn keep_vocabulary(&self, mut vocabulary: Vocabulary) {
        vocabulary.forget_rare_terms();
        *self.vocabulary.lock().unwrap_or_else(PoisonError::into_inner) = vocabulary;
    }
}

impl fmt::Debug for Analyzer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Analyzer")
            .field("language", self.words.language())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_drop_stop_words_unless_they_have_no_others() {
        let analyzer = Analyzer::new(Some("en"));
        let term = |term: &str, count| QueryTerm { term: term.to_owned(), count };
        assert_eq!(analyzer.query_terms("who is the cat, the cats"), [term("cat", 2)]);
        let only = analyzer.query_terms("to be or not to be");
        assert_eq!(only.first(), Some(&term("to", 2)));
        assert_eq!(only.len(), 4);
        assert!(analyzer.query_terms("?!").is_empty());
    }
}
