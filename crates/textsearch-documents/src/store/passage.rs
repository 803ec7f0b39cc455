//! Puts the texts of chunks together.

use std::ops::Range;

use serde_json::{Map, Value};

use super::schema::fields;

/// The text in place of chunks that aren't shown.
pub(super) const GAP: &str = "\n\n…\n\n";

/// A stored chunk.
#[derive(Debug)]
pub(crate) struct ChunkText {
    pub(crate) index: usize,
    /// The number of chunks of its document.
    pub(crate) count: usize,
    pub(crate) headings: Option<String>,
    pub(crate) text: String,
    /// The range in the document's text, in characters.
    range: Range<usize>,
    /// Where the text at `range` is in `text`, in bytes.
    own: Range<usize>,
}

impl ChunkText {
    /// Returns `None` if a record isn't of a chunk with a text.
    pub(crate) fn from_fields(data: &Map<String, Value>) -> Option<Self> {
        let text = data.get(fields::TEXT)?.as_str()?.to_owned();
        let number = |field| data.get(field).and_then(Value::as_u64);
        let number = |field| number(field).and_then(|number| usize::try_from(number).ok());
        let range = number(fields::START)?..number(fields::END)?;
        let opening = bytes_of(&text, number(fields::CHUNK_OPENING).unwrap_or(0));
        let length = bytes_of(text.get(opening..)?, range.end.saturating_sub(range.start));
        Some(Self {
            index: number(fields::CHUNK)?,
            count: number(fields::CHUNKS)?,
            headings: data.get(fields::HEADINGS).and_then(Value::as_str).map(str::to_owned),
            own: opening..opening + length,
            text,
            range,
        })
    }

    /// The characters of the document that the chunk has.
    pub(crate) fn characters(&self) -> usize {
        self.range.end.saturating_sub(self.range.start)
    }

    /// The text without repeated fences and headers.
    pub(crate) fn own_text(&self) -> &str {
        self.text.get(self.own.clone()).unwrap_or_default()
    }

    /// Returns what separates the chunk from the one before, and the text that the one before doesn't
    /// have. White space between chunks isn't stored, unless they overlap.
    pub(crate) fn after(&self, before: Option<&Self>) -> (String, &str) {
        let own = self.own_text();
        let Some(before) = before else { return (String::new(), own) };
        if self.index != before.index + 1 {
            return (GAP.to_owned(), own);
        }
        match (before.range.end, self.range.start) {
            (end, start) if start <= end => (String::new(), without_first(own, end - start)),
            // A line of code, with its indentation.
            (end, start) if self.own.start > 0 => {
                (format!("\n{}", " ".repeat((start - end - 1).min(self.text.len()))), own)
            }
            (end, start) if start == end + 1 => ("\n".to_owned(), own),
            _ => ("\n\n".to_owned(), own),
        }
    }
}

/// Returns the text of chunks of one document, in its order. A code block or table that begins before the
/// first chunk, or ends after the last, has its fence or header.
pub(crate) fn passage<'chunk>(chunks: impl IntoIterator<Item = &'chunk ChunkText>) -> String {
    let mut text = String::new();
    let mut last: Option<&ChunkText> = None;
    for chunk in chunks {
        if last.is_none() {
            text.push_str(chunk.text.get(..chunk.own.start).unwrap_or_default());
        }
        let (separator, rest) = chunk.after(last);
        text.push_str(&separator);
        text.push_str(rest);
        last = Some(chunk);
    }
    if let Some(last) = last {
        text.push_str(last.text.get(last.own.end..).unwrap_or_default());
    }
    text
}

fn without_first(text: &str, characters: usize) -> &str {
    text.get(bytes_of(text, characters)..).unwrap_or_default()
}

/// Returns the bytes of the first characters.
fn bytes_of(text: &str, characters: usize) -> usize {
    text.char_indices().nth(characters).map_or(text.len(), |(place, _)| place)
}
