//! URLs for errors and logs.

use url::Url;

const LONGEST_PATH: usize = 200;

/// Returns the part of a URL that may enter an error or a log: scheme, host, port and path.
///
/// Leaves out user, password, query and fragment, which may hold keys. Cuts a path after 200 bytes.
///
/// ```
/// use textsearch_core::http::{Url, displayable};
///
/// let url = Url::parse("https://me:secret@example.com:8443/search?key=secret#top")?;
/// assert_eq!(displayable(&url), "https://example.com:8443/search");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn displayable(url: &Url) -> String {
    let path = url.path();
    // With a host the path is ASCII, so slicing is safe; other paths aren't shown.
    let shown = path.get(..LONGEST_PATH).unwrap_or(path);
    let dots = if shown.len() < path.len() { "…" } else { "" };
    match url.host_str() {
        Some(_) => format!("{}{shown}{dots}", origin(url)),
        None => format!("{}:…", url.scheme()),
    }
}

/// Returns scheme, host and port, without the scheme's default port.
pub(super) fn origin(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{host}{port}", url.scheme())
}

/// Returns whether a request for one URL may be sent to the other.
pub(super) fn have_one_origin(left: &Url, right: &Url) -> bool {
    left.scheme() == right.scheme()
        && left.host() == right.host()
        && left.port_or_known_default() == right.port_or_known_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn only_scheme_host_port_and_path_are_displayed() {
        let cases = [
            ("https://example.com/a/b?key=1#c", "https://example.com/a/b"),
            ("http://user:word@127.0.0.1:81/", "http://127.0.0.1:81/"),
            ("http://[::1]:81/x", "http://[::1]:81/x"),
            ("data:text/plain,word", "data:…"),
            ("mailto:me@example.com", "mailto:…"),
        ];
        for (text, expected) in cases {
            assert_eq!(displayable(&url(text)), expected);
        }
    }

    #[test]
    fn a_long_path_is_cut() {
        let shown = displayable(&url(&format!("https://example.com/{}", "x".repeat(1000))));
        assert_eq!(shown.chars().count(), "https://example.com".len() + LONGEST_PATH + 1);
        assert!(shown.ends_with("x…"));
    }

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        let api = url("https://api.example.com/v1");
        assert!(have_one_origin(&api, &url("https://API.example.com:443/v2?q=1")));
        for other in
            ["http://api.example.com/", "https://example.com/", "https://api.example.com:444/"]
        {
            assert!(!have_one_origin(&api, &url(other)), "{other}");
        }
    }

    proptest! {
        #[test]
        fn no_query_fragment_or_user_is_ever_displayed(
            path in "[a-z/]{0,20}",
            secret in "[A-Z0-9]{8,30}",
        ) {
            let text = format!("https://{secret}:{secret}@h.example/{path}?k={secret}#{secret}");
            let shown = displayable(&url(&text));
            prop_assert!(!shown.contains(&secret), "{}", shown);
            prop_assert!(shown.starts_with("https://h.example/"), "{}", shown);
        }
    }
}
