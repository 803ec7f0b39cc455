//! Documents to chunk and store.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Facts, Locator, ReadError, ReadLimits, Section, SectionHeading, read};

/// A text with the data needed to cite it.
///
/// ```
/// use textsearch_documents::Document;
///
/// let document = Document::markdown("guide", "# Install\n\nOne command is enough.")
///     .with_name("The guide")
///     .with_link("docs/guide.md")
///     .with_metadata("team", "search");
/// assert_eq!(document.metadata["team"], "search");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Document {
    /// The id: any text that isn't empty, such as a path.
    pub id: String,
    /// The title. Defaults to the document's own title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The link for citations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// The format of the text.
    pub format: DocumentFormat,
    /// The text, markup included.
    pub text: String,
    /// Where headings and places of the file begin, in the order of the text. Markdown
    /// also has its own headings. HTML takes no sections.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<Section>,
    /// Metadata to filter on, by the names declared to the store.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    /// Author, date and other facts. The store keeps the facts that its schema names.
    #[serde(default, skip_serializing_if = "Facts::is_empty")]
    pub facts: Facts,
}

/// The format of a document's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DocumentFormat {
    /// [CommonMark](https://spec.commonmark.org/), with tables and YAML front matter.
    Markdown,
    /// Text without markup.
    PlainText,
    /// Text that divides at lines, such as source code or a table.
    Lines,
    /// A page, or a part of one, in HTML.
    Html,
}

impl DocumentFormat {
    /// All formats.
    pub const ALL: &'static [Self] = &[Self::Markdown, Self::PlainText, Self::Lines, Self::Html];

    /// Returns the format of files with this extension, such as `md`; `None` for an unknown
    /// extension.
    ///
    /// ```
    /// use textsearch_documents::DocumentFormat;
    ///
    /// assert_eq!(DocumentFormat::from_extension("MD"), Some(DocumentFormat::Markdown));
    /// assert_eq!(DocumentFormat::from_extension("exe"), None);
    /// ```
    pub fn from_extension(extension: &str) -> Option<Self> {
        let extension = extension.to_ascii_lowercase();
        let mut formats = Self::ALL.iter().copied();
        formats.find(|format| format.extensions().contains(&extension.as_str()))
    }

    /// Returns the format of content with this media type, whatever its parameters; `None` for an
    /// unknown one.
    ///
    /// ```
    /// use textsearch_documents::DocumentFormat;
    ///
    /// let format = DocumentFormat::from_media_type("text/html; charset=utf-8");
    /// assert_eq!(format, Some(DocumentFormat::Html));
    /// assert_eq!(DocumentFormat::from_media_type("application/pdf"), None);
    /// ```
    pub fn from_media_type(media_type: &str) -> Option<Self> {
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        match essence.to_ascii_lowercase().as_str() {
            "text/markdown" => Some(Self::Markdown),
            "text/plain" => Some(Self::PlainText),
            "text/html" | "application/xhtml+xml" => Some(Self::Html),
            _ => None,
        }
    }

    /// Returns the extensions of files with this format, in lower case.
    pub const fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Markdown => &["md", "markdown", "mdown", "mdx", "mkd"],
            Self::PlainText => &["txt", "text", "rst", "adoc", "asciidoc", "org", "tex", "latex"],
            Self::Lines => &[],
            Self::Html => &["html", "htm", "xhtml"],
        }
    }
}

impl Document {
    /// Creates a document without name and link.
    pub fn new(id: impl Into<String>, format: DocumentFormat, text: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            name: None,
            link: None,
            format,
            text: text.into(),
            sections: Vec::new(),
            metadata: Map::new(),
            facts: Facts::default(),
        }
    }

    /// Creates a document from the content of the file `name`, which is recognised by its content,
    /// then by the extension of the name. Reading may take seconds, and isn't stopped by
    /// [`timeout`](ReadLimits::timeout).
    ///
    /// ```
    /// use textsearch_documents::{Document, DocumentFormat, ReadError, ReadLimits};
    ///
    /// let read = |bytes: &[u8]| {
    ///     Document::from_file("a", "a.md", bytes.to_vec(), &ReadLimits::default())
    /// };
    /// assert_eq!(read(b"# Title")?.format, DocumentFormat::Markdown);
    /// assert!(matches!(read(b"{\\rtf1 text}"), Err(ReadError::NoReader { .. })));
    /// # Ok::<(), ReadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns a [`ReadError`] if the content has no text or exceeds a limit, or if the file is an
    /// archive.
    pub fn from_file(
        id: impl Into<String>,
        name: &str,
        bytes: Vec<u8>,
        limits: &ReadLimits,
    ) -> Result<Self, ReadError> {
        let mut document = Self::plain_text(id, "");
        read::read(name, bytes, limits, &mut document)?;
        Ok(document)
    }

    /// Creates a Markdown document.
    pub fn markdown(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(id, DocumentFormat::Markdown, text)
    }

    /// Creates a plain-text document.
    pub fn plain_text(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(id, DocumentFormat::PlainText, text)
    }

    /// Creates an HTML document.
    pub fn html(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(id, DocumentFormat::Html, text)
    }

    /// Appends `text`, which begins at a place of the file.
    pub fn push_section(&mut self, locator: Locator, text: &str) {
        let start = self.text.len();
        self.sections.push(Section { start, heading: None, locator: Some(locator) });
        self.text.push_str(text);
    }

    /// Appends a heading, as a paragraph of its own. 1 is the highest level.
    pub fn push_heading(&mut self, level: usize, text: &str) {
        if !self.text.is_empty() {
            // A section keeps its place.
            let floor = self.sections.last().map_or(0, |section| section.start);
            self.text.truncate(self.text.trim_end().len().max(floor));
            self.text.push_str("\n\n");
        }
        let heading = Some(SectionHeading { level, text: text.to_owned() });
        self.sections.push(Section { start: self.text.len(), heading, locator: None });
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Locates the text from its beginning on.
    pub(crate) fn locate(&mut self, locator: Locator) {
        self.sections.insert(0, Section { start: 0, heading: None, locator: Some(locator) });
    }

    /// Appends the cells of a row as a line.
    #[cfg(any(feature = "csv", feature = "office"))]
    pub(crate) fn push_row<'cell>(&mut self, cells: impl Iterator<Item = &'cell str>) {
        for (index, cell) in cells.enumerate() {
            if index > 0 {
                self.text.push_str(" | ");
            }
            let mut words = cell.split_whitespace();
            self.text.extend(words.next());
            words.for_each(|word| self.text.extend([" ", word]));
        }
        self.text.push('\n');
    }

    /// Sets the title.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the link. A blank link counts as none.
    #[must_use]
    pub fn with_link(mut self, link: impl Into<String>) -> Self {
        self.link = Some(link.into()).filter(|link| !link.trim().is_empty());
        self
    }

    /// Adds a metadata value, or replaces the value with this name.
    #[must_use]
    pub fn with_metadata(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.metadata.insert(name.into(), value.into());
        self
    }
}
