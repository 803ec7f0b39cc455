//! The error of reading a filter or a date.

use std::{error::Error, fmt};

/// Why a text is no filter or no date and time.
///
/// `Display` prints the place in a filter, and the expected input.
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
pub struct ParseError {
    /// Line and column in a filter; `None` for a date.
    place: Option<(usize, usize)>,
    message: String,
}

impl ParseError {
    /// `position` is a byte of `text`.
    pub(super) fn at(text: &str, position: usize, message: impl Into<String>) -> Self {
        let (before, _) = text.split_at(position);
        let line_start = before.rfind('\n').map_or(before, |end| before.split_at(end + 1).1);
        let place = (before.matches('\n').count() + 1, line_start.chars().count() + 1);
        Self { place: Some(place), message: message.into() }
    }

    pub(super) fn of_date(text: &str, problem: &str) -> Self {
        let text = excerpt(text);
        Self { place: None, message: format!("`{text}` is not a date and time: {problem}") }
    }

    /// Returns the line, from 1.
    pub fn line(&self) -> usize {
        self.place.map_or(1, |(line, _)| line)
    }

    /// Returns the column in characters, from 1.
    pub fn column(&self) -> usize {
        self.place.map_or(1, |(_, column)| column)
    }

    /// Returns the message without the place.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            None => Ok(()),
            Some((1, column)) => write!(formatter, "column {column}: "),
            Some((line, column)) => write!(formatter, "line {line}, column {column}: "),
        }?;
        formatter.write_str(&self.message)
    }
}

impl Error for ParseError {}

/// Returns the beginning of a text, on one line: an error must not carry a whole page.
pub(super) fn excerpt(text: &str) -> String {
    const MAX_CHARS: usize = 40;
    let mut characters = text.chars();
    let mut piece: String = characters.by_ref().take(MAX_CHARS).collect();
    if characters.next().is_some() {
        piece.push('…');
    }
    piece.replace(char::is_control, " ")
}
