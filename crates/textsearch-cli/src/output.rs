//! Standard output, which carries results only.

use std::{
    borrow::Cow,
    io::{self, BufWriter, ErrorKind, IsTerminal as _, Stdout, Write},
};

use anyhow::Result;
use serde::Serialize;
use textsearch_core::invisible::{escape_json, with_hidden};

use crate::errors::OutputClosed;

/// Buffered output: call [`finish`](Self::finish) at the end.
pub(crate) struct Output {
    writer: BufWriter<Stdout>,
    is_terminal: bool,
}

impl Output {
    pub(crate) fn new() -> Self {
        let writer = BufWriter::new(io::stdout());
        Self { writer, is_terminal: io::stdout().is_terminal() }
    }

    /// Writes `text`, on a terminal without control characters.
    pub(crate) fn text(&mut self, text: &str) -> Result<()> {
        checked(self.writer.write_all(shown(text, self.is_terminal).as_bytes()))
    }

    /// Writes `text` with its colours. Text of strangers in it must be [`printable`].
    pub(crate) fn styled(&mut self, text: &str) -> Result<()> {
        checked(self.writer.write_all(text.as_bytes()))
    }

    /// Ends the line if `text` doesn't.
    pub(crate) fn line(&mut self, text: &str) -> Result<()> {
        self.text(text)?;
        if text.ends_with('\n') { Ok(()) } else { self.text("\n") }
    }

    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<()> {
        self.line(&escape_json(&serde_json::to_string_pretty(value)?))
    }

    pub(crate) fn flush(&mut self) -> Result<()> {
        checked(self.writer.flush())
    }

    pub(crate) fn finish(mut self) -> Result<()> {
        self.flush()
    }
}

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

/// Removes characters that control a terminal, because strangers write search results.
pub(crate) fn printable(text: &str) -> String {
    text.chars().filter(|&c| matches!(c, '\n' | '\t') || !steers(c)).collect()
}

pub(crate) fn in_one_line(text: &str) -> String {
    printable(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Escapes characters that control a terminal or are invisible, so that names stay distinct.
pub(crate) fn written_out(text: &str) -> String {
    with_hidden(text).fold(String::with_capacity(text.len()), |mut all, (c, is_hidden)| {
        if is_hidden {
            all.extend(c.escape_default());
        } else {
            all.push(c);
        }
        all
    })
}

/// Returns whether the character controls a terminal, or the direction of text.
fn steers(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns at most `length` characters of `text` as one line. A cut is between words if possible,
/// and marked with ` …`.
pub(crate) fn excerpt(text: &str, length: usize) -> String {
    let line = in_one_line(text);
    let Some((end, _)) = line.char_indices().nth(length) else { return line };
    let (cut, _) = line.split_at(end);
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
    fn control_characters_are_removed() {
        assert_eq!(printable("a\u{1b}[31mb\u{7}\n\tc"), "a[31mb\n\tc");
        assert_eq!(printable("\u{9b}2Jgpj.\u{202e}exe\u{2066}"), "2Jgpj.exe");
        assert_eq!(printable("👩\u{200d}🚀"), "👩\u{200d}🚀");
        assert_eq!(in_one_line("docs/a\n2. b\u{1b}c"), "docs/a 2. bc");
    }

    #[test]
    fn control_characters_stay_in_pipes() {
        assert_eq!(shown("a\u{1b}[31m", false), "a\u{1b}[31m");
        assert_eq!(shown("a\u{1b}[31m", true), "a[31m");
    }

    #[test]
    fn names_in_messages_show_invisible_characters() {
        assert_eq!(written_out("a\u{1b}[2J\nb.md"), "a\\u{1b}[2J\\nb.md");
        assert_eq!(written_out("a\u{202e}b\u{e0041}.md"), "a\\u{202e}b\\u{e0041}.md");
        assert_eq!(written_out("größe 日本.md"), "größe 日本.md");
        assert_eq!(written_out("❤\u{fe0f}\u{fe0f}.md"), "❤\u{fe0f}\\u{fe0f}.md");
    }
}
