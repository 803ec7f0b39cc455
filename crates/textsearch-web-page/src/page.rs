//! A page as a model reads it.

use serde::{Serialize, Serializer};
use textsearch_core::{DateTime, http::Url};

/// The readable part of a web page.
///
/// The text is the main content where there is one, and everything that is seen on the page otherwise. Its elements
/// are told apart by line breaks, list items begin with `- `, the cells of a row stand between `|`. Links are kept as
/// their text alone: their addresses would cost more of a prompt than they are worth, and a page could lead a model
/// anywhere by them. Scripts, styles, hidden elements, control characters and characters of no width are left out.
///
/// It is written by a stranger all the same: see [`WebPageReader`](crate::WebPageReader).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
#[non_exhaustive]
pub struct WebPage {
    /// Where the page came from, after redirects.
    #[serde(serialize_with = "as_text")]
    pub url: Url,
    /// The title, without the name of the site where that can be told apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Who wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub byline: Option<String>,
    /// The language that the page says it is in, such as `en-GB`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The page's own summary, or its first paragraph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
    /// When it was published, where the page says so in ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<DateTime>,
    /// The text.
    pub text: String,
}

fn as_text<S: Serializer>(url: &Url, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(url.as_str())
}
