//! The syntax error of a filter.

use std::{error::Error, fmt};

/// A syntax error in a filter's text: its position and the expected input.
///
/// ```
/// use textsearch_core::Filter;
///
/// let error = "year 20".parse::<Filter>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "column 6: expected an operator (=, !=, <, <=, >, >=, contains, starts_with, in, exists) \
///      after `year`, found `20`",
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseFilterError {
    position: usize,
    line: usize,
    column: usize,
    message: String,
}

impl ParseFilterError {
    /// `position` is a byte of `text`.
    pub(super) fn new(text: &str, position: usize, message: impl Into<String>) -> Self {
        let before = text.get(..position).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(before, |end| before.split_at(end + 1).1);
        Self {
            position,
            line: before.matches('\n').count() + 1,
            column: line_start.chars().count() + 1,
            message: message.into(),
        }
    }

    /// Returns the byte position in the text, from 0.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Returns the line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns the column in characters, from 1.
    pub fn column(&self) -> usize {
        self.column
    }

    /// Returns the message without the position.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for ParseFilterError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 1 {
            write!(formatter, "line {}, ", self.line)?;
        }
        write!(formatter, "column {}: {}", self.column, self.message)
    }
}

impl Error for ParseFilterError {}
