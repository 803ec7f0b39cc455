//! The trait that sends requests.

use std::{fmt, pin::Pin, sync::Arc};

use ::http::{HeaderMap, Method, StatusCode};
use async_trait::async_trait;
use bytes::Bytes;
use futures_core::Stream;
use url::Url;

use super::displayable;
use crate::BoxError;

/// Sends one request and returns one response, for other HTTP clients and for tests.
///
/// [`HttpClient`](super::HttpClient) handles retries, time limits, redirects, body limits and
/// errors.
///
/// # Behavior
/// - sends the request exactly once and returns a redirect as a normal response;
/// - returns when the headers are there, and streams the body;
/// - decompresses the body piece by piece;
/// - dropping the future or the body ends the exchange;
/// - errors hold no header and no query of the URL.
///
/// ```
/// use textsearch_core::{async_trait, http::{
///     HeaderMap, HttpClient, HttpRequest, HttpSettings, HttpTransport, StatusCode, TransportError, TransportRequest,
///     TransportResponse, Url,
/// }};
///
/// /// Gives one recorded answer to each request.
/// #[derive(Debug)]
/// struct Replay(&'static str);
///
/// #[async_trait]
/// impl HttpTransport for Replay {
///     async fn send(&self, _request: TransportRequest) -> Result<TransportResponse, TransportError> {
///         Ok(TransportResponse::complete(StatusCode::OK, HeaderMap::new(), self.0))
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let client = HttpClient::from_transport("example", HttpSettings::default(), Replay("[1, 2]"))?;
/// let answer = client.send_json::<Vec<u32>>(HttpRequest::get(Url::parse("https://example.com")?)).await?;
/// assert_eq!(answer.body, [1, 2]);
/// # Ok(())
/// # }
/// ```
#[async_trait]
pub trait HttpTransport: fmt::Debug + Send + Sync {
    /// Sends the request and waits for status and headers.
    ///
    /// # Errors
    /// Returns a [`TransportError`] if there is no response. No status is an error.
    async fn send(&self, request: TransportRequest) -> Result<TransportResponse, TransportError>;
}

#[async_trait]
impl<T: HttpTransport + ?Sized> HttpTransport for Arc<T> {
    async fn send(&self, request: TransportRequest) -> Result<TransportResponse, TransportError> {
        (**self).send(request).await
    }
}

/// The pieces of a body, as they arrive.
pub type BodyStream = Pin<Box<dyn Stream<Item = Result<Bytes, TransportError>> + Send>>;

/// A request to send.
#[derive(Clone)]
#[non_exhaustive]
pub struct TransportRequest {
    /// The method.
    pub method: Method,
    /// The URL. User and password in it are basic authentication.
    pub url: Url,
    /// All headers but those about the transfer of the body. Keys are marked sensitive.
    pub headers: HeaderMap,
    /// The body; empty if there is none.
    pub body: Bytes,
}

impl TransportRequest {
    /// Creates a request without headers and body.
    pub(super) fn new(method: Method, url: Url) -> Self {
        Self { method, url, headers: HeaderMap::new(), body: Bytes::new() }
    }
}

/// Hides query, header values and body.
impl fmt::Debug for TransportRequest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("TransportRequest")
            .field("method", &self.method)
            .field("url", &displayable(&self.url))
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("body_bytes", &self.body.len())
            .finish()
    }
}

/// A response whose body may still arrive.
#[non_exhaustive]
pub struct TransportResponse {
    /// The status.
    pub status: StatusCode,
    /// The headers, without those about compression.
    pub headers: HeaderMap,
    /// The decompressed body.
    pub body: BodyStream,
}

impl TransportResponse {
    /// Creates a response with a body that arrives piece by piece.
    pub fn new(status: StatusCode, headers: HeaderMap, body: BodyStream) -> Self {
        Self { status, headers, body }
    }

    /// Creates a response with a complete body.
    pub fn complete(status: StatusCode, headers: HeaderMap, body: impl Into<Bytes>) -> Self {
        let body = body.into();
        Self::new(status, headers, Box::pin(futures_util::stream::once(async { Ok(body) })))
    }
}

impl fmt::Debug for TransportResponse {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("TransportResponse")
            .field("status", &self.status)
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

/// Why a response is missing or broke off.
#[derive(Debug, thiserror::Error)]
#[error("{kind}")]
pub struct TransportError {
    kind: TransportErrorKind,
    source: BoxError,
}

impl TransportError {
    /// Creates a failure. Its cause must not hold a key or the query of a URL.
    pub fn new(kind: TransportErrorKind, source: impl Into<BoxError>) -> Self {
        Self { kind, source: source.into() }
    }

    /// Returns how far the request got.
    pub(super) fn kind(&self) -> TransportErrorKind {
        self.kind
    }

    pub(super) fn into_source(self) -> BoxError {
        self.source
    }
}

/// How far a request got before it failed, which decides whether it may be retried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive] // Transports fail in new ways.
pub enum TransportErrorKind {
    /// No connection: the server has not seen the request.
    Connect,
    /// Time ran out; the server may have seen the request.
    Timeout,
    /// The connection or the body broke off; the server may have seen the request.
    Interrupted,
    /// The address rules refuse the address.
    Refused,
    /// Anything else, such as an invalid request: a retry is of no use.
    Other,
}

impl fmt::Display for TransportErrorKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Connect => "cannot connect",
            Self::Timeout => "no answer in time",
            Self::Interrupted => "the answer broke off",
            Self::Refused => "the address is not allowed",
            Self::Other => "cannot send the request",
        })
    }
}

#[cfg(test)]
mod tests {
    use ::http::HeaderValue;

    use super::*;

    #[test]
    fn debug_of_a_request_shows_no_values() {
        let url = Url::parse("https://me:word@example.com/search?key=word").unwrap();
        let mut request = TransportRequest::new(Method::POST, url);
        request.headers.insert("x-key", HeaderValue::from_static("word"));
        request.body = Bytes::from_static(b"word");
        let expected = "TransportRequest { method: POST, url: \"https://example.com/search\", \
                        headers: [\"x-key\"], body_bytes: 4 }";
        assert_eq!(format!("{request:?}"), expected);
    }

    #[test]
    fn debug_of_a_response_shows_the_names_of_its_headers() {
        let mut headers = HeaderMap::new();
        headers.insert("set-cookie", HeaderValue::from_static("word"));
        let response = TransportResponse::complete(StatusCode::OK, headers, "body");
        let expected = "TransportResponse { status: 200, headers: [\"set-cookie\"], .. }";
        assert_eq!(format!("{response:?}"), expected);
    }
}
