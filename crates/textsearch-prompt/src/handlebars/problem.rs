//! Problems in a template.

/// A line and a column, both counted from 1.
pub(super) type Position = (usize, usize);

#[derive(Debug)]
pub(super) struct Problem {
    pub(super) position: Position,
    pub(super) message: String,
}
