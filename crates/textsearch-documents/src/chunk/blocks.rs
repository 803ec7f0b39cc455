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

/// A fenced code block or a table. Each part of a divided frame repeats the lines around the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) range: Range<usize>,
    /// Without the fences, or without the header.
    pub(crate) body: Range<usize>,
}

#[derive(Debug, Default)]
pub(crate) struct Blocks {
    blocks: Vec<Block>,
    frames: Vec<Frame>,
}

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
        match self.blocks.last_mut() {
            Some(last) if last.start >= block.start => last.has_lines = block.has_lines,
            _ => self.blocks.push(block),
        }
    }

    /// Frames come in the order of the text, and don't overlap.
    pub(crate) fn push_frame(&mut self, frame: Frame) {
        self.frames.push(frame);
    }

    pub(super) fn frame_at(&self, position: usize) -> Option<&Frame> {
        let after = self.frames.partition_point(|frame| frame.range.start <= position);
        let frame = self.frames.get(after.checked_sub(1)?)?;
        frame.range.contains(&position).then_some(frame)
    }

    /// Returns the start of the last of the outermost blocks in `range`.
    pub(super) fn best_start(&self, range: Range<usize>) -> Option<usize> {
        let first = self.blocks.partition_point(|block| block.start < range.start);
        let end = self.blocks.partition_point(|block| block.start < range.end);
        let block = self.blocks.get(first..end)?.iter().rev().min_by_key(|block| block.depth)?;
        Some(block.start)
    }

    pub(super) fn has_lines_at(&self, position: usize) -> bool {
        let after = self.blocks.partition_point(|block| block.start <= position);
        let block = after.checked_sub(1).and_then(|last| self.blocks.get(last));
        block.is_some_and(|block| block.has_lines) || self.frame_at(position).is_some()
    }
}
