//! The readable part of a web page.

use serde::{Serialize, Serializer};
use textsearch_core::{filter::DateTime, http::Url};

/// The readable part of a web page.
///
/// The text is the main content, or everything visible if no main content is found. Line breaks
/// separate elements, list items start with `- `, and `|` separates the cells of a row. Links keep
/// only their text: URLs could lead a model anywhere. Scripts, styles, hidden elements, control
/// characters and zero-width characters are removed.
///
/// A stranger wrote the text: see [`WebPageReader`](crate::WebPageReader).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
#[non_exhaustive]
pub struct WebPage {
    /// URL of the page, after redirects.
    #[serde(serialize_with = "as_text")]
    pub url: Url,
    /// Title, without the name of the site if it's recognizable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Author.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub byline: Option<String>,
    /// Language that the page states, such as `en-GB`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// First paragraph of at least 50 characters, on one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
    /// Publication time, if the page states it in ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<DateTime>,
    /// The text.
    pub text: String,
}

impl WebPage {
    /// Creates a page with a text alone.
    pub fn new(url: Url, text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            url,
            title: None,
            byline: None,
            language: None,
            excerpt: None,
            published: None,
            text,
        }
    }
}

fn as_text<S: Serializer>(url: &Url, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(url.as_str())
}
