//! Cuts documents into chunks.

mod anchor;
mod blocks;
mod config;
mod cut;
mod front_matter;
mod markdown;
mod outline;
mod sentence;
mod tokens;

use std::{borrow::Cow, fmt, ops::Range, sync::Arc};

use textsearch_core::{Error, ErrorKind, Result, vector::EmbeddingGenerator};

pub use self::config::ChunkerConfig;
use self::{
    blocks::Blocks,
    outline::Section,
    tokens::{TokenCounter, TokenRoom},
};
pub(crate) use self::{
    blocks::Frame,
    front_matter::take_facts,
    outline::{Heading, SEPARATOR, full_name},
};
use crate::{CONNECTOR, Document, DocumentFormat, Locator, html};

/// Of a document. Each chunk repeats the document's metadata and headings.
const MAX_CHUNKS: usize = 100_000;

/// Cuts documents into chunks: at headings, then at blocks, sentences and lines, then words.
///
/// - No chunk is above [`max_characters`](ChunkerConfig::max_characters), overlap included. Longer
///   words are cut.
/// - With [an embedding model](Self::with_embedding_generator) that counts tokens, the model embeds
///   each chunk whole.
/// - Fenced code and tables stay whole if a chunk can hold them, and so do their lines. Each part of
///   a longer one repeats the fences, or the header of the table.
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
#[derive(Clone, Default)]
pub struct Chunker {
    config: ChunkerConfig,
    generator: Option<Arc<dyn EmbeddingGenerator>>,
}

/// A document in chunks.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ChunkedDocument<'document> {
    /// The title: the document's `name`, or else the title in its front matter or `<title>`, or
    /// else its first heading of the highest level. Code and tables take no title from headings.
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
    /// The fragment of a link to it: the place in the file, such as `page=3` or `L10-L42`, or for a
    /// heading of Markdown as on GitHub.
    pub anchor: Option<String>,
    /// The range in [`ChunkedDocument::text`], in characters (Unicode scalar values).
    pub range: Range<usize>,
    /// The text, with the repeated fences or header around the text at `range`.
    pub text: String,
    /// Where the text at `range` is in `text`, in bytes.
    own: Range<usize>,
}

impl Chunk {
    /// Returns the text at [`range`](Self::range), without repeated fences and headers.
    pub fn own_text(&self) -> &str {
        self.text.get(self.own.clone()).unwrap_or_default()
    }

    /// Returns the number of characters before the text at [`range`](Self::range).
    pub(crate) fn opening_characters(&self) -> usize {
        self.text.get(..self.own.start).unwrap_or_default().chars().count()
    }
}

