//! Documents to chunk and store.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{NotText, read::decode_text};

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
    /// Metadata to filter on, by the names declared to the store.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
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
    /// A page, or a part of one, in HTML.
    Html,
}

impl DocumentFormat {
    /// All formats.
    pub const ALL: &'static [Self] = &[Self::Markdown, Self::PlainText, Self::Html];

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
            Self::PlainText => &["txt", "text", "rst", "adoc", "org"],
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
            metadata: Map::new(),
        }
    }

    /// Creates a document from the content of a file, in UTF-8 or UTF-16.
    ///
    /// ```
    /// use textsearch_documents::{Document, DocumentFormat, NotText};
    ///
    /// let read = |bytes: &[u8]| Document::from_bytes("a", DocumentFormat::Markdown, bytes.to_vec());
    /// assert_eq!(read(b"# Title")?.text, "# Title");
    /// assert_eq!(read(b"%PDF-1.7 ..."), Err(NotText::Pdf));
    /// # Ok::<(), NotText>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns a [`NotText`] if the content isn't text.
    pub fn from_bytes(
        id: impl Into<String>,
        format: DocumentFormat,
        bytes: Vec<u8>,
    ) -> Result<Self, NotText> {
        Ok(Self::new(id, format, decode_text(bytes)?))
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
