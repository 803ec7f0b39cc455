//! Positions of texts in an answer.

use std::ops::Range;

pub(super) struct Passage<'a> {
    text: &'a str,
    /// In the answer.
    range: Range<usize>,
    /// The answer contains the text without escapes.
    is_verbatim: bool,
}

impl<'a> Passage<'a> {
    pub(super) fn new(answer: &str, text: &'a str, range: &Range<usize>) -> Self {
        let is_verbatim = answer.get(range.clone()) == Some(text);
        Self { text, range: range.clone(), is_verbatim }
    }

    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    pub(super) fn end(&self) -> usize {
        self.range.end
    }

    /// Returns the whole range if the answer does not contain the text literally.
    pub(super) fn place(&self, part: Range<usize>) -> Range<usize> {
        if self.is_verbatim {
            self.range.start + part.start..self.range.start + part.end
        } else {
            self.range.clone()
        }
    }
}

#[derive(Default)]
pub(super) struct Run {
    text: String,
    pieces: Vec<Piece>,
}

struct Piece {
    /// In the run.
    start: usize,
    /// In the answer.
    range: Range<usize>,
    is_verbatim: bool,
}

impl Run {
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn push(&mut self, passage: &Passage<'_>, part: Range<usize>) {
        self.pieces.push(Piece {
            start: self.text.len(),
            range: passage.place(part.clone()),
            is_verbatim: passage.is_verbatim,
        });
        self.text.push_str(passage.text.get(part).unwrap_or_default());
    }

    /// Includes everything between the ends of `part`.
    pub(super) fn place(&self, part: Range<usize>) -> Range<usize> {
        let start = self.piece_at(part.start).map_or(0, |piece| piece.place(part.start).start);
        let last = part.end.saturating_sub(1);
        let end = self.piece_at(last).map_or(start, |piece| piece.place(last).end);
        start..end
    }

    /// The end, in the run, of the piece that contains `position`.
    pub(super) fn end_of_piece(&self, position: usize) -> usize {
        let after = self.pieces.partition_point(|piece| piece.start <= position);
        self.pieces.get(after).map_or(self.text.len(), |piece| piece.start)
    }

    fn piece_at(&self, position: usize) -> Option<&Piece> {
        let after = self.pieces.partition_point(|piece| piece.start <= position);
        self.pieces.get(after.checked_sub(1)?)
    }
}

impl Piece {
    /// In the answer.
    fn place(&self, position: usize) -> Range<usize> {
        if !self.is_verbatim {
            return self.range.clone();
        }
        let start = self.range.start + position.saturating_sub(self.start);
        start..start + 1
    }
}