/// Positions are bytes of the text.
struct Outline<'document> {
    text: Cow<'document, str>,
    title: Option<String>,
    /// Start of the text, after front matter.
    start: usize,
    headings: Vec<Heading>,
    blocks: Blocks,
    places: Vec<Place<'document>>,
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
        Ok(Self { config, generator: None })
    }

    /// Sets the model whose [`max_document_tokens`](EmbeddingGenerator::max_document_tokens) limit the
    /// size, too. Title, headings and text count. Default: characters alone.
    #[must_use]
    pub fn with_embedding_generator(
        mut self,
        generator: impl EmbeddingGenerator + 'static,
    ) -> Self {
        self.generator = Some(Arc::new(generator));
        self
    }

    /// Returns the sizes of the chunks.
    pub fn config(&self) -> &ChunkerConfig {
        &self.config
    }

    /// Cuts a document. Without text it has no chunks.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions) if
    /// [`max_tokens`](ChunkerConfig::max_tokens) is set without a model that counts tokens, and
    /// [`InvalidRecord`](textsearch_core::ErrorKind::InvalidRecord) with the document's id if it makes more than 100,000 chunks; if its HTML is too large, too complex or too deeply nested: see
    /// [`MAX_HTML_BYTES`](crate::MAX_HTML_BYTES) and [`MAX_HTML_DEPTH`](crate::MAX_HTML_DEPTH); or if
    /// its sections aren't in the order of its text.
    pub fn chunk<'document>(
        &self,
        document: &'document Document,
    ) -> Result<ChunkedDocument<'document>> {
        let outline = Outline::read(document)?;
        let is_titled = document.format != DocumentFormat::Lines;
        let own_name = || outline.name().filter(|_| is_titled);
        let name = document.name.clone().or_else(own_name);
        let name = name.map(|name| outline::short(&name));
        let chunks = self.cut(&document.id, name.as_deref(), &outline)?;
        Ok(ChunkedDocument { name, text: outline.text, chunks })
    }

    /// Returns the limit in tokens, with title and headings.
    pub(crate) fn max_tokens(&self) -> Result<Option<usize>> {
        let generator = self.generator.as_ref();
        let of_model = generator.and_then(|generator| generator.max_document_tokens());
        let counts = generator.is_some_and(|generator| generator.count_tokens("").is_some());
        match (self.config.max_tokens, of_model) {
            (Some(max), _) if !counts => {
                let allowed = "none without an embedding model that counts tokens";
                Err(Error::invalid_options(CONNECTOR, "max_tokens", max, allowed))
            }
            (Some(max), of_model) => Ok(Some(of_model.map_or(max, |of_model| of_model.min(max)))),
            (None, of_model) => Ok(of_model.filter(|_| counts)),
        }
    }

    fn cut(
        &self,
        document_id: &str,
        title: Option<&str>,
        outline: &Outline<'_>,
    ) -> Result<Vec<Chunk>> {
        let text = outline.text.as_ref();
        let max_tokens = self.max_tokens()?;
        let generator = self.generator.as_deref();
        let counter = generator.filter(|_| max_tokens.is_some()).map(TokenCounter::new);
        let mut count = Count { text, bytes: 0, characters: 0, lines: 0 };
        let mut chunks = Vec::new();
        for part in outline.parts() {
            let room = counter.as_ref().zip(max_tokens).map(|(counter, max)| {
                let name = full_name(title.unwrap_or(document_id), &part.path);
                self.token_room(counter, max, &name)
            });
            let pieces = cut::cut(text, part.range.clone(), &outline.blocks, &self.config, room);
            if chunks.len() + pieces.len() > MAX_CHUNKS {
                let message = format!(
                    "`{document_id}` makes more than {MAX_CHUNKS} chunks; divide it, or set a larger size"
                );
                return Err(refused(document_id, message));
            }
            for piece in pieces {
                count.move_to(piece.range.start);
                let own_text = text.get(piece.range).unwrap_or_default();
                let opening = line_before(piece.opening);
                let own = opening.len()..opening.len() + own_text.len();
                chunks.push(Chunk {
                    document_id: document_id.to_owned(),
                    index: chunks.len(),
                    heading_path: part.path.clone(),
                    anchor: part.fragment(count.lines, own_text),
                    range: count.characters..count.characters + own_text.chars().count(),
                    text: opening + own_text + &line_after(piece.closing),
                    own,
                });
            }
        }
        Ok(chunks)
    }

    /// A model embeds the name before the text.
    fn token_room<'counter, 'text>(
        &self,
        counter: &'counter TokenCounter<'text>,
        max: usize,
        name: &str,
    ) -> TokenRoom<'counter, 'text> {
        let max = max - counter.count_name(name).min(max / 2);
        let ChunkerConfig { max_characters, overlap_characters, .. } = self.config;
        TokenRoom { counter, max, overlap: max * overlap_characters / max_characters }
    }
}

impl fmt::Debug for Chunker {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let model = self.generator.as_ref().map(|generator| generator.model_id());
        formatter
            .debug_struct("Chunker")
            .field("config", &self.config)
            .field("model", &model)
            .finish()
    }
}

impl<'document> Outline<'document> {
    fn read(document: &'document Document) -> Result<Self> {
        let mut outline = match document.format {
            DocumentFormat::Markdown => Self::of_markdown(&document.text),
            DocumentFormat::PlainText => Self::of_text(&document.text, Blocks::of_plain_text),
            DocumentFormat::Lines => Self::of_text(&document.text, Blocks::of_lines),
            DocumentFormat::Html => Self::of_html(document)?,
        };
        if !document.sections.is_empty() {
            outline.add(document)?;
        }
        Ok(outline)
    }

    fn of_markdown(text: &'document str) -> Self {
        let front = front_matter::read(text);
        let (headings, blocks) = markdown::read(text, front.end);
        let text = Cow::Borrowed(text);
        let places = Vec::new();
        Self { text, title: front.title, start: front.end, headings, blocks, places }
    }

    fn of_text(text: &'document str, blocks: fn(&str) -> Blocks) -> Self {
        let blocks = blocks(text);
        let text = Cow::Borrowed(text);
        Self { text, title: None, start: 0, headings: Vec::new(), blocks, places: Vec::new() }
    }

    fn of_html(document: &Document) -> Result<Self> {
        let page = html::extract(&document.id, &document.text)?;
        let mut blocks = Blocks::of_plain_text(&page.text);
        page.tables.into_iter().for_each(|table| blocks.push_frame(table));
        let text = Cow::Owned(page.text);
        let places = Vec::new();
        Ok(Self { text, title: page.title, start: 0, headings: page.headings, blocks, places })
    }

