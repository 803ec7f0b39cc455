//! Counts tokens, for chunks that a model embeds whole.

use std::{cell::RefCell, collections::HashMap, iter};

use textsearch_core::vector::EmbeddingGenerator;

/// Longer words count in parts, whose sum may be some tokens off: the inside of a word has other tokens
/// than its start. Most URLs are shorter.
const MAX_WORD_CHARACTERS: usize = 128;

/// Scripts without spaces have long words, which can be divided anywhere from here on.
const MIN_PART_CHARACTERS: usize = 32;

/// Few words make most of a text.
const MAX_COUNTS: usize = 50_000;

/// Counts tokens word by word, so that time is linear: tokenizers divide a text at spaces first.
pub(super) struct TokenCounter<'text> {
    generator: &'text dyn EmbeddingGenerator,
    counts: RefCell<HashMap<&'text str, usize>>,
}

/// How many tokens a chunk may have, without its name.
#[derive(Clone, Copy)]
pub(super) struct TokenRoom<'counter, 'text> {
    pub(super) counter: &'counter TokenCounter<'text>,
    pub(super) max: usize,
    pub(super) overlap: usize,
}

impl<'text> TokenRoom<'_, 'text> {
    /// Returns how many bytes of `text` a chunk can hold besides these lines.
    pub(super) fn reach(&self, text: &'text str, lines: [&'text str; 2]) -> usize {
        self.counter.longest_start(text, self.max.saturating_sub(self.count(lines)))
    }

    pub(super) fn count(&self, lines: [&'text str; 2]) -> usize {
        lines
            .iter()
            .map(|line| words(line).map(|word| self.counter.count(word)).sum::<usize>())
            .sum()
    }
}

impl<'text> TokenCounter<'text> {
    pub(super) fn new(generator: &'text dyn EmbeddingGenerator) -> Self {
        Self { generator, counts: RefCell::default() }
    }

    /// Returns the tokens of a name, with the line break after it.
    pub(super) fn count_name(&self, name: &str) -> usize {
        self.generator.count_tokens(&format!("{name}\n")).unwrap_or(0)
    }

    /// Returns the length in bytes of the longest start of `text` with at most `max` tokens.
    fn longest_start(&self, text: &'text str, max: usize) -> usize {
        let mut left = max;
        let mut end = 0;
        for word in words(text) {
            let count = self.count(word);
            if count > left {
                return end + self.start_of_word(word, left, count);
            }
            left -= count;
            end += word.len();
        }
        end
    }

    /// Returns where the longest end of `text` with at most `max` tokens begins.
    pub(super) fn longest_end(&self, text: &'text str, max: usize) -> usize {
        let counts: Vec<_> = words(text).map(|word| (word.len(), self.count(word))).collect();
        let mut left: usize = counts.iter().map(|(_, count)| count).sum();
        let mut start = 0;
        for (length, count) in counts {
            if left <= max {
                break;
            }
            left -= count;
            start += length;
        }
        start
    }

    fn start_of_word(&self, word: &str, max: usize, count: usize) -> usize {
        let mut characters = word.chars().count() * max / count;
        loop {
            let end = word.char_indices().nth(characters).map_or(word.len(), |(end, _)| end);
            let start = word.split_at(end).0;
            if characters == 0 || self.generator.count_tokens(start).unwrap_or(0) <= max {
                return end;
            }
            characters /= 2;
        }
    }

    fn count(&self, word: &'text str) -> usize {
        let mut counts = self.counts.borrow_mut();
        if counts.len() > MAX_COUNTS {
            counts.clear();
        }
        let count = || self.generator.count_tokens(word).unwrap_or(0);
        *counts.entry(word).or_insert_with(count)
    }
}

/// Words with the spaces before them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let word = rest.trim_start();
        let mut characters = word.char_indices().enumerate();
        let is_end = |number: usize, c: char| {
            let max = if c.is_ascii() { MAX_WORD_CHARACTERS } else { MIN_PART_CHARACTERS };
            number >= max || c.is_whitespace()
        };
        let end = characters.find(|(number, (_, c))| is_end(*number, *c));
        let length = end.map_or(word.len(), |(_, (length, _))| length);
        let (first, others) = rest.split_at(rest.len() - word.len() + length);
        rest = others;
        Some(first)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_counts_as_one_word() {
        let url = format!(" https://site.example/{}", "path/".repeat(16));
        assert_eq!(words(&url).collect::<Vec<_>>(), [&url]);
    }

    #[test]
    fn text_without_spaces_counts_in_parts() {
        let lengths = words(&"文".repeat(100)).map(|word| word.chars().count()).collect::<Vec<_>>();
        assert_eq!(lengths, [32, 32, 32, 4]);
    }
}
