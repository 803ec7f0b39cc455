//! Counting of the terms in texts.

use std::{fmt, sync::Arc};

use crate::{analyzer::Analyzer, term_cache::Occurrence, vocabulary::Vocabulary};

/// The terms in a field of a record, with their frequencies.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DocumentTerms {
    /// Each term once: its index in the [reader's terms](TermReader::terms), and its frequency.
    pub frequencies: Vec<(u32, u32)>,
    /// The number of terms, counting repeats but not stop words.
    pub length: u32,
}

impl DocumentTerms {
    /// Returns whether the field has no terms.
    pub fn is_empty(&self) -> bool {
        self.frequencies.is_empty()
    }
}

/// Reads one field of many records, and numbers their terms. One reader for a batch is several
/// times faster than one for each text.
pub struct TermReader<'a> {
    analyzer: &'a Analyzer,
    vocabulary: Vocabulary,
    /// Of the current text.
    occurrences: Vec<Occurrence>,
    /// By vocabulary term, in the current text.
    counts: Vec<u32>,
    /// The distinct terms of the current text.
    different: Vec<u32>,
    /// Of all texts so far.
    terms: Vec<Arc<str>>,
    /// For each vocabulary term, its index in `terms` plus 1, or 0.
    places: Vec<u32>,
}

impl<'a> TermReader<'a> {
    /// Makes a reader. It uses the cached words of `analyzer` unless another reader has them.
    pub fn new(analyzer: &'a Analyzer) -> Self {
        let vocabulary = analyzer.take_vocabulary();
        let occurrences = Vec::new();
        let counts = Vec::new();
        let different = Vec::new();
        let terms = Vec::new();
        let places = Vec::new();
        Self { analyzer, vocabulary, occurrences, counts, different, terms, places }
    }

    /// Returns the distinct terms so far, in the order of their first occurrence.
    pub fn terms(&self) -> &[Arc<str>] {
        &self.terms
    }

    /// Converts the reader into its [`terms`](Self::terms).
    pub fn into_terms(mut self) -> Vec<Arc<str>> {
        std::mem::take(&mut self.terms)
    }

    /// Reads the texts of one record, such as the values of a list.
    pub fn read<'t>(&mut self, texts: impl IntoIterator<Item = &'t str>) -> DocumentTerms {
        for text in texts {
            self.vocabulary.read(text, &self.analyzer.words, &mut self.occurrences);
        }
        let length = self.count();
        self.places.resize(self.vocabulary.terms(), 0);
        let mut frequencies = Vec::with_capacity(self.different.len());
        for term in self.different.drain(..) {
            let Some(count) = self.counts.get_mut(term as usize) else { continue };
            let Some(place) = self.places.get_mut(term as usize) else { continue };
            let Some(term) = self.vocabulary.term(term) else { continue };
            if *place == 0 {
                self.terms.push(Arc::clone(term));
                *place = self.terms.len() as u32;
            }
            frequencies.push((*place - 1, std::mem::take(count)));
        }
        DocumentTerms { frequencies, length }
    }

    /// Returns how many of the `occurrences` are not stop words.
    fn count(&mut self) -> u32 {
        self.counts.resize(self.vocabulary.terms(), 0);
        let mut length: u32 = 0;
        for occurrence in self.occurrences.drain(..) {
            length = length.saturating_add(u32::from(!occurrence.is_stop_word()));
            if let Some(count) = self.counts.get_mut(occurrence.term() as usize) {
                if *count == 0 {
                    self.different.push(occurrence.term());
                }
                *count = count.saturating_add(1);
            }
        }
        length
    }
}

impl Drop for TermReader<'_> {
    fn drop(&mut self) {
        self.analyzer.keep_vocabulary(std::mem::take(&mut self.vocabulary));
    }
}

impl fmt::Debug for TermReader<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("TermReader");
        shown.field("analyzer", self.analyzer).field("terms", &self.terms.len());
        shown.finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_terms_and_excludes_stop_words_from_the_length() {
        let analyzer = Analyzer::new(Some("en"));
        let mut reader = TermReader::new(&analyzer);
        for _ in 0..2 {
            // The second time from the cache.
            let terms = reader.read(["the cat", "the cats sat"]);
            assert_eq!(terms.frequencies, [(0, 2), (1, 2), (2, 1)]);
            assert_eq!(terms.length, 3);
        }
        assert!(reader.read(["..."]).is_empty());
        assert_eq!(reader.terms(), ["the", "cat", "sat"].map(Arc::from));
    }

    proptest::proptest! {
        #[test]
        fn reader_and_analyzer_find_the_same_terms(
            texts in proptest::collection::vec("([a-z0-9]{1,3}(s|ing)?[ .,'-]{1,2}|[A-Z]\\PC ?|[(\"*`\\[]?[a-z0-9]{1,2}[,.;:!?)\"*`\\]]{0,2} ){0,20}", 1..6),
        ) {
            let analyzer = Analyzer::new(Some("en"));
            let mut reader = TermReader::new(&analyzer);
            for text in &texts {
                let mut counts = std::collections::BTreeMap::<String, u32>::new();
                let mut length = 0;
                analyzer.for_each_term(text, |term, is_stop_word| {
                    *counts.entry(term.to_owned()).or_default() += 1;
                    length += u32::from(!is_stop_word);
                });
                let document = reader.read([text.as_str()]);
                let frequencies = document.frequencies.iter();
                let frequencies = frequencies.map(|(term, count)| (reader.terms[*term as usize].to_string(), *count));
                assert_eq!((frequencies.collect(), document.length), (counts, length));
            }
        }
    }
}
