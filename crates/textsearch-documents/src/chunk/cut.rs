//! Cuts a section that is too long: at blocks, then sentences or lines, then words.
//!
//! Every step reads at most one chunk's length, so time is linear for any text. The libraries we
//! tried rescan text without sentence ends, such as a long line of data, and take minutes per
//! megabyte.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation as _;

use super::{
    ChunkerConfig,
    blocks::{Blocks, Frame},
    sentence,
    tokens::TokenRoom,
};

/// The text of a chunk. Positions are bytes.
pub(super) struct Piece<'text> {
    pub(super) range: Range<usize>,
    /// The fence or header to repeat before the text, without a line break. May be empty.
    pub(super) opening: &'text str,
    /// The fence to repeat after the text.
    pub(super) closing: &'text str,
}

/// No piece is blank or too large; together they cover all text that isn't blank.
pub(super) fn cut<'text>(
    text: &'text str,
    section: Range<usize>,
    blocks: &Blocks,
    config: &ChunkerConfig,
    tokens: Option<TokenRoom<'_, 'text>>,
) -> Vec<Piece<'text>> {
    let cutter = Cutter { text: text.get(..section.end).unwrap_or(text), blocks, config, tokens };
    let mut pieces = Vec::new();
    let mut start = cutter.skip_blank(section.start);
    let mut fresh = start;
    while fresh < cutter.text.len() {
        let end = cutter.chunk_end(start, fresh);
        let range = start..cutter.trim_end(fresh, end);
        pieces.push(Piece { range, opening: cutter.opening(start), closing: cutter.closing(end) });
        fresh = cutter.skip_blank(end);
        start = cutter.overlap_start(start, fresh);
    }
    pieces
}

struct Cutter<'text, 'document> {
    /// Ends with the section.
    text: &'text str,
    blocks: &'document Blocks,
    config: &'document ChunkerConfig,
    tokens: Option<TokenRoom<'document, 'text>>,
}

