//! Where the blocks of a text begin: its best places to be cut.

use std::ops::Range;

/// The beginning of a paragraph, a list item, a table or the like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block {
    /// Where the block begins, at the start of a line, in bytes.
    pub(crate) start: usize,
    /// How many blocks it lies in.
    pub(crate) depth: usize,
    /// Whether its lines are its parts, as in code; otherwise sentences are.
    pub(crate) has_lines: bool,
}

/// The blocks of a text, in its order.
#[derive(Debug, Default)]
pub(crate) struct Blocks(Vec<Block>);

impl Blocks {
    /// The paragraphs of text without markup: what blank lines separate.
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

    /// Adds the next block; of two that begin at one place, the outer keeps its depth and the inner its kind.
    pub(crate) fn push(&mut self, block: Block) {
        match self.0.last_mut() {
            Some(last) if last.start >= block.start => last.has_lines = block.has_lines,
            _ => self.0.push(block),
        }
    }

    /// The last of the outermost blocks that begin in `range`.
    pub(super) fn best_start(&self, range: Range<usize>) -> Option<usize> {
        let first = self.0.partition_point(|block| block.start < range.start);
        let end = self.0.partition_point(|block| block.start < range.end);
        let found = self.0.get(first..end)?.iter().rev().min_by_key(|block| block.depth)?;
        Some(found.start)
    }

    /// Whether the text at `position` is made of lines rather than sentences.
    pub(super) fn has_lines_at(&self, position: usize) -> bool {
        let after = self.0.partition_point(|block| block.start <= position);
        let block = after.checked_sub(1).and_then(|last| self.0.get(last));
        block.is_some_and(|block| block.has_lines)
    }
}
