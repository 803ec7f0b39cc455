//! Links that lead to the same page.
//!
//! A full parse of each link would take longer than the fusion, and these rules need none.

use std::borrow::Cow;

/// Parameters that track the origin of a visitor.
const TRACKING: &[&str] = &[
    "dclid", "fbclid", "gbraid", "gclid", "gclsrc", "igshid", "mc_cid", "mc_eid", "msclkid",
    "srsltid", "twclid", "wbraid", "yclid", "_hsenc", "_hsmi",
];
const TRACKING_PREFIX: &str = "utm_";

/// Beginnings of fragments that name a page of an application.
const ROUTES: [char; 2] = ['!', '/'];

/// Returns a text that is equal for links to the same page: without the fragment, tracking
/// parameters, the scheme's own port and a trailing slash; scheme and host in lower case. A link of
/// another scheme stays as it is.
pub(crate) fn page(link: &str) -> Cow<'_, str> {
    if let Some(page) = plain(link) {
        return Cow::Borrowed(page);
    }
    let link = link.trim_ascii();
    let Some(parts) = Parts::parse(link) else { return Cow::Borrowed(link) };
    let mut page = String::with_capacity(link.len());
    page.extend(parts.scheme.chars().map(|c| c.to_ascii_lowercase()));
    page.push_str("://");
    page.push_str(parts.user);
    page.extend(parts.host.chars().map(|c| c.to_ascii_lowercase()));
    page.push_str(without_slashes(parts.path));
    let mut separator = '?';
    for parameter in
        parts.query.split('&').filter(|parameter| !parameter.is_empty() && !is_tracking(parameter))
    {
        page.push(separator);
        page.push_str(parameter);
        separator = '&';
    }
    Cow::Owned(page)
}

/// Returns the page of a link with only host and path, as most links have, in one pass.
fn plain(link: &str) -> Option<&str> {
    let after = link.strip_prefix("https://").or_else(|| link.strip_prefix("http://"))?;
    let mut bytes = after.bytes();
    let is_host = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.')
    };
    let is_path = |byte: u8| byte > b' ' && !matches!(byte, b'?' | b'#');
    match bytes.find(|byte| !is_host(*byte)) {
        Some(b'/') if !after.starts_with('/') => bytes.all(is_path).then(|| without_slashes(link)),
        Some(_) => None,
        None => (!after.is_empty()).then_some(link),
    }
}

/// A link of the web, `scheme://user@host:port/path?query#fragment`.
struct Parts<'a> {
    scheme: &'a str,
    /// With its `@`.
    user: &'a str,
    /// With its port, unless that is the scheme's own.
    host: &'a str,
    /// With a fragment that is a route.
    path: &'a str,
    query: &'a str,
}

impl<'a> Parts<'a> {
    fn parse(link: &'a str) -> Option<Self> {
        let (scheme, rest) = link.split_at_checked(link.bytes().position(|byte| byte == b':')?)?;
        let rest = rest.strip_prefix("://")?;
        let default_port = match scheme.len() {
            4 if scheme.eq_ignore_ascii_case("http") => "80",
            5 if scheme.eq_ignore_ascii_case("https") => "443",
            _ => return None,
        };
        let (authority, after) = split(rest, |byte| matches!(byte, b'/' | b'?' | b'#'));
        let (path, query) = split_path(after);
        let at = authority.bytes().rposition(|byte| byte == b'@').map_or(0, |at| at + 1);
        let (user, whole_host) = authority.split_at_checked(at)?;
        let without_port = whole_host.strip_suffix(default_port).unwrap_or(whole_host);
        let host = without_port.strip_suffix(':').unwrap_or(whole_host);
        Some(Self { scheme, user, host, path, query })
    }
}

fn without_slashes(mut text: &str) -> &str {
    while let Some(shorter) = text.strip_suffix('/') {
        text = shorter;
    }
    text
}

/// Splits before the first ASCII byte that `is_end`.
fn split(text: &str, is_end: impl Fn(u8) -> bool) -> (&str, &str) {
    let end = text.bytes().position(is_end);
    end.and_then(|end| text.split_at_checked(end)).unwrap_or((text, ""))
}

/// Splits the part after the host into path and query.
fn split_path(after: &str) -> (&str, &str) {
    let (path, rest) = split(after, |byte| matches!(byte, b'?' | b'#'));
    if rest.strip_prefix('#').is_some_and(|fragment| fragment.starts_with(ROUTES)) {
        return (after, "");
    }
    let query = rest.strip_prefix('?').unwrap_or("");
    match query.split_once('#') {
        Some((_, fragment)) if fragment.starts_with(ROUTES) => (path, query),
        Some((query, _)) => (path, query),
        None => (path, query),
    }
}

fn is_tracking(parameter: &str) -> bool {
    let name = parameter.split('=').next().unwrap_or(parameter);
    let prefix = name.get(..TRACKING_PREFIX.len());
    prefix.is_some_and(|prefix| prefix.eq_ignore_ascii_case(TRACKING_PREFIX))
        || TRACKING.iter().any(|known| name.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_one_page_are_equal() {
        for link in [
            "https://example.com/a?b=C",
            " HTTPS://Example.COM/a?b=C\n",
            "https://example.com:443/a/?b=C",
            "https://example.com:/a?b=C#section",
            "https://example.com/a?b=C&utm_source=x&UTM_Medium=y&gclid=z",
            "https://example.com/a?fbclid=1&&b=C&",
        ] {
            assert_eq!(page(link), "https://example.com/a?b=C", "{link}");
        }
        for link in ["http://a.example", "http://a.example:80/", "http://a.example/?utm_id=1#x"] {
            assert_eq!(page(link), "http://a.example", "{link}");
        }
    }

    #[test]
    fn links_to_different_pages_differ() {
        let links = [
            "https://example.com/a",
            "http://example.com/a",
            "https://example.com:8443/a",
            "https://example.com/A",
            "https://example.com/a?b=c",
            "https://example.com/a?b=C",
            "https://me@example.com/a",
            "https://ME@example.com/a",
            "https://www.example.com/a",
            "https://example.com/a#/route",
            "https://example.com/a#!route",
            "https://[::1]/a",
            "https://[::1]:80/a",
            "https://example.com/a?utm=1",
            "https://example.com/a?u=https://x.example/?utm_source=1",
        ];
        let pages: std::collections::HashSet<_> = links.iter().map(|link| page(link)).collect();
        assert_eq!(pages.len(), links.len(), "{pages:?}");
    }

    #[test]
    fn links_of_other_schemes_stay_as_they_are() {
        for link in ["docs/A.md#Section", "mailto:A@B.example", "ftp://Host/a/", "", "://", "a://"]
        {
            assert_eq!(page(link), link);
        }
    }

    #[test]
    fn broken_links_of_the_web_have_a_page() {
        for link in ["https://", "http://?", "https://#", "http://@:/", "HTTP://é/?utm_é"] {
            assert!(page(link).len() <= link.len(), "{link}");
        }
    }
}
