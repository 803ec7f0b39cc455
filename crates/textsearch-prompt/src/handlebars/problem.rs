//! Problems in a template and their positions.

/// A line and a column, both counted from 1.
pub(super) type Position = (usize, usize);

/// A mistake in a template that prevents compilation.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) position: Position,
    pub(super) message: String,
}