impl<'text> Cutter<'text, '_> {
    fn slice(&self, range: Range<usize>) -> &'text str {
        self.text.get(range).unwrap_or_default()
    }

    /// The chunk begins at `start`, its new text at `fresh`.
    fn chunk_end(&self, start: usize, fresh: usize) -> usize {
        let mut closing = "";
        loop {
            // Go on, even if the model takes no more than the repeated text.
            let limit = self.reach(start, closing).max(self.forward(fresh, 1));
            let end = self.best_end(fresh, limit);
            // Another end may be in a frame with a longer last line.
            let needed = self.closing(end);
            if line_length(needed) <= line_length(closing) {
                return self.with_closing(start, end);
            }
            closing = needed;
        }
    }

    fn best_end(&self, fresh: usize, limit: usize) -> usize {
        if self.slice(limit..self.text.len()).trim_start().is_empty() {
            return self.text.len();
        }
        // Fill at least half of the room: a weaker cut is better than tiny chunks.
        let floor = self.char_boundary(fresh + limit.saturating_sub(fresh) / 2);
        let block_start = self.blocks.best_start(floor..limit + 1).filter(|start| *start > fresh);
        let end = block_start
            .or_else(|| self.cut_in_block(fresh, floor..limit))
            .unwrap_or_else(|| self.hard_cut(floor..limit));
        match self.blocks.frame_at(end) {
            Some(Frame { range, .. }) if range.end <= limit => range.end,
            Some(Frame { range, .. }) if range.start > fresh && self.fits(range) => range.start,
            _ => end,
        }
    }

    /// A chunk with all lines of a frame also has its last one.
    fn with_closing(&self, start: usize, end: usize) -> usize {
        let Some(Frame { range, body }) = self.blocks.frame_at(end) else { return end };
        let is_whole = self.slice(end..body.end).trim_start().is_empty();
        if is_whole && range.end <= self.reach(start, "") { range.end } else { end }
    }

    fn cut_in_block(&self, fresh: usize, range: Range<usize>) -> Option<usize> {
        let window = self.slice(range.clone());
        let line = || window.rfind('\n').map(|newline| range.start + newline + 1);
        let sentence = || sentence::last_start(window).map(|start| range.start + start);
        let cut = if self.blocks.has_lines_at(range.end) {
            line().or_else(|| self.long_line(fresh..range.start)).or_else(sentence)
        } else {
            sentence().or_else(line)
        };
        let word = || window.char_indices().rev().find(|(_, c)| c.is_whitespace());
        let after_word = || word().map(|(position, c)| range.start + position + c.len_utf8());
        cut.or_else(after_word).filter(|cut| *cut > fresh)
    }

    /// Returns the start of the last line in `range` if a chunk can hold it.
    fn long_line(&self, range: Range<usize>) -> Option<usize> {
        let start = range.start + self.slice(range).rfind('\n')? + 1;
        self.line_end(start).map(|_| start)
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
        let mut start = self.overlapping(first, fresh);
        if let Some(Frame { range, body }) = self.blocks.frame_at(start)
            && (range.start + 1..body.start).contains(&start)
        {
            // The chunk repeats the whole header.
            start = self.skip_blank(body.start).min(fresh);
        }
        // A frame or row that a chunk can hold is not divided for the sake of an overlap.
        let frame = self.blocks.frame_at(fresh).filter(|frame| fresh < frame.body.start);
        let whole = frame.filter(|frame| self.fits(&frame.range)).map(|frame| frame.range.end);
        let line = || self.blocks.has_lines_at(fresh).then(|| self.line_end(fresh)).flatten();
        let end = whole.or_else(line).unwrap_or(fresh);
        let limit = self.reach(start, self.closing(end));
        if limit < end { fresh } else { start }
    }

    fn overlapping(&self, first: usize, fresh: usize) -> usize {
        let mut earliest = self.backward(first, fresh, self.config.overlap_characters);
        if let Some(TokenRoom { counter, overlap, .. }) = self.tokens {
            let skipped = counter.longest_end(self.slice(earliest..fresh), overlap);
            earliest = self.skip_blank(earliest + skipped).min(fresh);
        }
        let window = self.slice(earliest..fresh);
        if earliest == fresh || window.trim().is_empty() {
            return fresh;
        }
        let line = || window.find('\n').map(|newline| newline + 1);
        let is_in_line = self.blocks.has_lines_at(fresh) && !self.begins(earliest, |c| c == '\n');
        if let Some(position) = line().filter(|_| is_in_line) {
            return self.skip_blank(earliest + position).min(fresh);
        }
        if self.begins(earliest, char::is_whitespace) {
            return self.skip_blank(earliest);
        }
        let sentence = sentence::first_start(window);
        let word = || window.find(char::is_whitespace);
        let cluster = || window.grapheme_indices(true).nth(1).map(|(position, _)| position);
        let position = sentence.or_else(line).or_else(word).or_else(cluster);
        position.map_or(fresh, |position| self.skip_blank(earliest + position).min(fresh))
    }

    fn begins(&self, position: usize, is_before: fn(char) -> bool) -> bool {
        self.slice(0..position).chars().next_back().is_none_or(is_before)
    }

    /// Returns the lines to repeat before a chunk that begins at `start`.
    fn opening(&self, start: usize) -> &'text str {
        self.repeated(start).map_or("", |frame| self.slice(opening_of(frame)).trim_end())
    }

    /// Returns the line to repeat after a chunk that ends at `end`.
    fn closing(&self, end: usize) -> &'text str {
        self.repeated(end).map_or("", |frame| self.slice(closing_of(frame)).trim_end())
    }

    /// Returns the frame around `position` if its lines leave room for the overlap and as much text.
    fn repeated(&self, position: usize) -> Option<&Frame> {
        let frame = self.blocks.frame_at(position).filter(|frame| position >= frame.body.start)?;
        let room = (self.config.max_characters - self.config.overlap_characters) / 2;
        let edges = [opening_of(frame), closing_of(frame)];
        // Don't count the characters of a long header again and again.
        let is_long = edges.iter().any(|edge| edge.len() / 4 > room);
        if is_long {
            return None;
        }
        let edges = edges.map(|edge| self.slice(edge).trim_end());
        let leaves_tokens =
            self.tokens.is_none_or(|room| room.count(edges) <= (room.max - room.overlap) / 2);
        let length: usize = edges.map(line_length).iter().sum();
        (length <= room && leaves_tokens).then_some(frame)
    }

    /// Returns where a chunk from `start` must end so that `closing` can follow.
    fn reach(&self, start: usize, closing: &'text str) -> usize {
        let lines = [self.opening(start), closing];
        let reserved: usize = lines.map(line_length).iter().sum();
        let limit = self.forward(start, self.config.max_characters.saturating_sub(reserved));
        let tokens = self.tokens.map(|room| room.reach(self.slice(start..limit), lines));
        tokens.map_or(limit, |length| start + length)
    }

    fn fits(&self, range: &Range<usize>) -> bool {
        self.reach(range.start, "") >= range.end
    }

    /// Returns the end of the line from `start` if a chunk can hold it.
    fn line_end(&self, start: usize) -> Option<usize> {
        let limit = self.reach(start, self.closing(start));
        let newline = self.slice(start..limit).find('\n').map(|newline| start + newline);
        newline.or((limit == self.text.len()).then_some(limit))
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

fn opening_of(frame: &Frame) -> Range<usize> {
    frame.range.start..frame.body.start
}

fn closing_of(frame: &Frame) -> Range<usize> {
    frame.body.end..frame.range.end
}

/// Returns the number of characters with a line break, if it isn't empty.
fn line_length(line: &str) -> usize {
    if line.is_empty() { 0 } else { line.chars().count() + 1 }
}
