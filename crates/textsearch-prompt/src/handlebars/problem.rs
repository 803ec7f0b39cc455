//! What is wrong with a template, and where.

/// A line and a column, both counted from 1.
pub(super) type Position = (usize, usize);

/// A mistake in a template that keeps it from being compiled.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) position: Position,
    pub(super) message: String,
}
