//! The error of reading a date.

use std::{error::Error, fmt};

/// An error for a text that is no date and time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseDateTimeError {
    text: String,
    problem: Problem,
}

impl ParseDateTimeError {
    pub(super) fn new(text: &str, problem: Problem) -> Self {
        Self { text: excerpt(text), problem }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::filter) enum Problem {
    Shape,
    InternetDate,
    Calendar,
    Range,
}

impl fmt::Display for ParseDateTimeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let problem = match self.problem {
            Problem::Shape => "expected RFC 3339, such as 2024-08-14T00:00:00Z, or a date alone",
            Problem::InternetDate => "expected RFC 2822, such as Mon, 31 Mar 2025 08:00:00 GMT",
            Problem::Calendar => "there is no such day or time of day",
            Problem::Range => "in UTC it is not in the years 0 to 9999",
        };
        write!(formatter, "`{}` is not a date and time: {problem}", self.text)
    }
}

impl Error for ParseDateTimeError {}

/// An error must not carry a whole page.
fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some(_) => text.chars().take(LONGEST).chain(['…']).collect::<String>(),
        None => text.to_owned(),
    }
}
