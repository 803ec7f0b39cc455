//! Checks the citations of an answer against its sources.

mod reader;

mod footnote;
mod html;
mod link;
mod model;
mod number;
mod urls;

use std::ops::Range;

use textsearch_core::chat::ChatMessage;

use super::Sources;

/// A citation in an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Citation {
    /// How it is written.
    pub kind: CitationKind,
    /// The target as written: a link, a number or the label of a footnote; of a citation by the
    /// provider, the link or identifier of the source.
    pub target: String,
    /// The byte range of the citation in the answer; of a citation by the provider, of the passage
    /// that it supports.
    pub range: Range<usize>,
    /// The number of the cited source; `None` if no source matches.
    pub source: Option<usize>,
}

/// How a citation is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CitationKind {
    /// `[text](link)`, or `[text][label]` with the link elsewhere.
    Link,
    /// `![text](link)`: showing the answer also requests the image from the link's host.
    Image,
    /// A bare link, with or without angle brackets or a scheme (`www.`).
    Url,
    /// HTML other than tags that only format and have no attributes, such as a link, an image, a
    /// script or a comment. Never supported. The target is its first 100 characters.
    Html,
    /// `[^label]`.
    Footnote,
    /// `[1]`, and each number of `[1, 2]` and `[1-3]`; also `【1】` and `【1†source】`, which some
    /// models write.
    Number,
    /// A citation in [`ChatMessage::citations`], which the provider returns apart from the text.
    Model,
}

impl CitationKind {
    /// Returns the name for logs and JSON, such as `footnote`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::Image => "image",
            Self::Url => "url",
            Self::Html => "html",
            Self::Footnote => "footnote",
            Self::Number => "number",
            Self::Model => "model",
        }
    }
}

impl Citation {
    /// Returns whether the citation refers to a known source.
    ///
    /// Does not check whether the source says what the answer claims.
    pub fn is_supported(&self) -> bool {
        self.source.is_some()
    }
}

/// Returns every citation in `answer`, in order, with its source, if any.
///
/// Reads the answer once, as [CommonMark](https://spec.commonmark.org) with footnotes and tables.
/// It doesn't find what only other dialects or other programs see: formulas, diagrams in code, or a
/// bare link that continues in emphasis.
///
/// # Behavior
///
/// - Links compare without the case of scheme and host, `http` versus `https`, and a trailing
///   slash. Everything else counts. Other targets, such as a file path, compare without a leading
///   `./` and a trailing slash.
/// - A link with a fragment (`#…`) refers to the source of exactly that part, else to the page,
///   else to the first source that is a part of it. A link without one refers to the page, else to
///   that first part.
/// - An empty link, or one whose scheme is `javascript`, `vbscript` or `data`, is never supported.
///   Nor is a URL with white space that isn't ASCII, such as a no-break space.
/// - HTML is [`Html`](CitationKind::Html), which is never supported, unless its tags only format
///   and have no attributes.
/// - A footnote refers to the first citation in its definition, if all citations there are
///   supported. Without citations, it refers to the source whose name or link is its whole text.
///   Of several definitions of a label, the first counts. A footnote without a definition refers
///   to the source of its number.
/// - A number refers to the source with that number, and so does each number of a range. A range
///   that ends above the last source is also reported as a whole, unsupported; one that covers more
///   than 20 sources is reported only so. In `【…】`, text after a `†` is ignored; text before it
///   that isn't a number is unsupported.
/// - Code does not count. Email addresses and links within the answer (`#…`) do not count either.
///
/// ```
/// use textsearch_kernel::{citations::{Sources, check_citations}, textsearch_core::TextSearchResult};
///
/// let results = [TextSearchResult::new("…").with_link("https://example.com/kernel")];
/// let sources: Sources = results.iter().collect();
/// let answer = "It is an SDK [1], as [the guide](https://Example.com/kernel/#start) says. See https://evil.example.";
/// let citations = check_citations(answer, &sources);
/// let supported: Vec<_> = citations.iter().map(|one| (one.target.as_str(), one.source)).collect();
/// assert_eq!(supported, [
///     ("1", Some(1)),
///     ("https://Example.com/kernel/#start", Some(1)),
///     ("https://evil.example", None),
/// ]);
/// ```
pub fn check_citations(answer: &str, sources: &Sources) -> Vec<Citation> {
    reader::read(answer, sources)
}

/// Returns the citations of a model's message, in order: those written in its text, as
/// [`check_citations`] returns them, and those in [`ChatMessage::citations`].
///
/// A citation by the provider is supported if its source is the link, the identifier or the number
/// (`[1]`) of a source, and that source's text contains its quote, if any. If several sources have this
/// name, the first with the quote counts. White space is ignored. A range outside the text becomes the end
/// of the text.
///
/// ```
/// use textsearch_kernel::{
///     citations::{Sources, check_message},
///     textsearch_core::{TextSearchResult, chat::{ChatMessage, ModelCitation}},
/// };
///
/// let result = TextSearchResult::new("The moon causes tides.").with_link("https://example.com/tides");
/// let sources: Sources = [&result].into_iter().collect();
/// let mut message = ChatMessage::assistant("It is the moon. See [1].");
/// let citation = ModelCitation::new(0..15, "https://example.com/tides");
/// message.citations.push(citation.with_quote("The moon causes tides."));
/// let citations = check_message(&message, &sources);
/// let kinds: Vec<_> = citations.iter().map(|citation| (citation.kind.name(), citation.source)).collect();
/// assert_eq!(kinds, [("model", Some(1)), ("number", Some(1))]);
/// ```
pub fn check_message(message: &ChatMessage, sources: &Sources) -> Vec<Citation> {
    let text = message.text();
    let mut citations = model::read(&message.citations, &text, sources);
    citations.extend(check_citations(&text, sources));
    citations.sort_by_key(|citation| citation.range.start);
    citations
}
