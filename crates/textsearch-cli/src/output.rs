//! Standard output, which carries results and nothing else.

use std::io::{self, BufWriter, ErrorKind, Stdout, Write};

use anyhow::Result;
use serde::Serialize;

use crate::errors::OutputClosed;

/// Standard output. Nothing is complete before [`finish`](Self::finish).
pub(crate) struct Output {
    writer: BufWriter<Stdout>,
}

impl Output {
    pub(crate) fn new() -> Self {
        Self { writer: BufWriter::new(io::stdout()) }
    }

    /// Writes `text` as it is.
    pub(crate) fn text(&mut self, text: &str) -> Result<()> {
        checked(self.writer.write_all(text.as_bytes()))
    }

    /// Writes `text`, and ends the line if it does not.
    pub(crate) fn line(&mut self, text: &str) -> Result<()> {
        self.text(text)?;
        if text.ends_with('\n') { Ok(()) } else { self.text("\n") }
    }

    /// Writes `value` as JSON, indented, and ends the line.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<()> {
        self.line(&serde_json::to_string_pretty(value)?)
    }

    /// Hands over what is still held back.
    pub(crate) fn finish(mut self) -> Result<()> {
        checked(self.writer.flush())
    }
}

fn checked(written: io::Result<()>) -> Result<()> {
    written.map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => OutputClosed.into(),
        _ => anyhow::Error::new(error).context("the output cannot be written"),
    })
}

/// `text` without the characters that steer a terminal: what was found is written by others.
pub(crate) fn printable(text: &str) -> String {
    text.chars().filter(|&one| matches!(one, '\n' | '\t') || !one.is_control()).collect()
}

/// The beginning of `text` in one line of at most `length` characters, cut between words where that is possible.
pub(crate) fn excerpt(text: &str, length: usize) -> String {
    let line = printable(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let Some((end, _)) = line.char_indices().nth(length) else { return line };
    let cut = line.get(..end).unwrap_or(&line);
    let words = cut.rsplit_once(' ').map_or(cut, |(words, _)| words);
    format!("{words} …")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_one_line_and_ends_at_a_word() {
        assert_eq!(excerpt("one  two\n\nthree", 40), "one two three");
        assert_eq!(excerpt("one two three", 9), "one two …");
        assert_eq!(excerpt("äöüäöü", 3), "äöü …");
    }

    #[test]
    fn what_steers_a_terminal_is_left_out() {
        assert_eq!(printable("a\u{1b}[31mb\u{7}\n\tc"), "a[31mb\n\tc");
    }
}
