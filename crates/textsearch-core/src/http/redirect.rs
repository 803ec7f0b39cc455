//! Redirects.

use std::{borrow::Cow, mem};

use ::http::{HeaderValue, Method, StatusCode, header};
use url::Url;

use super::{
    HttpRequest, TransportRequest, TransportResponse, displayable,
    location::{have_one_origin, origin},
};

const MAX_REDIRECTS: usize = 5;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Redirects {
    /// Within the origin of the request: for providers.
    WithinOrigin,
    /// Wherever the address rules allow: for foreign pages. Requests with a secret still stay
    /// within their origin.
    Anywhere,
}

pub(super) struct Hop<'a> {
    request: &'a HttpRequest,
    method: Method,
    url: Cow<'a, Url>,
    has_body: bool,
    visited: Vec<(Method, Cow<'a, Url>)>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct NotFollowed {
    pub(super) from: Url,
    pub(super) status: StatusCode,
    /// The end of the sentence `X answered …`.
    pub(super) why: String,
}

impl<'a> Hop<'a> {
    pub(super) fn first(request: &'a HttpRequest) -> Self {
        let method = request.method().clone();
        let url = Cow::Borrowed(request.url());
        Self { request, method, url, has_body: true, visited: Vec::new() }
    }

    pub(super) fn request(&self) -> TransportRequest {
        let mut request = TransportRequest::new(self.method.clone(), self.url.as_ref().clone());
        request.headers = self.request.headers().clone();
        if self.has_body {
            request.body = self.request.body().clone();
        } else {
            request.headers.remove(header::CONTENT_TYPE);
        }
        request
    }

    pub(super) fn url(&self) -> &Url {
        &self.url
    }

    pub(super) fn into_url(self) -> Url {
        self.url.into_owned()
    }

    /// Follows the response's redirect, if any, and returns whether it did.
    pub(super) fn follow(
        &mut self,
        response: &TransportResponse,
        free: bool,
    ) -> Result<bool, NotFollowed> {
        let Some(location) = location(response) else { return Ok(false) };
        let status = response.status;
        let next = self.next(location, free).and_then(|next| self.new_place(next, status));
        let (method, url) = next.map_err(|why| NotFollowed {
            from: self.url.as_ref().clone(),
            status,
            why: format!("{status}, {why}"),
        })?;
        self.has_body &= method == self.method;
        let method = mem::replace(&mut self.method, method);
        let url = mem::replace(&mut self.url, Cow::Owned(url));
        self.visited.push((method, url));
        Ok(true)
    }

    fn next(&self, location: &HeaderValue, free: bool) -> Result<Url, String> {
        let next = location.to_str().ok().and_then(|location| self.url.join(location).ok());
        let next = next.ok_or("with a `Location` that isn't a URL")?;
        if free || have_one_origin(&self.url, &next) {
            return Ok(next);
        }
        let to = if next.has_host() { origin(&next) } else { displayable(&next) };
        Err(format!(
            "a redirect to another origin, {to}: not followed, for only {} may see what was meant \
             for it",
            origin(&self.url),
        ))
    }

    fn new_place(&self, next: Url, status: StatusCode) -> Result<(Method, Url), String> {
        let method = self.method_after(status);
        let is_next = |been: &Method, url: &Url| *been == method && *url == next;
        let has_been = self.visited.iter().any(|(been, url)| is_next(been, url));
        if has_been || is_next(&self.method, &self.url) {
            return Err("a redirect to where it came from: a loop".to_owned());
        }
        if self.visited.len() == MAX_REDIRECTS {
            return Err(format!("one redirect more than the {MAX_REDIRECTS} that are followed"));
        }
        Ok((method, next))
    }

    fn method_after(&self, status: StatusCode) -> Method {
        let becomes_get = match status {
            StatusCode::SEE_OTHER => self.method != Method::HEAD,
            StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND => self.method == Method::POST,
            _ => false,
        };
        if becomes_get { Method::GET } else { self.method.clone() }
    }
}

fn location(response: &TransportResponse) -> Option<&HeaderValue> {
    let is_redirect = matches!(response.status.as_u16(), 301 | 302 | 303 | 307 | 308);
    if is_redirect { response.headers.get(header::LOCATION) } else { None }
}

#[cfg(test)]
mod tests {
    use ::http::HeaderMap;

    use super::*;

    fn request() -> HttpRequest {
        let url = Url::parse("https://api.example.com/a/b?q=1").unwrap();
        HttpRequest::post(url).with_json("body")
    }

    fn followed(answer: TransportResponse, free: bool) -> Result<bool, String> {
        Hop::first(&request()).follow(&answer, free).map_err(|refused| refused.why)
    }

    fn answer(status: u16, location: &'static str) -> TransportResponse {
        let mut headers = HeaderMap::new();
        headers.insert(header::LOCATION, HeaderValue::from_static(location));
        TransportResponse::complete(StatusCode::from_u16(status).unwrap(), headers, "")
    }

    #[test]
    fn redirects_change_the_method_by_status() {
        let cases = [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")];
        for (status, method) in cases {
            let request = request();
            let mut hop = Hop::first(&request);
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
            assert_eq!(followed(answer(status, "/c"), false), Ok(false), "{status}");
        }
    }

    #[test]
    fn another_origin_is_named_but_not_followed() {
        let error = followed(answer(302, "http://user:word@evil.example/x?key"), false);
        let expected = "302 Found, a redirect to another origin, http://evil.example: not \
                        followed, for only https://api.example.com may see what was meant for it";
        assert_eq!(error, Err(expected.to_owned()));
        let error = followed(answer(302, "javascript:alert(1)"), false).unwrap_err();
        assert!(error.contains("another origin, javascript:…"), "{error}");
        assert_eq!(followed(answer(302, "http://other.example/"), true), Ok(true));
    }

    fn end_of(locations: &[&'static str]) -> Option<String> {
        let request = request();
        let mut hop = Hop::first(&request);
        let mut ends = locations.iter().map(|location| hop.follow(&answer(307, location), false));
        ends.find_map(Result::err).map(|refused| refused.why)
    }

    #[test]
    fn loops_and_long_chains_end() {
        let circle = "307 Temporary Redirect, a redirect to where it came from: a loop";
        assert_eq!(end_of(&["/a/b?q=1"]).as_deref(), Some(circle));
        assert_eq!(end_of(&["/1", "/a/b?q=1"]).as_deref(), Some(circle));
        assert_eq!(end_of(&["/1", "/2", "/3", "/4", "/5"]), None);
        let long = end_of(&["/1", "/2", "/3", "/4", "/5", "/6"]).unwrap();
        assert!(long.ends_with("one redirect more than the 5 that are followed"), "{long}");
        let unreadable = end_of(&["http://["]).unwrap();
        assert!(unreadable.ends_with("with a `Location` that isn't a URL"), "{unreadable}");
    }
}
