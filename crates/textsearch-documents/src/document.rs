//! A document: what is chunked and kept.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A text with what a citation of it needs.
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
    /// What identifies the document: any text that is not empty, such as a path.
    pub id: String,
    /// The title; where it is not set, the document's own title is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where the document can be read: what a citation points to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// How the text is written.
    pub format: DocumentFormat,
    /// The text as it is written, markup included.
    pub text: String,
    /// Facts to filter on, by the names that the store was told of.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

/// How the text of a document is written.
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
    /// The format of files with this extension, such as `md`; `None` where it is not a known one.
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
    /// A document of the given format, with neither name nor link.
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

    /// A document in Markdown.
    pub fn markdown(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(id, DocumentFormat::Markdown, text)
    }

    /// A document without markup.
    pub fn plain_text(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(id, DocumentFormat::PlainText, text)
    }

    /// A document in HTML.
    pub fn html(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(id, DocumentFormat::Html, text)
    }

    /// Sets the title.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets where the document can be read. A blank link is none.
    #[must_use]
    pub fn with_link(mut self, link: impl Into<String>) -> Self {
        self.link = Some(link.into()).filter(|link| !link.trim().is_empty());
        self
    }

    /// Adds a fact to filter on, in place of the one of the same name.
    #[must_use]
    pub fn with_metadata(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.metadata.insert(name.into(), value.into());
        self
    }
}
