//! The terms of texts, counted.

use std::{collections::HashMap, sync::Arc};

use super::Analyzer;

/// The terms of a field of a record, and how often each is in it.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct DocumentTerms {
    /// Each term once, with the number of times it occurs.
    pub(crate) frequencies: Vec<(Arc<str>, u32)>,
    /// The number of terms that are no stop words, repeats included.
    pub(crate) length: u32,
}

impl DocumentTerms {
    /// Whether there is nothing to find the field by.
    pub(crate) fn is_empty(&self) -> bool {
        self.frequencies.is_empty()
    }
}

/// Reads the texts of one field of many records.
///
/// It remembers what became of each word, since texts are made of few different ones: looking a word up is much faster
/// than finding its stem.
pub(crate) struct TermReader<'a> {
    analyzer: &'a Analyzer,
    words: HashMap<Box<str>, Box<[Occurrence]>>,
    numbers: HashMap<Arc<str>, usize>,
    terms: Vec<Arc<str>>,
}

/// A term of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Occurrence {
    /// The place of the term among those of the reader.
    term: usize,
    is_stop_word: bool,
}

impl<'a> TermReader<'a> {
    /// Reads with `analyzer`.
    pub(crate) fn new(analyzer: &'a Analyzer) -> Self {
        Self { analyzer, words: HashMap::new(), numbers: HashMap::new(), terms: Vec::new() }
    }

    /// The terms of `texts` together.
    pub(crate) fn read<'t>(&mut self, texts: impl IntoIterator<Item = &'t str>) -> DocumentTerms {
        let mut found = Vec::new();
        let analyzer = self.analyzer;
        for text in texts {
            analyzer.for_each_word(text, |word| self.add_word(word, &mut found));
        }
        let length = found.iter().filter(|one| !one.is_stop_word).count();
        found.sort_unstable();
        let groups = found.chunk_by(|left, right| left.term == right.term);
        let frequency = |group: &[Occurrence]| {
            let term = self.terms.get(group.first()?.term)?;
            Some((Arc::clone(term), u32::try_from(group.len()).unwrap_or(u32::MAX)))
        };
        DocumentTerms {
            frequencies: groups.filter_map(frequency).collect(),
            length: u32::try_from(length).unwrap_or(u32::MAX),
        }
    }

    fn add_word(&mut self, word: &str, found: &mut Vec<Occurrence>) {
        if let Some(known) = self.words.get(word) {
            return found.extend_from_slice(known);
        }
        let mut terms = Vec::new();
        self.analyzer.for_each_term_of(word, |term, is_stop_word| {
            let term = number(term, &mut self.numbers, &mut self.terms);
            terms.push(Occurrence { term, is_stop_word });
        });
        found.extend_from_slice(&terms);
        self.words.insert(word.into(), terms.into());
    }
}

/// The place of `term` among `terms`, to which it is added where it is new.
fn number(term: &str, numbers: &mut HashMap<Arc<str>, usize>, terms: &mut Vec<Arc<str>>) -> usize {
    if let Some(number) = numbers.get(term) {
        return *number;
    }
    let term: Arc<str> = term.into();
    numbers.insert(Arc::clone(&term), terms.len());
    terms.push(term);
    terms.len() - 1
}

/// The terms of a query, and how often each is in it.
#[derive(Debug, PartialEq)]
pub(crate) struct QueryTerms(pub(crate) Vec<(String, u32)>);

impl QueryTerms {
    /// The terms of `query` without its stop words, or with them where it has no others, in the order of the query.
    pub(crate) fn of(analyzer: &Analyzer, query: &str) -> Self {
        let mut all: Vec<(String, bool)> = Vec::new();
        analyzer
            .for_each_term(query, |term, is_stop_word| all.push((term.to_owned(), is_stop_word)));
        let only_stop_words = all.iter().all(|(_, is_stop_word)| *is_stop_word);
        let mut counted: Vec<(String, u32)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for (term, _) in all.into_iter().filter(|(_, is_stop)| only_stop_words || !is_stop) {
            let place = *places.entry(term.clone()).or_insert(counted.len());
            match counted.get_mut(place) {
                Some((_, count)) => *count = count.saturating_add(1),
                None => counted.push((term, 1)),
            }
        }
        Self(counted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_counted_and_stop_words_do_not_lengthen_a_text() {
        let analyzer = Analyzer::new(Some("en"));
        let mut reader = TermReader::new(&analyzer);
        let expected =
            [("the", 2), ("cat", 2), ("sat", 1)].map(|(term, count)| (Arc::from(term), count));
        for _ in 0..2 {
            // The second time from memory.
            let terms = reader.read(["the cat", "the cats sat"]);
            assert_eq!(terms.frequencies, expected);
            assert_eq!(terms.length, 3);
        }
        assert!(reader.read(["..."]).is_empty());
    }

    #[test]
    fn a_query_drops_its_stop_words_unless_it_has_no_others() {
        let analyzer = Analyzer::new(Some("en"));
        let terms = |query| QueryTerms::of(&analyzer, query).0;
        assert_eq!(terms("who is the cat, the cats"), [("cat".to_owned(), 2)]);
        let only = terms("to be or not to be");
        assert_eq!(only.first(), Some(&("to".to_owned(), 2)));
        assert_eq!(only.len(), 4);
        assert!(terms("?!").is_empty());
    }
}
