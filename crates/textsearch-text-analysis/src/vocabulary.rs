//! A cache of words and their terms.

use std::sync::Arc;

use unicode_segmentation::UnicodeSegmentation as _;

use crate::{
    split::pieces,
    term_cache::{Occurrence, TermCache},
    term_table::TermTable,
    words::{Words, is_joint},
};

/// In bytes: some hundred thousand words, and pieces of text.
const MAX_BYTES_OF_WORDS: usize = 3 << 20;
const MAX_BYTES_OF_PIECES: usize = 1 << 20;

/// With more, the next batch starts from the cached words alone.
const MAX_TERMS: usize = 1 << 17;

/// Texts repeat few distinct words, and a lookup is much faster than stemming.
pub(crate) struct Vocabulary {
    /// By lower-case word.
    words: TermCache,
    /// By non-ASCII text between white space, as written: a lookup is faster than word
    /// segmentation.
    pieces: TermCache,
    terms: TermTable,
    /// The current word, in lower case.
    folded: String,
}

impl Default for Vocabulary {
    fn default() -> Self {
        Self {
            words: TermCache::new(MAX_BYTES_OF_WORDS),
            pieces: TermCache::new(MAX_BYTES_OF_PIECES),
            terms: TermTable::default(),
            folded: String::new(),
        }
    }
}

impl Vocabulary {
    pub(crate) fn term(&self, place: u32) -> Option<&Arc<str>> {
        self.terms.get(place)
    }

    pub(crate) fn terms(&self) -> usize {
        self.terms.len()
    }

    pub(crate) fn read(&mut self, text: &str, rules: &Words, occurrences: &mut Vec<Occurrence>) {
        for piece in pieces(text) {
            match piece.only_word() {
                Some(word) if piece.is_folded() => self.read_word(word, rules, occurrences),
                Some(word) => self.read_words([word], rules, occurrences),
                None if piece.is_ascii() => self.read_piece(piece.text, rules, occurrences),
                None if self.pieces.recall(piece.text, occurrences) => {}
                None => {
                    let start = occurrences.len();
                    self.read_piece(piece.text, rules, occurrences);
                    self.pieces.remember(piece.text, occurrences.split_at(start).1);
                }
            }
        }
    }

    /// If there are many terms, drops those of uncached words, and renumbers the rest.
    pub(crate) fn forget_rare_terms(&mut self) {
        if self.terms.len() <= MAX_TERMS {
            return;
        }
        let old = std::mem::take(&mut self.terms);
        let mut places = vec![None; old.len()];
        let mut change = |occurrence: Occurrence| {
            let place = places.get_mut(occurrence.term() as usize).zip(old.get(occurrence.term()));
            let place = place.map(|(place, term)| {
                *place.get_or_insert_with(|| self.terms.push(Arc::clone(term)))
            });
            Occurrence::new(place.unwrap_or_default(), occurrence.is_stop_word())
        };
        self.words.change(&mut change);
        self.pieces.change(&mut change);
    }

    fn read_piece(&mut self, piece: &str, rules: &Words, occurrences: &mut Vec<Occurrence>) {
        self.read_words(piece.unicode_words(), rules, occurrences);
    }

    fn read_words<'t>(
        &mut self,
        words: impl IntoIterator<Item = &'t str>,
        rules: &Words,
        occurrences: &mut Vec<Occurrence>,
    ) {
        let mut folded = std::mem::take(&mut self.folded);
        for word in words {
            rules.fold_case(word, &mut folded);
            self.read_word(&folded, rules, occurrences);
        }
        self.folded = folded;
    }

    fn read_word(&mut self, word: &str, rules: &Words, occurrences: &mut Vec<Occurrence>) {
        if self.words.recall(word, occurrences) {
            return;
        }
        let start = occurrences.len();
        rules.for_each_part(word, |part| {
            // The part is often cached as a word of its own, with the same terms.
            if part.len() < word.len() && !part.contains(|sign| sign == '\'' || is_joint(sign)) {
                return self.read_word(part, rules, occurrences);
            }
            rules.with_term_of(part, |term, is_stop_word| {
                occurrences.push(Occurrence::new(self.terms.place_of(term), is_stop_word));
            });
        });
        self.words.remember(word, occurrences.split_at(start).1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_terms_are_forgotten_and_found_again() {
        let rules = Words::of_language(None);
        let mut vocabulary = Vocabulary::default();
        let mut occurrences = Vec::new();
        let text: String = (0..MAX_TERMS + 1000).map(|number| format!("w{number} ")).collect();
        vocabulary.read(&text, &rules, &mut occurrences);
        assert_eq!(vocabulary.terms(), MAX_TERMS + 1000);
        vocabulary.forget_rare_terms();
        assert!(vocabulary.terms() < MAX_TERMS, "{}", vocabulary.terms());
        occurrences.clear();
        vocabulary.read("w1 W77 w131999 w1", &rules, &mut occurrences);
        let terms = occurrences.iter().filter_map(|occurrence| vocabulary.term(occurrence.term()));
        assert_eq!(terms.map(AsRef::as_ref).collect::<Vec<&str>>(), ["w1", "w77", "w131999", "w1"]);
    }
}
