//! Cuts a section that is too long: at blocks, then sentences or lines, then words.
//!
//! Every step reads at most one chunk's length, so time is linear for any text. The libraries we
//! tried rescan text without sentence ends, such as a long line of data, and take minutes per
//! megabyte.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation as _;

use super::{ChunkerConfig, blocks::Blocks, sentence};

/// Returns byte ranges. No chunk is blank or too large; together they cover all text that isn't
/// blank.
pub(super) fn cut(
    text: &str,
    section: Range<usize>,
    blocks: &Blocks,
    config: &ChunkerConfig,
) -> Vec<Range<usize>> {
    let cutter = Cutter { text: text.get(..section.end).unwrap_or(text), blocks, config };
    let mut chunks = Vec::new();
    let mut start = cutter.skip_blank(section.start);
    let mut fresh = start;
    while fresh < cutter.text.len() {
        let end = cutter.chunk_end(start, fresh);
        chunks.push(start..cutter.trim_end(fresh, end));
        fresh = cutter.skip_blank(end);
        start = cutter.overlap_start(start, fresh);
    }
    chunks
}

struct Cutter<'a> {
    /// Ends with the section.
    text: &'a str,
    blocks: &'a Blocks,
    config: &'a ChunkerConfig,
}

impl Cutter<'_> {
    fn slice(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }

    /// The chunk begins at `start`, its new text at `fresh`.
    fn chunk_end(&self, start: usize, fresh: usize) -> usize {
        let limit = self.forward(start, self.config.max_characters);
        if self.slice(limit..self.text.len()).trim_start().is_empty() {
            return self.text.len();
        }
        // Fill at least half of the room: a weaker cut is better than tiny chunks.
        let floor = self.char_boundary(fresh + (limit - fresh) / 2);
        let block_start = self.blocks.best_start(floor..limit + 1).filter(|start| *start > fresh);
        block_start
            .or_else(|| self.cut_in_block(floor..limit))
            .unwrap_or_else(|| self.hard_cut(floor..limit))
    }

    fn cut_in_block(&self, range: Range<usize>) -> Option<usize> {
        let window = self.slice(range.clone());
        let line = || window.rfind('\n').map(|newline| newline + 1);
        let sentence = || sentence::last_start(window);
        let cut = if self.blocks.has_lines_at(range.end) {
            line().or_else(sentence)
        } else {
            sentence().or_else(line)
        };
        let word = || window.char_indices().rev().find(|(_, c)| c.is_whitespace());
        let cut = cut.or_else(|| word().map(|(position, c)| position + c.len_utf8()))?;
        (cut > 0).then_some(range.start + cut)
    }

    /// Cuts between grapheme clusters.
    fn hard_cut(&self, range: Range<usize>) -> usize {
        // The text after the limit decides whether a cluster ends there.
        let beyond = self.char_boundary((range.end + 32).min(self.text.len()));
        let clusters = self.slice(range.start..beyond).grapheme_indices(true);
        let starts = clusters.map(|(position, _)| range.start + position);
        starts
            .take_while(|start| *start <= range.end)
            .filter(|start| *start > range.start)
            .last()
            .unwrap_or(range.end)
    }

    /// New text begins at `fresh`. The overlap never begins before `first`.
    fn overlap_start(&self, first: usize, fresh: usize) -> usize {
        let earliest = self.backward(first, fresh, self.config.overlap_characters);
        let window = self.slice(earliest..fresh);
        if earliest == fresh || window.trim().is_empty() {
            return fresh;
        }
        if self.begins_word(earliest) {
            return self.skip_blank(earliest);
        }
        let sentence = sentence::first_start(window);
        let line = || window.find('\n').map(|newline| newline + 1);
        let word = || window.find(char::is_whitespace);
        let cluster = || window.grapheme_indices(true).nth(1).map(|(position, _)| position);
        let position = sentence.or_else(line).or_else(word).or_else(cluster);
        position.map_or(fresh, |position| self.skip_blank(earliest + position).min(fresh))
    }

    fn begins_word(&self, position: usize) -> bool {
        let before = self.slice(0..position).chars().next_back();
        before.is_none_or(char::is_whitespace)
    }

    fn skip_blank(&self, position: usize) -> usize {
        let rest = self.slice(position..self.text.len());
        self.text.len() - rest.trim_start().len()
    }

    fn trim_end(&self, start: usize, end: usize) -> usize {
        start + self.slice(start..end).trim_end().len()
    }

    fn forward(&self, start: usize, characters: usize) -> usize {
        let mut rest = self.slice(start..self.text.len()).chars();
        // `nth` skips many characters at once; `char_indices` would count them one by one.
        if let Some(last) = characters.checked_sub(1) {
            rest.nth(last);
        }
        self.text.len() - rest.as_str().len()
    }

    fn backward(&self, first: usize, end: usize, characters: usize) -> usize {
        let Some(last) = characters.checked_sub(1) else { return end };
        let before = self.slice(first..end);
        before.char_indices().rev().nth(last).map_or(first, |(bytes, _)| first + bytes)
    }

    fn char_boundary(&self, position: usize) -> usize {
        let is_boundary = |position: &usize| self.text.is_char_boundary(*position);
        (position..self.text.len()).find(is_boundary).unwrap_or(self.text.len())
    }
}
