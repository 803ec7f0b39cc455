//! What became of the words that were read.

use std::sync::Arc;

use foldhash::HashMap;

use super::{Analyzer, pieces::pieces};

/// The longest piece of text, in bytes, that is remembered: anything longer hardly ever comes again.
const LONGEST_REMEMBERED: usize = 64;

/// How many pieces and words are remembered: the common ones come first, and the others cost memory.
const MOST_PIECES: usize = 1 << 15;
const MOST_WORDS: usize = 1 << 16;

/// With how many terms a vocabulary is kept from one batch for the next: some ten megabytes.
const MOST_TERMS_KEPT: usize = 1 << 17;

/// A term of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Occurrence {
    /// The place of the term among those of the vocabulary.
    pub(super) term: u32,
    pub(super) is_stop_word: bool,
}

/// The words of one language that were read before, with their terms.
///
/// Texts are made of few different words, and looking one up is much faster than finding where it ends and its stem.
#[derive(Default)]
pub(super) struct Vocabulary {
    /// By what stands between white space, as it is written.
    pieces: HashMap<Box<str>, Span>,
    /// By the words in those, in lower case.
    words: HashMap<Box<str>, Span>,
    /// The terms of all pieces and words, one after another.
    occurrences: Vec<Occurrence>,
    numbers: HashMap<Arc<str>, u32>,
    terms: Vec<Arc<str>>,
}

/// A part of the occurrences.
#[derive(Clone, Copy)]
struct Span {
    start: u32,
    length: u32,
}

impl Vocabulary {
    /// Whether it is worth its memory while nothing is read.
    pub(super) fn is_small(&self) -> bool {
        self.terms.len() <= MOST_TERMS_KEPT
    }

    /// The term at a place.
    pub(super) fn term(&self, place: u32) -> Option<&Arc<str>> {
        self.terms.get(place as usize)
    }

    /// The number of different terms so far.
    pub(super) fn terms(&self) -> usize {
        self.terms.len()
    }

    /// Adds the terms of `text`, in its order, to those that were `found`.
    pub(super) fn read(&mut self, text: &str, analyzer: &Analyzer, found: &mut Vec<Occurrence>) {
        for piece in pieces(text) {
            if let Some(word) = plain_word(piece) {
                self.read_word(word, analyzer, found);
                continue;
            }
            if let Some(known) = self.pieces.get(piece) {
                found.extend_from_slice(known.of(&self.occurrences));
                continue;
            }
            let start = found.len();
            analyzer.for_each_word(piece, |word| self.read_word(word, analyzer, found));
            if piece.len() <= LONGEST_REMEMBERED
                && self.pieces.len() < MOST_PIECES
                && let Some(span) = self.remember(found, start)
            {
                self.pieces.insert(piece.into(), span);
            }
        }
    }

    fn read_word(&mut self, word: &str, analyzer: &Analyzer, found: &mut Vec<Occurrence>) {
        if let Some(known) = self.words.get(word) {
            return found.extend_from_slice(known.of(&self.occurrences));
        }
        let start = found.len();
        analyzer.for_each_term_of(word, |term, is_stop_word| {
            found.push(Occurrence { term: self.number(term), is_stop_word });
        });
        if self.words.len() < MOST_WORDS
            && let Some(span) = self.remember(found, start)
        {
            self.words.insert(word.into(), span);
        }
    }

    /// Keeps what was found from `start` on, unless there is more of it already than can be numbered.
    fn remember(&mut self, found: &[Occurrence], start: usize) -> Option<Span> {
        let new = found.get(start..)?;
        let length = u32::try_from(new.len()).ok()?;
        let span = Span { start: u32::try_from(self.occurrences.len()).ok()?, length };
        self.occurrences.extend_from_slice(new);
        Some(span)
    }

    /// The place of `term` among the terms, to which it is added where it is new.
    fn number(&mut self, term: &str) -> u32 {
        if let Some(number) = self.numbers.get(term) {
            return *number;
        }
        // So many different terms would not fit into any memory.
        let number = self.terms.len() as u32;
        let term: Arc<str> = term.into();
        self.numbers.insert(Arc::clone(&term), number);
        self.terms.push(term);
        number
    }
}

/// The only word of a piece that is one in lower case, but for the punctuation around it: most pieces are.
fn plain_word(piece: &str) -> Option<&str> {
    // None of these joins a word to the end of its piece.
    let opening = ['(', '"', '*', '`', '['];
    let closing = [',', '.', ';', ':', '!', '?', ')', '"', '*', '`', ']'];
    let word = piece.trim_start_matches(opening).trim_end_matches(closing);
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    (!word.is_empty() && word.bytes().all(is_plain)).then_some(word)
}

impl Span {
    fn of(self, occurrences: &[Occurrence]) -> &[Occurrence] {
        let start = self.start as usize;
        occurrences.get(start..start + self.length as usize).unwrap_or_default()
    }
}