    /// Adds the headings and places that the document names itself.
    fn add(&mut self, document: &'document Document) -> Result<()> {
        let mut count = Count { text: &document.text, bytes: 0, characters: 0, lines: 0 };
        for section in &document.sections {
            let start = section.start;
            let is_placed = start >= count.bytes && document.text.is_char_boundary(start);
            if !is_placed || document.format == DocumentFormat::Html {
                let message = format!(
                    "`{}` has a section at byte {start}; expected sections in the order of a text that is not HTML",
                    document.id
                );
                return Err(refused(&document.id, message));
            }
            count.move_to(start);
            if let Some(heading) = &section.heading {
                let rest = document.text.get(start..).unwrap_or_default();
                let line = rest.find('\n').unwrap_or(rest.len());
                // Code and rows are text below their heading.
                let is_text = document.format == DocumentFormat::Lines;
                let end = start + if is_text { 0 } else { line };
                let level = heading.level;
                let text = heading.text.clone();
                self.headings.push(Heading { range: start..end, level, text, anchor: None });
            }
            if let Some(locator) = &section.locator {
                self.places.push(Place { start, line: count.lines, locator });
            }
        }
        self.headings.sort_by_key(|heading| heading.range.start);
        if document.format == DocumentFormat::Lines {
            self.add_tables();
        }
        Ok(())
    }

    /// A table ends at an empty row or the next place.
    fn add_tables(&mut self) {
        let next_starts = self.places.iter().skip(1).map(|place| place.start);
        let ends = next_starts.chain([self.text.len()]);
        for (place, end) in self.places.iter().zip(ends) {
            let Locator::Rows { header: true, .. } = place.locator else { continue };
            let rows = self.text.get(place.start..end).unwrap_or_default();
            let table = rows.split_once("\n\n").map_or(rows, |(table, _)| table).trim_end();
            let Some(header) = table.find('\n') else { continue };
            let end = place.start + table.len();
            let body = place.start + header + 1..end;
            self.blocks.push_frame(Frame { range: place.start..end, body });
        }
    }

    fn name(&self) -> Option<String> {
        let highest = self.headings.iter().min_by_key(|heading| heading.level);
        let heading = highest.map(|heading| heading.text.clone());
        self.title.clone().or(heading).filter(|name| !name.is_empty())
    }

    /// Divides the sections of the headings at the places of the file.
    fn parts(&self) -> Vec<Part<'_>> {
        let mut parts = Vec::new();
        for section in self.sections() {
            let Section { range, path, anchor } = section;
            let mut next = self.places.partition_point(|place| place.start <= range.start);
            let mut start = range.start;
            while start < range.end {
                let place = next.checked_sub(1).and_then(|last| self.places.get(last));
                let end = self.places.get(next).map_or(range.end, |next| next.start.min(range.end));
                let path = path.clone();
                let anchor = anchor.clone();
                parts.push(Part { range: start..end, path, anchor, place });
                start = end;
                next += 1;
            }
        }
        parts
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

fn refused(document_id: &str, message: String) -> Error {
    Error::new(ErrorKind::invalid_record(document_id), CONNECTOR, message)
}

fn line_before(line: &str) -> String {
    if line.is_empty() { String::new() } else { format!("{line}\n") }
}

fn line_after(line: &str) -> String {
    if line.is_empty() { String::new() } else { format!("\n{line}") }
}

/// Where a place of the file begins in the text.
struct Place<'document> {
    start: usize,
    line: usize,
    locator: &'document Locator,
}

/// A part of a section at one place of the file.
struct Part<'outline> {
    range: Range<usize>,
    path: Vec<String>,
    anchor: Option<String>,
    place: Option<&'outline Place<'outline>>,
}

impl Part<'_> {
    /// Returns the fragment of a link to `text`, which begins in the line `line` of the document.
    fn fragment(&self, line: usize, text: &str) -> Option<String> {
        let Some(place) = self.place else { return self.anchor.clone() };
        let from = line - place.line;
        Some(place.locator.fragment(from, from + text.matches('\n').count()))
    }
}

/// Converts byte positions, which never decrease, to characters and lines.
struct Count<'text> {
    text: &'text str,
    bytes: usize,
    characters: usize,
    lines: usize,
}

impl Count<'_> {
    fn move_to(&mut self, bytes: usize) {
        let passed = self.text.get(self.bytes..bytes).unwrap_or_default();
        self.characters += passed.chars().count();
        self.lines += passed.matches('\n').count();
        self.bytes = bytes;
    }
}
