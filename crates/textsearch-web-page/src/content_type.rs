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

/// Returns the format and the charset, or the unsupported type as the error.
pub(crate) fn read(header: Option<&str>) -> Result<(Kind, Option<String>), String> {
    let mut parts = header.unwrap_or_default().split(';').map(str::trim);
    let media_type = parts.next().unwrap_or_default().to_ascii_lowercase();
    let kind = match media_type.as_str() {
        "text/html" | "application/xhtml+xml" => Kind::Html,
        "text/plain" => Kind::PlainText,
        _ => return Err(media_type),
    };
    let charset = parts.find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']);
        name.trim().eq_ignore_ascii_case("charset").then(|| value.to_owned())
    });
    Ok((kind, charset))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_and_plain_text_match_in_any_spelling() {
        assert_eq!(read(Some("text/html")), Ok((Kind::Html, None)));
        let quoted = read(Some("Application/XHTML+xml ; x=y; Charset = \"UTF-8\""));
        assert_eq!(quoted, Ok((Kind::Html, Some("UTF-8".to_owned()))));
        let plain = read(Some("text/plain;charset=koi8-r"));
        assert_eq!(plain, Ok((Kind::PlainText, Some("koi8-r".to_owned()))));
    }

    #[test]
    fn an_unsupported_type_is_named() {
        assert_eq!(read(Some("application/PDF; x=y")), Err("application/pdf".to_owned()));
        assert_eq!(read(Some("text/html5")), Err("text/html5".to_owned()));
        assert_eq!(read(None), Err(String::new()));
    }
}
