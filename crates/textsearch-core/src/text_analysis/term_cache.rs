//! Short texts that were read before, with the terms that they stand for, in as little memory as they fit into.

use std::hash::BuildHasher as _;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

/// The longest text, in bytes, that is remembered: anything longer hardly ever comes again.
const LONGEST: usize = 64;

/// A term of a text: its place among the terms, and whether it is a stop word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Occurrence(u32);

/// Texts with their terms, until they take as many bytes as they may: the common ones come first.
pub(super) struct TermCache {
    hasher: RandomState,
    entries: HashTable<Entry>,
    /// The texts one after another.
    texts: Vec<u8>,
    /// The terms of those texts that have not exactly one, one after another.
    occurrences: Vec<Occurrence>,
    most_bytes: usize,
}

/// Where a text and its terms are.
struct Entry {
    text: u32,
    /// The only term, or else where the terms begin.
    occurrence: u32,
    length: u8,
    occurrences: u8,
}

impl Occurrence {
    /// There are never half as many terms as numbers: they would not fit into any memory.
    pub(super) fn new(term: u32, is_stop_word: bool) -> Self {
        Self(term << 1 | u32::from(is_stop_word))
    }

    pub(super) fn term(self) -> u32 {
        self.0 >> 1
    }

    pub(super) fn is_stop_word(self) -> bool {
        self.0 & 1 == 1
    }
}

impl TermCache {
    /// A memory that takes about `most_bytes` at most.
    pub(super) fn new(most_bytes: usize) -> Self {
        Self {
            hasher: RandomState::default(),
            entries: HashTable::new(),
            texts: Vec::new(),
            occurrences: Vec::new(),
            most_bytes,
        }
    }

    /// Adds the terms of `text` to those that were `found`, and says whether it was known.
    #[inline]
    pub(super) fn recall(&self, text: &str, found: &mut Vec<Occurrence>) -> bool {
        let text = text.as_bytes();
        let hash = self.hasher.hash_one(text);
        match self.entries.find(hash, |entry| entry.text(&self.texts) == text) {
            Some(Entry { occurrence, occurrences: 1, .. }) => found.push(Occurrence(*occurrence)),
            Some(entry) => found.extend_from_slice(entry.occurrences(&self.occurrences)),
            None => return false,
        }
        true
    }

    /// Remembers a text that was not known, unless it is long or there is no room for it.
    pub(super) fn remember(&mut self, text: &str, found: &[Occurrence]) {
        let text = text.as_bytes();
        let Ok(occurrences) = u8::try_from(found.len()) else { return };
        if text.len() > LONGEST || self.bytes() >= self.most_bytes {
            return;
        }
        let occurrence = match found {
            [only] => only.0,
            _ => self.occurrences.len() as u32,
        };
        let entry = Entry {
            text: self.texts.len() as u32,
            occurrence,
            length: text.len() as u8,
            occurrences,
        };
        self.texts.extend_from_slice(text);
        if occurrences != 1 {
            self.occurrences.extend_from_slice(found);
        }
        let Self { hasher, entries, texts, .. } = self;
        let hash = |entry: &Entry| hasher.hash_one(entry.text(texts));
        entries.insert_unique(hash(&entry), entry, hash);
    }

    /// Changes every term that is remembered.
    pub(super) fn change(&mut self, mut change: impl FnMut(Occurrence) -> Occurrence) {
        for entry in self.entries.iter_mut().filter(|entry| entry.occurrences == 1) {
            entry.occurrence = change(Occurrence(entry.occurrence)).0;
        }
        for occurrence in &mut self.occurrences {
            *occurrence = change(*occurrence);
        }
    }

    /// What it takes.
    fn bytes(&self) -> usize {
        // A table is half empty after it has grown.
        let entries = 2 * self.entries.len() * size_of::<Entry>();
        entries + self.texts.len() + self.occurrences.len() * size_of::<Occurrence>()
    }
}

impl Entry {
    fn text<'a>(&self, texts: &'a [u8]) -> &'a [u8] {
        let start = self.text as usize;
        texts.get(start..start + usize::from(self.length)).unwrap_or_default()
    }

    fn occurrences<'a>(&self, occurrences: &'a [Occurrence]) -> &'a [Occurrence] {
        let start = self.occurrence as usize;
        occurrences.get(start..start + usize::from(self.occurrences)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_comes_back_until_there_is_no_room() {
        let mut memory = TermCache::new(1 << 16);
        let terms = |number: u32| {
            (0..number % 3)
                .map(|term| Occurrence::new(number + term, term == 1))
                .collect::<Vec<_>>()
        };
        (0..10_000).for_each(|number| memory.remember(&number.to_string(), &terms(number)));
        let mut known = 0;
        for number in 0..10_000 {
            let mut found = Vec::new();
            if memory.recall(&number.to_string(), &mut found) {
                assert_eq!((number, found), (known, terms(number)));
                known += 1;
            }
        }
        assert!((1000..10_000).contains(&known), "{known}");
        assert!(memory.bytes() <= memory.most_bytes + LONGEST + size_of::<Entry>() * 2);
    }

    #[test]
    fn a_long_text_is_not_remembered() {
        let mut memory = TermCache::new(1 << 16);
        memory.remember(&"x".repeat(LONGEST + 1), &[]);
        assert!(!memory.recall(&"x".repeat(LONGEST + 1), &mut Vec::new()));
    }
}
