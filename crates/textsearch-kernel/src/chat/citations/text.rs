//! Texts of an answer, and where they are in it.

use std::ops::Range;

/// Where `part` of `text`, which is at `range` of the answer, is in the answer: the whole range where the text is not
/// written as it reads.
pub(super) fn place(
    answer: &str,
    text: &str,
    part: Range<usize>,
    range: &Range<usize>,
) -> Range<usize> {
    if answer.get(range.clone()) == Some(text) {
        range.start + part.start..range.start + part.end
    } else {
        range.clone()
    }
}

/// Pieces of text that are read as one.
#[derive(Default)]
pub(super) struct Run {
    text: String,
    pieces: Vec<Piece>,
}

struct Piece {
    /// Where it begins in the run.
    start: usize,
    /// Where it is in the answer.
    range: Range<usize>,
    /// Whether it is written as it reads.
    is_verbatim: bool,
}

impl Run {
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Adds `part` of `text`, which is at `range` of the answer.
    pub(super) fn push(
        &mut self,
        answer: &str,
        text: &str,
        part: Range<usize>,
        range: &Range<usize>,
    ) {
        let added = text.get(part.clone()).unwrap_or_default();
        let range = place(answer, text, part, range);
        let is_verbatim = answer.get(range.clone()) == Some(added);
        self.pieces.push(Piece { start: self.text.len(), range, is_verbatim });
        self.text.push_str(added);
    }

    /// Where `part` of the text is in the answer, with all that stands between its ends.
    pub(super) fn place(&self, part: Range<usize>) -> Range<usize> {
        let start = self.piece_at(part.start).map_or(0, |piece| piece.place(part.start).start);
        let last = part.end.saturating_sub(1);
        let end = self.piece_at(last).map_or(start, |piece| piece.place(last).end);
        start..end
    }

    fn piece_at(&self, position: usize) -> Option<&Piece> {
        self.pieces.iter().rev().find(|piece| piece.start <= position)
    }
}

impl Piece {
    /// Where the byte of the run at `position` is in the answer.
    fn place(&self, position: usize) -> Range<usize> {
        if !self.is_verbatim {
            return self.range.clone();
        }
        let start = self.range.start + position.saturating_sub(self.start);
        start..start + 1
    }
}
