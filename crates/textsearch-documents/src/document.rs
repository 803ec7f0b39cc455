//! Documents to chunk and store.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

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
        match extension.to_ascii_lowercase().as_str() {
            "md" | "markdown" | "mdown" | "mdx" | "mkd" => Some(Self::Markdown),
            "txt" | "text" | "rst" | "adoc" | "org" => Some(Self::PlainText),
            "html" | "htm" | "xhtml" => Some(Self::Html),
            _ => None,
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
