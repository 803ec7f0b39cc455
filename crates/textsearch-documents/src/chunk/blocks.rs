//! Starts of a text's blocks: the best places to cut it.

use std::ops::Range;

/// A paragraph, list item, table or similar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block {
    /// Byte offset of its first line.
    pub(crate) start: usize,
    /// Number of enclosing blocks.
    pub(crate) depth: usize,
    /// Whether it divides into lines, like code, or into sentences.
    pub(crate) has_lines: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Blocks(Vec<Block>);

impl Blocks {
    /// Blank lines separate paragraphs.
    pub(crate) fn of_plain_text(text: &str) -> Self {
        let mut blocks = Self::default();
        let mut start = 0;
        let mut was_blank = true;
        for line in text.split_inclusive('\n') {
            let is_blank = line.trim().is_empty();
            if was_blank && !is_blank {
                blocks.push(Block { start, depth: 0, has_lines: false });
            }
            was_blank = is_blank;
            start += line.len();
        }
        blocks
    }

    /// Blank lines separate blocks, such as functions. Less indentation means an outer block.
    pub(crate) fn of_lines(text: &str) -> Self {
        let mut blocks = Self::default();
        let mut start = 0;
        let mut was_blank = true;
        for line in text.split_inclusive('\n') {
            let words = line.trim_start();
            if was_blank && !words.is_empty() {
                let depth = line.len() - words.len();
                blocks.push(Block { start, depth, has_lines: true });
            }
            was_blank = words.is_empty();
            start += line.len();
        }
        blocks
    }

    /// If two blocks begin at one place, the outer keeps its depth and the inner its kind.
    pub(crate) fn push(&mut self, block: Block) {
        match self.0.last_mut() {
            Some(last) if last.start >= block.start => last.has_lines = block.has_lines,
            _ => self.0.push(block),
        }
    }

    /// Returns the start of the last of the outermost blocks in `range`.
    pub(super) fn best_start(&self, range: Range<usize>) -> Option<usize> {
        let first = self.0.partition_point(|block| block.start < range.start);
        let end = self.0.partition_point(|block| block.start < range.end);
        let block = self.0.get(first..end)?.iter().rev().min_by_key(|block| block.depth)?;
        Some(block.start)
    }

    pub(super) fn has_lines_at(&self, position: usize) -> bool {
        let after = self.0.partition_point(|block| block.start <= position);
        let block = after.checked_sub(1).and_then(|last| self.0.get(last));
        block.is_some_and(|block| block.has_lines)
    }
}
