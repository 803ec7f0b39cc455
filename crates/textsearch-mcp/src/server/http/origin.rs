//! Which web pages may call the server, and the answers that let their browsers do so.

use std::convert::Infallible;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use http_body_util::combinators::BoxBody;
use textsearch_core::http::Url;

use super::answer;
use crate::{McpError, Result};

type HttpResponse = Response<BoxBody<Bytes, Infallible>>;

const HEADERS: HeaderValue = HeaderValue::from_static(
    "accept, authorization, content-type, last-event-id, mcp-method, mcp-name, \
     mcp-protocol-version, mcp-session-id",
);
const METHODS: HeaderValue = HeaderValue::from_static("POST");

/// The allowed origins, in the form that browsers send.
pub(super) struct Origins(Vec<String>);

impl Origins {
    pub(super) fn parse(allowed: &[String]) -> Result<Self> {
        let origins = allowed.iter().map(|origin| {
            let url = Url::parse(origin).ok();
            let is_origin =
                |url: &Url| matches!(url.scheme(), "http" | "https") && url.path() == "/";
            url.filter(is_origin).map(|url| url.origin().ascii_serialization()).ok_or_else(|| {
                let message = format!("has `{origin}`; expected one such as https://app.example");
                McpError::invalid_setting("allowed_origins", message)
            })
        });
        Ok(Self(origins.collect::<Result<_>>()?))
    }

    /// Returns the page's origin, or `None` if the request isn't from a page.
    pub(super) fn admit(&self, headers: &HeaderMap) -> Result<Option<HeaderValue>, Refused> {
        let Some(origin) = headers.get(header::ORIGIN) else { return Ok(None) };
        match self.0.iter().any(|allowed| allowed.as_bytes() == origin.as_bytes()) {
            true => Ok(Some(origin.clone())),
            false => Err(Refused),
        }
    }
}

pub(super) struct Refused;

impl From<Refused> for HttpResponse {
    fn from(_: Refused) -> Self {
        answer(StatusCode::FORBIDDEN, "this page may not call the server")
    }
}

/// The answer to a browser that asks whether the page may call.
pub(super) fn preflight(origin: &HeaderValue) -> HttpResponse {
    let mut response = answer(StatusCode::NO_CONTENT, "");
    response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HEADERS);
    shared_with(Some(origin.clone()), response)
}

/// Lets the page read the response.
pub(super) fn shared_with(origin: Option<HeaderValue>, mut response: HttpResponse) -> HttpResponse {
    if let Some(origin) = origin {
        response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        response.headers_mut().append(header::VARY, HeaderValue::from_static("origin"));
    }
    response
}
