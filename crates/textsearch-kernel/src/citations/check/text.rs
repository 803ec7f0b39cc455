//! Maps texts of an answer to their positions in it.

use std::ops::Range;

/// A text of the answer.
pub(super) struct Passage<'a> {
    text: &'a str,
    /// The range in the answer.
    range: Range<usize>,
    /// Whether the answer contains the text literally, without escapes.
    is_verbatim: bool,
}

impl<'a> Passage<'a> {
    /// Creates a passage from the `text` at `range` of the answer.
    pub(super) fn new(answer: &str, text: &'a str, range: &Range<usize>) -> Self {
        let is_verbatim = answer.get(range.clone()) == Some(text);
        Self { text, range: range.clone(), is_verbatim }
    }

    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    /// Returns the end of the text in the answer.
    pub(super) fn end(&self) -> usize {
        self.range.end
    }

    /// Returns the range of `part` of the text in the answer. Returns the whole range if the answer
    /// does not contain the text literally.
    pub(super) fn place(&self, part: Range<usize>) -> Range<usize> {
        if self.is_verbatim {
            self.range.start + part.start..self.range.start + part.end
        } else {
            self.range.clone()
        }
    }
}

/// Pieces of text that are read as continuous.
#[derive(Default)]
pub(super) struct Run {
    text: String,
    pieces: Vec<Piece>,
}

struct Piece {
    /// The start in the run.
    start: usize,
    /// The range in the answer.
    range: Range<usize>,
    /// Whether the answer contains the text literally, without escapes.
    is_verbatim: bool,
}

impl Run {
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Adds `part` of a text.
    pub(super) fn push(&mut self, passage: &Passage<'_>, part: Range<usize>) {
        self.pieces.push(Piece {
            start: self.text.len(),
            range: passage.place(part.clone()),
            is_verbatim: passage.is_verbatim,
        });
        self.text.push_str(passage.text.get(part).unwrap_or_default());
    }

    /// Returns the range of `part` of the text in the answer, including everything between its
    /// ends.
    pub(super) fn place(&self, part: Range<usize>) -> Range<usize> {
        let start = self.piece_at(part.start).map_or(0, |piece| piece.place(part.start).start);
        let last = part.end.saturating_sub(1);
        let end = self.piece_at(last).map_or(start, |piece| piece.place(last).end);
        start..end
    }

    /// Returns the end, in the run, of the piece that contains the byte at `position`.
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
    /// Returns the range in the answer of the run's byte at `position`.
    fn place(&self, position: usize) -> Range<usize> {
        if !self.is_verbatim {
            return self.range.clone();
        }
        let start = self.range.start + position.saturating_sub(self.start);
        start..start + 1
    }
}
