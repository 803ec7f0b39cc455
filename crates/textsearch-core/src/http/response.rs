//! Responses, and bodies as JSON.

use std::fmt;

use ::http::{HeaderMap, HeaderName, StatusCode};
use bytes::Bytes;
use serde::de::DeserializeOwned;
use url::Url;

use super::{
    displayable,
    failure::{Failure, Retry},
    json::read_json,
    media_type::{charset, is_html, media_type},
    report::Report,
};
use crate::ErrorKind;

/// A successful response.
///
/// Its body is `Bytes`, the type that [`send_json`](super::HttpClient::send_json) decoded, or an
/// [`HttpBody`](super::HttpBody).
#[derive(Clone)]
#[non_exhaustive]
pub struct HttpResponse<B = Bytes> {
    /// The URL after redirects, without user and password. It has the query, so don't log it.
    pub url: Url,
    /// The status: a success.
    pub status: StatusCode,
    /// The headers, with `***` in place of the request's secrets.
    pub headers: HeaderMap,
    /// The body, unchanged.
    pub body: B,
}

impl<B> HttpResponse<B> {
    /// Returns a header's text; `None` if it is missing or not text.
    pub fn header(&self, name: impl AsRef<str>) -> Option<&str> {
        self.headers.get(name.as_ref())?.to_str().ok()
    }

    /// Returns the media type of the body in lower case, without parameters, such as `text/html`.
    pub fn content_type(&self) -> Option<String> {
        media_type(&self.headers).map(str::to_ascii_lowercase)
    }

    /// Returns the charset of the body as the server spells it, such as `ISO-8859-1`.
    pub fn charset(&self) -> Option<&str> {
        charset(&self.headers)
    }

    pub(super) fn map_body<C>(self, map: impl FnOnce(B) -> C) -> HttpResponse<C> {
        let Self { url, status, headers, body } = self;
        HttpResponse { url, status, headers, body: map(body) }
    }
}

impl HttpResponse<Bytes> {
    pub(super) fn decoded<'a, T>(
        self,
        report: impl FnOnce(&Url) -> Report<'a>,
    ) -> Result<HttpResponse<T>, Failure>
    where
        T: DeserializeOwned,
    {
        if is_html(&self.headers) {
            let message =
                format!("{} answered with a page of HTML where JSON is expected", self.place());
            return Err(Failure::last(report(&self.url).error(ErrorKind::Undecodable, &message)));
        }
        match read_json(&self.body) {
            Ok(value) => Ok(self.map_body(|_| value)),
            Err(error) => Err(self.undecodable(&report(&self.url), &error)),
        }
    }

    fn place(&self) -> String {
        displayable(&self.url)
    }

    /// `serde_json`'s message may repeat a value: shorten it, and don't keep the error as source.
    fn undecodable(&self, report: &Report<'_>, error: &serde_json::Error) -> Failure {
        let line = error.line();
        let column = error.column();
        let text = error.to_string();
        let what = text.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&text);
        let what = report.scrubber.line(what);
        let kind = self.content_type().map(|kind| format!(" ({kind})")).unwrap_or_default();
        let message = format!(
            "{} answered with what is not the expected JSON{kind}, at line {line}, column {column}: {what}",
            self.place()
        );
        // A body that ends early may have been cut on its way; any other stays as it is.
        let retry = if error.is_eof() { Retry::IfIdempotent } else { Retry::Never };
        Failure::new(report.error(ErrorKind::Undecodable, &message), retry)
    }
}

/// Hides the query, header values and body.
impl<B> fmt::Debug for HttpResponse<B> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&HeaderName> = self.headers.keys().collect();
        formatter
            .debug_struct("HttpResponse")
            .field("url", &displayable(&self.url))
            .field("status", &self.status)
            .field("headers", &names)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ::http::{HeaderValue, header};
    use serde::Deserialize;

    use super::*;
    use crate::http::{Secret, scrub::Scrubber};

    #[derive(Debug, Deserialize, PartialEq)]
    struct Answer {
        count: u32,
    }

    #[test]
    fn charset_is_read_in_any_spelling() {
        let charset = |header| response(header, "").charset().map(str::to_owned);
        assert_eq!(charset("text/html ; x=y; Charset = \"UTF-8\""), Some("UTF-8".to_owned()));
        assert_eq!(charset("text/plain;charset=koi8-r"), Some("koi8-r".to_owned()));
        assert_eq!(charset("text/html; charset"), None);
        assert_eq!(charset("charset=koi8-r"), None);
    }

    fn response(content_type: &'static str, body: &'static str) -> HttpResponse {
        let url = Url::parse("https://example.com/search?key=sesame").unwrap();
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
        HttpResponse {
            url,
            status: StatusCode::OK,
            headers,
            body: Bytes::from_static(body.as_bytes()),
        }
    }

    fn decoded(content_type: &'static str, body: &'static str) -> Result<Answer, Failure> {
        let response = response(content_type, body);
        let name = Arc::from("brave");
        let secrets = [Secret::from("sesame")];
        let scrubber = Scrubber::new(&secrets);
        response.decoded(|url| Report::new(&name, &scrubber, url)).map(|decoded| decoded.body)
    }

    fn failure(content_type: &'static str, body: &'static str) -> (String, Retry) {
        let failure = decoded(content_type, body).unwrap_err();
        assert_eq!(failure.error.kind(), &ErrorKind::Undecodable);
        (failure.error.to_string(), failure.retry)
    }

    #[test]
    fn json_is_read_under_any_type_but_html() {
        for kind in
            ["application/json", "application/problem+json; charset=utf-8", "text/plain", ""]
        {
            assert_eq!(decoded(kind, "{\"count\": 1}").unwrap(), Answer { count: 1 }, "{kind}");
        }
        let expected = "brave: https://example.com/search answered with a page of HTML where JSON \
                        is expected";
        assert_eq!(failure("Text/HTML; charset=utf-8", "{\"count\": 1}").0, expected);
    }

    #[test]
    fn unexpected_json_is_located_and_explained() {
        let (message, retry) = failure("application/json", "{\n\"count\": \"sesame\"}");
        let expected = "brave: https://example.com/search answered with what is not the expected \
                        JSON (application/json), at line 2, column 17: invalid type: string \
                        \"***\", expected u32";
        assert_eq!((message.as_str(), retry), (expected, Retry::Never));
        let long = failure(
            "",
            Box::leak(format!("{{\"count\": \"{}\"}}", "x".repeat(9000)).into_boxed_str()),
        );
        assert!(long.0.len() < 700, "{}", long.0);
    }

    #[test]
    fn only_truncated_json_is_retried() {
        assert_eq!(failure("", "{\"count\": ").1, Retry::IfIdempotent);
        assert_eq!(failure("", "").1, Retry::IfIdempotent);
        assert_eq!(failure("", "{}").1, Retry::Never);
        assert_eq!(failure("", "nonsense").1, Retry::Never);
    }

    #[test]
    fn debug_shows_neither_query_nor_body() {
        let expected = "HttpResponse { url: \"https://example.com/search\", status: 200, \
                        headers: [\"content-type\"], .. }";
        assert_eq!(format!("{:?}", response("text/plain", "sesame")), expected);
    }
}
