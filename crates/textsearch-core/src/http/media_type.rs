//! The kind of a body.

use ::http::{HeaderMap, header};

/// Returns the media type without parameters; `None` if it is missing or no text.
pub(super) fn media_type(headers: &HeaderMap) -> Option<&str> {
    let text = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let kind = text.split(';').next().unwrap_or_default().trim();
    Some(kind).filter(|kind| !kind.is_empty())
}

/// Returns the charset as the server spells it; `None` if it is missing or no text.
pub(super) fn charset(headers: &HeaderMap) -> Option<&str> {
    let text = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    text.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let is_charset = name.trim().eq_ignore_ascii_case("charset");
        is_charset.then(|| value.trim().trim_matches(['"', '\'']))
    })
}

/// A web page is an error, a login or a captcha, whatever the status says.
pub(super) fn is_html(headers: &HeaderMap) -> bool {
    media_type(headers).is_some_and(|kind| {
        let is = |html: &&str| kind.eq_ignore_ascii_case(html);
        ["text/html", "application/xhtml+xml"].iter().any(is)
    })
}
