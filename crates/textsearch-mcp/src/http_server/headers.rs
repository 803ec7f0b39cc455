//! The headers that say who calls, and which server.

use http::{HeaderMap, HeaderName, HeaderValue, Uri, header, uri::Authority};

const SCHEME: &[u8] = b"Bearer ";

/// The header has several values, so a proxy and the server may each believe another.
pub(super) struct Repeated;

/// Returns the host that a request is for. Returns `None` if it names no host, several, or one with
/// a user.
pub fn host(uri: &Uri, headers: &HeaderMap) -> Option<Authority> {
    let sent = match only(headers, &header::HOST).ok()? {
        Some(value) => Some(Authority::try_from(value.as_bytes()).ok()?),
        None => None,
    };
    let host = match (sent, uri.authority()) {
        (Some(sent), Some(of_url)) => (sent == *of_url).then_some(sent)?,
        (sent, of_url) => sent.or_else(|| of_url.cloned())?,
    };
    (!host.as_str().contains('@')).then_some(host)
}

/// Returns whether `host` is one of `allowed`, which are names with or without a port.
pub fn is_allowed(host: &Authority, allowed: &[String]) -> bool {
    let name = without_brackets(host.host());
    allowed.iter().any(|allowed| {
        allowed.eq_ignore_ascii_case(host.as_str())
            || without_brackets(allowed).eq_ignore_ascii_case(name)
    })
}

/// Returns the token of `Authorization: Bearer`. Returns `None` if the header is missing, repeated
/// or has another scheme.
pub fn bearer_token(headers: &HeaderMap) -> Option<&[u8]> {
    let sent = only(headers, &header::AUTHORIZATION).ok()??.as_bytes();
    let (scheme, token) = sent.split_at_checked(SCHEME.len())?;
    scheme.eq_ignore_ascii_case(SCHEME).then_some(token)
}

pub(super) fn only<'h>(
    headers: &'h HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'h HeaderValue>, Repeated> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    values.next().map_or(Ok(first), |_| Err(Repeated))
}

fn without_brackets(host: &str) -> &str {
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: HeaderName, values: &[&'static str]) -> HeaderMap {
        values.iter().map(|value| (name.clone(), HeaderValue::from_static(value))).collect()
    }

    fn host_of(uri: &'static str, hosts: &[&'static str]) -> Option<String> {
        let host = host(&Uri::from_static(uri), &headers(header::HOST, hosts));
        host.map(|host| host.to_string())
    }

    #[test]
    fn url_and_header_name_the_same_host() {
        assert_eq!(host_of("/mcp", &["localhost:1"]).as_deref(), Some("localhost:1"));
        assert_eq!(host_of("http://localhost:1/mcp", &[]).as_deref(), Some("localhost:1"));
        assert!(host_of("http://localhost:1/mcp", &["LOCALHOST:1"]).is_some());
        assert_eq!(host_of("http://localhost:1/mcp", &["evil.example"]), None);
        assert_eq!(host_of("http://evil.example/mcp", &["localhost:1"]), None);
    }

    #[test]
    fn a_host_is_one_name_without_a_user() {
        for hosts in [&["evil@127.0.0.1"][..], &["localhost", "localhost"], &["a b"], &[""], &[]] {
            assert_eq!(host_of("/mcp", hosts), None, "{hosts:?}");
        }
        assert_eq!(host_of("http://evil@127.0.0.1/mcp", &[]), None);
    }

    #[test]
    fn a_token_is_sent_once() {
        let token = |values: &[&'static str]| {
            bearer_token(&headers(header::AUTHORIZATION, values)).map(<[u8]>::to_vec)
        };
        assert_eq!(token(&["bearer abc"]), Some(b"abc".to_vec()));
        assert_eq!(token(&["Bearer abc", "Bearer other"]), None);
        assert_eq!(token(&["Bearer abc", "Bearer abc"]), None);
        assert_eq!(token(&["Basic abc"]), None);
    }
}
