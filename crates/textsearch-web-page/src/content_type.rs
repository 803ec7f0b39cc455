//! Supported content types.

use std::{error::Error, fmt};

use textsearch_html::one_line;

pub(crate) const ALLOWED: &str = "text/html, application/xhtml+xml and text/plain";

/// Maximum length in errors, in characters.
const LONGEST: usize = 80;

/// Source of the error for a page that is neither HTML nor plain text, such as a PDF.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnsupportedContentType {
    /// Media type in lower case without parameters, such as `application/pdf`. Empty if the server
    /// sends none.
    pub media_type: String,
}

impl UnsupportedContentType {
    pub(crate) fn new(media_type: &str) -> Self {
        Self { media_type: one_line(media_type).chars().take(LONGEST).collect() }
    }
}

impl fmt::Display for UnsupportedContentType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an unsupported content type, ")?;
        match self.media_type.as_str() {
            "" => formatter.write_str("none"),
            media_type => write!(formatter, "`{media_type}`"),
        }
    }
}

impl Error for UnsupportedContentType {}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Html,
    PlainText,
}

/// Returns the format, or the unsupported type as the error.
pub(crate) fn read(media_type: Option<String>) -> Result<Kind, String> {
    match media_type.as_deref() {
        Some("text/html" | "application/xhtml+xml") => Ok(Kind::Html),
        Some("text/plain") => Ok(Kind::PlainText),
        _ => Err(media_type.unwrap_or_default()),
    }
}
