//! Citations that a model makes itself.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// A passage of an answer that the provider attributes to a source, in a field of its own.
///
/// It is a claim of the provider: check it against the sources that were sent.
///
/// ```
/// use textsearch_core::chat::{ChatMessage, ModelCitation};
///
/// let mut answer = ChatMessage::assistant("Tides follow the moon. So they say.");
/// let citation = ModelCitation::new(0..22, "https://example.com/tides")
///     .with_quote("The moon causes tides.");
/// answer.citations.push(citation);
/// assert_eq!(&answer.text()[answer.citations[0].range.clone()], "Tides follow the moon.");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelCitation {
    /// The byte range of the passage in [`ChatMessage::text`](super::ChatMessage::text). It is the
    /// statement that the source supports, or the link that the provider wrote after it, as
    /// OpenAI's web search does; empty if the provider gives only a position. Read it with
    /// `text.get(range)`: a stored message may hold any numbers.
    pub range: Range<usize>,
    /// The link or identifier of the source, as the provider returns it.
    pub source: String,
    /// The title of the source, as the provider returns it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The text of the source that supports the passage, as the provider returns it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
}

impl ModelCitation {
    /// Creates a citation of `source` for the bytes `range` of the answer's text.
    pub fn new(range: Range<usize>, source: impl Into<String>) -> Self {
        Self { range, source: source.into(), title: None, quote: None }
    }

    /// Sets the title of the source.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets the text of the source that supports the passage.
    #[must_use]
    pub fn with_quote(mut self, quote: impl Into<String>) -> Self {
        self.quote = Some(quote.into());
        self
    }
}
