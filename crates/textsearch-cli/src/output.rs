//! Standard output, which carries results only.

use std::{
    borrow::Cow,
    io::{self, BufWriter, ErrorKind, IsTerminal as _, Stdout, Write},
};

use anyhow::Result;
use serde::Serialize;

use crate::errors::OutputClosed;

/// Standard output. Output may be incomplete before [`finish`](Self::finish).
pub(crate) struct Output {
    writer: BufWriter<Stdout>,
    is_terminal: bool,
}

impl Output {
    pub(crate) fn new() -> Self {
        let writer = BufWriter::new(io::stdout());
        Self { writer, is_terminal: io::stdout().is_terminal() }
    }

    /// Writes `text`. On a terminal, removes its control characters.
    pub(crate) fn text(&mut self, text: &str) -> Result<()> {
        checked(self.writer.write_all(shown(text, self.is_terminal).as_bytes()))
    }

    /// Writes `text`, and ends the line if `text` doesn't.
    pub(crate) fn line(&mut self, text: &str) -> Result<()> {
        self.text(text)?;
        if text.ends_with('\n') { Ok(()) } else { self.text("\n") }
    }

    /// Writes `value` as indented JSON, and ends the line.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<()> {
        self.line(&escaped(&serde_json::to_string_pretty(value)?))
    }

    /// Flushes the buffer.
    pub(crate) fn flush(&mut self) -> Result<()> {
        checked(self.writer.flush())
    }

    /// Flushes the buffer and closes the output.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.flush()
    }
}

/// Returns the number with the noun in the singular or plural.
pub(crate) fn counted(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

fn checked(written: io::Result<()>) -> Result<()> {
    written.map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => OutputClosed.into(),
        _ => anyhow::Error::new(error).context("the output cannot be written"),
    })
}

fn shown(text: &str, is_terminal: bool) -> Cow<'_, str> {
    if is_terminal { printable(text).into() } else { text.into() }
}

/// Returns `text` without characters that control a terminal: strangers write search results.
pub(crate) fn printable(text: &str) -> String {
    text.chars().filter(|&one| matches!(one, '\n' | '\t') || !steers(one)).collect()
}

/// Returns `text` as one line, without characters that control a terminal.
pub(crate) fn in_one_line(text: &str) -> String {
    printable(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns `text` with characters that control a terminal escaped as in code, so that names stay
/// distinct.
pub(crate) fn written_out(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut all, one| {
        if steers(one) {
            all.extend(one.escape_default());
        } else {
            all.push(one);
        }
        all
    })
}

/// Returns `json` with every character that controls a terminal escaped. JSON itself requires this
/// for only some of them.
pub(crate) fn escaped(json: &str) -> String {
    json.chars().fold(String::with_capacity(json.len()), |mut all, one| {
        if steers(one) && one != '\n' {
            all.push_str(&format!("\\u{:04x}", u32::from(one)));
        } else {
            all.push(one);
        }
        all
    })
}

/// Returns whether the character controls a terminal or changes the text direction.
fn steers(one: char) -> bool {
    one.is_control() || matches!(one, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns the start of `text` as one line of at most `length` characters, cut between words if
/// possible.
pub(crate) fn excerpt(text: &str, length: usize) -> String {
    let line = in_one_line(text);
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
        assert_eq!(printable("\u{9b}2Jgpj.\u{202e}exe\u{2066}"), "2Jgpj.exe");
        assert_eq!(in_one_line("docs/a\n2. b\u{1b}c"), "docs/a 2. bc");
    }

    #[test]
    fn what_is_written_for_other_programs_stays_as_it_is() {
        assert_eq!(shown("a\u{1b}[31m", false), "a\u{1b}[31m");
        assert_eq!(shown("a\u{1b}[31m", true), "a[31m");
    }

    #[test]
    fn json_says_the_same_without_steering_a_terminal() {
        let value = serde_json::json!({ "a": "x\u{1b}\u{7f}\u{9b}\u{202e}\ny" });
        let json = escaped(&serde_json::to_string_pretty(&value).unwrap());
        assert!(json.is_ascii() && json.lines().count() == 3, "{json}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&json).unwrap(), value);
    }

    #[test]
    fn names_in_messages_show_invisible_characters() {
        assert_eq!(written_out("a\u{1b}[2J\nb.md"), "a\\u{1b}[2J\\nb.md");
        assert_eq!(written_out("größe 日本.md"), "größe 日本.md");
    }
}
