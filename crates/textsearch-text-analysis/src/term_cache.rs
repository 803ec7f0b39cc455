//! A compact cache of short texts and their terms.

use std::hash::BuildHasher as _;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

/// In bytes. Longer texts hardly repeat.
const LONGEST: usize = 64;

/// The index of a term, and whether it is a stop word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Occurrence(u32);

/// Has a limit in bytes. Common texts come early, so they fit.
pub(crate) struct TermCache {
    hasher: RandomState,
    entries: HashTable<Entry>,
    /// Concatenated.
    texts: Vec<u8>,
    /// Concatenated, without the terms of texts that have only one.
    occurrences: Vec<Occurrence>,
    max_bytes: usize,
}

struct Entry {
    text: u32,
    /// The term itself if it is the only one, otherwise the index of the first term.
    occurrence: u32,
    length: u8,
    occurrences: u8,
}

impl Occurrence {
    /// The shift loses nothing: 2³¹ terms would not fit into memory.
    pub(crate) fn new(term: u32, is_stop_word: bool) -> Self {
        Self(term << 1 | u32::from(is_stop_word))
    }

    pub(crate) fn term(self) -> u32 {
        self.0 >> 1
    }

    pub(crate) fn is_stop_word(self) -> bool {
        self.0 & 1 == 1
    }
}

impl TermCache {
    /// `max_bytes` is approximate.
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self {
            hasher: RandomState::default(),
            entries: HashTable::new(),
            texts: Vec::new(),
            occurrences: Vec::new(),
            max_bytes,
        }
    }

    /// Appends the terms of `text` to `occurrences`, if it is cached.
    #[inline]
    pub(crate) fn recall(&self, text: &str, occurrences: &mut Vec<Occurrence>) -> bool {
        let text = text.as_bytes();
        let hash = self.hasher.hash_one(text);
        match self.entries.find(hash, |entry| entry.text(&self.texts) == text) {
            Some(Entry { occurrence, occurrences: 1, .. }) => {
                occurrences.push(Occurrence(*occurrence));
            }
            Some(entry) => occurrences.extend_from_slice(entry.occurrences(&self.occurrences)),
            None => return false,
        }
        true
    }

    /// Does nothing if the text is long or the cache is full.
    pub(crate) fn remember(&mut self, text: &str, occurrences: &[Occurrence]) {
        let text = text.as_bytes();
        let Ok(count) = u8::try_from(occurrences.len()) else { return };
        if text.len() > LONGEST || self.bytes() >= self.max_bytes {
            return;
        }
        let occurrence = match occurrences {
            [only] => only.0,
            _ => self.occurrences.len() as u32,
        };
        let entry = Entry {
            text: self.texts.len() as u32,
            occurrence,
            length: text.len() as u8,
            occurrences: count,
        };
        self.texts.extend_from_slice(text);
        if count != 1 {
            self.occurrences.extend_from_slice(occurrences);
        }
        let Self { hasher, entries, texts, .. } = self;
        let hash = |entry: &Entry| hasher.hash_one(entry.text(texts));
        entries.insert_unique(hash(&entry), entry, hash);
    }

    pub(crate) fn change(&mut self, mut change: impl FnMut(Occurrence) -> Occurrence) {
        for entry in self.entries.iter_mut().filter(|entry| entry.occurrences == 1) {
            entry.occurrence = change(Occurrence(entry.occurrence)).0;
        }
        for occurrence in &mut self.occurrences {
            *occurrence = change(*occurrence);
        }
    }

    fn bytes(&self) -> usize {
        // A table is half empty after it grows.
        let entries = 2 * self.entries.len() * size_of::<Entry>();
        entries + self.texts.len() + self.occurrences.len() * size_of::<Occurrence>()
    }
}

impl Entry {
    fn text<'a>(&self, texts: &'a [u8]) -> &'a [u8] {
        let start = self.text as usize;
        texts.split_at(start).1.split_at(self.length.into()).0
    }

    fn occurrences<'a>(&self, occurrences: &'a [Occurrence]) -> &'a [Occurrence] {
        let start = self.occurrence as usize;
        occurrences.split_at(start).1.split_at(self.occurrences.into()).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_terms_until_it_is_full() {
        let mut memory = TermCache::new(1 << 16);
        let terms = |number: u32| {
            (0..number % 3)
                .map(|term| Occurrence::new(number + term, term == 1))
                .collect::<Vec<_>>()
        };
        (0..10_000).for_each(|number| memory.remember(&number.to_string(), &terms(number)));
        let mut known = 0;
        for number in 0..10_000 {
            let mut occurrences = Vec::new();
            if memory.recall(&number.to_string(), &mut occurrences) {
                assert_eq!((number, occurrences), (known, terms(number)));
                known += 1;
            }
        }
        assert!((1000..10_000).contains(&known), "{known}");
        assert!(memory.bytes() <= memory.max_bytes + LONGEST + size_of::<Entry>() * 2);
    }

    #[test]
    fn does_not_cache_long_texts() {
        let mut memory = TermCache::new(1 << 16);
        memory.remember(&"x".repeat(LONGEST + 1), &[]);
        assert!(!memory.recall(&"x".repeat(LONGEST + 1), &mut Vec::new()));
    }
}
