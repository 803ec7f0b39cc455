//! Redirects: where they lead, and which of them are followed.

use ::http::{HeaderMap, Method, StatusCode, header};
use bytes::Bytes;
use url::Url;

use super::{
    HttpRequest, TransportRequest, TransportResponse, displayable,
    location::{have_one_origin, origin},
};

/// How many redirects of one request are followed.
const MOST_REDIRECTS: usize = 5;

/// Which redirects are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Redirects {
    /// Those within the origin that the request was made for: for providers.
    WithinOrigin,
    /// Those to wherever the address rules of the transport allow: for foreign pages. Requests that carry a secret
    /// stay within their origin all the same.
    Anywhere,
}

/// One request of a chain, and where the chain has been.
pub(super) struct Hop {
    request: TransportRequest,
    visited: Vec<(Method, Url)>,
}

impl Hop {
    pub(super) fn first(request: &HttpRequest, headers: HeaderMap) -> Self {
        let mut first = TransportRequest::new(request.method().clone(), request.url().clone());
        first.headers = headers;
        first.body = request.body().clone();
        Self { request: first, visited: Vec::new() }
    }

    pub(super) fn request(&self) -> &TransportRequest {
        &self.request
    }

    pub(super) fn into_url(self) -> Url {
        self.request.url
    }

    /// Moves on to where the answer points, if it does.
    ///
    /// Returns whether it moved; an error says why it may not.
    pub(super) fn follow(
        &mut self,
        response: &TransportResponse,
        is_free: bool,
    ) -> Result<bool, String> {
        let Some(location) = location(response) else { return Ok(false) };
        let status = response.status;
        let from = &self.request.url;
        let next = location.to_str().ok().and_then(|location| from.join(location).ok());
        let next = next.ok_or_else(|| format!("{status} with a `Location` that is no URL"))?;
        if !is_free && !have_one_origin(from, &next) {
            let to = if next.has_host() { origin(&next) } else { displayable(&next) };
            return Err(format!(
                "{status}, a redirect to another origin, {to}: not followed, for only {} may see \
                 what was meant for it",
                origin(from),
            ));
        }
        self.move_to(next, status)?;
        Ok(true)
    }

    fn move_to(&mut self, next: Url, status: StatusCode) -> Result<(), String> {
        let becomes_get = match status {
            StatusCode::SEE_OTHER => self.request.method != Method::HEAD,
            StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND => {
                self.request.method == Method::POST
            }
            _ => false,
        };
        let here = (self.request.method.clone(), std::mem::replace(&mut self.request.url, next));
        self.visited.push(here);
        if becomes_get {
            self.request.method = Method::GET;
            self.request.body = Bytes::new();
            self.request.headers.remove(header::CONTENT_TYPE);
        }
        let is_here = |(method, url): &(Method, Url)| {
            *method == self.request.method && *url == self.request.url
        };
        if self.visited.iter().any(is_here) {
            return Err(format!("{status}, a redirect to where it came from: a loop"));
        }
        if self.visited.len() > MOST_REDIRECTS {
            return Err(format!(
                "{status}, one redirect more than the {MOST_REDIRECTS} that are followed"
            ));
        }
        Ok(())
    }
}

fn location(response: &TransportResponse) -> Option<&::http::HeaderValue> {
    let is_redirect = matches!(response.status.as_u16(), 301 | 302 | 303 | 307 | 308);
    response.headers.get(header::LOCATION).filter(|_| is_redirect)
}

#[cfg(test)]
mod tests {
    use ::http::HeaderValue;

    use super::*;

    fn post() -> Hop {
        let url = Url::parse("https://api.example.com/a/b?q=1").unwrap();
        let request = HttpRequest::post(url).with_json("body");
        Hop::first(&request, request.headers().clone())
    }

    fn answer(status: u16, location: &'static str) -> TransportResponse {
        let mut headers = HeaderMap::new();
        headers.insert(header::LOCATION, HeaderValue::from_static(location));
        TransportResponse::complete(StatusCode::from_u16(status).unwrap(), headers, "")
    }

    #[test]
    fn a_redirect_keeps_or_changes_the_method_as_its_status_says() {
        let cases = [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")];
        for (status, method) in cases {
            let mut hop = post();
            assert_eq!(hop.follow(&answer(status, "../c"), false), Ok(true));
            assert_eq!(hop.request().method.as_str(), method, "{status}");
            assert_eq!(hop.request().body.is_empty(), method == "GET");
            assert_eq!(hop.request().headers.is_empty(), method == "GET");
            assert_eq!(hop.into_url().as_str(), "https://api.example.com/c");
        }
    }

    #[test]
    fn other_statuses_are_no_redirects() {
        for status in [200, 201, 300, 304, 305, 404] {
            assert_eq!(post().follow(&answer(status, "/c"), false), Ok(false), "{status}");
        }
    }

    #[test]
    fn another_origin_is_named_but_not_followed() {
        let error = post().follow(&answer(302, "http://user:word@evil.example/x?key"), false);
        let expected = "302 Found, a redirect to another origin, http://evil.example: not \
                        followed, for only https://api.example.com may see what was meant for it";
        assert_eq!(error, Err(expected.to_owned()));
        let error = post().follow(&answer(302, "javascript:alert(1)"), false).unwrap_err();
        assert!(error.contains("another origin, javascript:…"), "{error}");
        assert_eq!(post().follow(&answer(302, "http://other.example/"), true), Ok(true));
    }

    #[test]
    fn loops_and_long_chains_end() {
        let mut hop = post();
        assert_eq!(hop.follow(&answer(307, "/1"), false), Ok(true));
        let error = hop.follow(&answer(307, "/a/b?q=1"), false).unwrap_err();
        assert!(error.ends_with("a loop"), "{error}");
        let mut hop = post();
        for location in ["/1", "/2", "/3", "/4", "/5"] {
            assert_eq!(hop.follow(&answer(307, location), false), Ok(true));
        }
        let error = hop.follow(&answer(307, "/6"), false).unwrap_err();
        assert!(error.ends_with("more than the 5 that are followed"), "{error}");
        let error = post().follow(&answer(307, "http://["), false).unwrap_err();
        assert!(error.ends_with("a `Location` that is no URL"), "{error}");
    }
}
