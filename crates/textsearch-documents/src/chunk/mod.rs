//! Cuts documents into chunks.

mod anchor;
mod blocks;
mod config;
mod cut;
mod front_matter;
mod markdown;
mod outline;
mod sentence;

use std::{borrow::Cow, ops::Range};

use textsearch_core::Result;

pub use self::config::ChunkerConfig;
pub(crate) use self::outline::Heading;
use self::{blocks::Blocks, outline::Section};
use crate::{Document, DocumentFormat, html};

/// Cuts documents into chunks: at headings, then at blocks, sentences and lines, then words.
///
/// - No chunk is above [`max_characters`](ChunkerConfig::max_characters), overlap included. Longer
///   words are cut.
/// - A chunk belongs to one section, and the first chunk begins with its heading. Overlap stays in
///   the section.
/// - The chunks hold all text that isn't blank, except YAML front matter and headings with nothing
///   below them.
/// - Time is linear in the length of any text.
///
/// ```
/// use textsearch_documents::{Chunker, ChunkerConfig, Document};
///
/// let chunker = Chunker::new(ChunkerConfig::default())?;
/// let document = Document::markdown("guide", "# Guide\n\n## Install\n\nRun one command.\n");
/// let chunked = chunker.chunk(&document)?;
/// assert_eq!(chunked.name.as_deref(), Some("Guide"));
/// assert_eq!(chunked.chunks[0].heading_path, ["Guide", "Install"]);
/// assert_eq!(chunked.chunks[0].anchor.as_deref(), Some("install"));
/// # Ok::<(), textsearch_core::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Chunker {
    config: ChunkerConfig,
}

/// A document in chunks.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ChunkedDocument<'document> {
    /// The title: the document's `name`, or else the title in its front matter or `<title>`, or
    /// else its first heading of the highest level.
    pub name: Option<String>,
    /// The text that ranges refer to: the document's text, or the text extracted from HTML.
    pub text: Cow<'document, str>,
    /// The chunks, in the order of the text.
    pub chunks: Vec<Chunk>,
}

/// A part of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Chunk {
    /// The document's id.
    pub document_id: String,
    /// The index among the chunks of the document, from 0.
    pub index: usize,
    /// The headings above the text, from the highest to its own: `["Guide", "Install"]`.
    pub heading_path: Vec<String>,
    /// The fragment of the section's link, as on GitHub. Markdown only.
    pub anchor: Option<String>,
    /// The range in [`ChunkedDocument::text`], in characters (Unicode scalar values).
    pub range: Range<usize>,
    /// The text.
    pub text: String,
}

/// Positions are bytes of the text.
struct Outline<'document> {
    text: Cow<'document, str>,
    title: Option<String>,
    /// Start of the text, after front matter.
    start: usize,
    headings: Vec<Heading>,
    blocks: Blocks,
}

impl Chunker {
    /// Creates a chunker.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions) if the size is below
    /// 16 characters or the overlap is above half of the size.
    pub fn new(config: ChunkerConfig) -> Result<Self> {
        config.validate()?;
        Ok(Self { config })
    }

    /// Returns the sizes of the chunks.
    pub fn config(&self) -> &ChunkerConfig {
        &self.config
    }

    /// Cuts a document. Without text it has no chunks.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidRecord`](textsearch_core::ErrorKind::InvalidRecord) with the document's id
    /// if its HTML is too large, too complex or too deeply nested: see
    /// [`MAX_HTML_BYTES`](crate::MAX_HTML_BYTES) and [`MAX_HTML_DEPTH`](crate::MAX_HTML_DEPTH).
    pub fn chunk<'document>(
        &self,
        document: &'document Document,
    ) -> Result<ChunkedDocument<'document>> {
        let outline = Outline::read(document)?;
        let chunks = self.cut(&document.id, &outline);
        let name = document.name.clone().or_else(|| outline.name());
        Ok(ChunkedDocument { name, text: outline.text, chunks })
    }

    fn cut(&self, document_id: &str, outline: &Outline<'_>) -> Vec<Chunk> {
        let text = outline.text.as_ref();
        let mut count = CharacterCount { text, bytes: 0, characters: 0 };
        let mut chunks = Vec::new();
        for section in outline.sections() {
            for bytes in cut::cut(text, section.range.clone(), &outline.blocks, &self.config) {
                let start = count.up_to(bytes.start);
                let text = text.get(bytes).unwrap_or_default();
                chunks.push(Chunk {
                    document_id: document_id.to_owned(),
                    index: chunks.len(),
                    heading_path: section.path.clone(),
                    anchor: section.anchor.clone(),
                    range: start..start + text.chars().count(),
                    text: text.to_owned(),
                });
            }
        }
        chunks
    }
}

impl<'document> Outline<'document> {
    fn read(document: &'document Document) -> Result<Self> {
        match document.format {
            DocumentFormat::Markdown => Ok(Self::of_markdown(&document.text)),
            DocumentFormat::PlainText => Ok(Self::of_plain_text(&document.text)),
            DocumentFormat::Html => Self::of_html(document),
        }
    }

    fn of_markdown(text: &'document str) -> Self {
        let front = front_matter::read(text);
        let (headings, blocks) = markdown::read(text, front.end);
        let text = Cow::Borrowed(text);
        Self { text, title: front.title, start: front.end, headings, blocks }
    }

    fn of_plain_text(text: &'document str) -> Self {
        let blocks = Blocks::of_plain_text(text);
        Self { text: Cow::Borrowed(text), title: None, start: 0, headings: Vec::new(), blocks }
    }

    fn of_html(document: &Document) -> Result<Self> {
        let page = html::extract(&document.id, &document.text)?;
        let blocks = Blocks::of_plain_text(&page.text);
        let text = Cow::Owned(page.text);
        Ok(Self { text, title: page.title, start: 0, headings: page.headings, blocks })
    }

    fn name(&self) -> Option<String> {
        let highest = self.headings.iter().min_by_key(|heading| heading.level);
        let heading = highest.map(|heading| heading.text.clone());
        self.title.clone().or(heading).filter(|name| !name.is_empty())
    }

    fn sections(&self) -> Vec<Section> {
        let sections = outline::sections(&self.text, self.start, &self.headings);
        if sections.is_empty() {
            // The headings of a document without other text are its text.
            let range = self.start..self.text.len();
            return vec![Section { range, path: Vec::new(), anchor: None }];
        }
        sections
    }
}

/// Converts byte positions to character positions.
struct CharacterCount<'text> {
    text: &'text str,
    bytes: usize,
    characters: usize,
}

impl CharacterCount<'_> {
    fn up_to(&mut self, bytes: usize) -> usize {
        // Chunk starts never decrease.
        let passed = self.text.get(self.bytes..bytes).unwrap_or_default();
        self.characters += passed.chars().count();
        self.bytes = bytes;
        self.characters
    }
}
