//! Errors of requests, as problem details (RFC 9457).

mod classify;

pub(crate) use self::classify::internal;

use std::{borrow::Cow, time::Duration};

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const CONTENT_TYPE: &str = "application/problem+json";

const TYPES: &str = "https://github.com/textsearch-rs/textsearch/blob/main/docs/guide/server.md#";

/// The result of a request.
pub(crate) type Answer<T> = std::result::Result<T, Problem>;

/// Why a request failed: RFC 9457's problem details. It explains the caller's own mistakes, and
/// hides internals.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct Problem {
    /// The kind of problem, as a link to its description.
    #[serde(rename = "type", serialize_with = "as_link")]
    #[schema(value_type = String)]
    kind: Kind,
    /// The kind in a few words.
    title: &'static str,
    /// The HTTP status.
    status: u16,
    /// The mistake and the remedy.
    #[schema(value_type = String)]
    detail: Cow<'static, str>,
    /// The member of the request, or the field of a filter, that is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// The values or operators allowed for `field`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    allowed: Vec<String>,
    /// The line of the mistake, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    /// The column of the mistake, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    /// In seconds.
    #[serde(skip)]
    retry_after: Option<u32>,
}

/// The kinds of problems. Each is a heading in the guide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    InvalidRequest,
    InvalidFilter,
    InvalidTemplate,
    TooManyCalls,
    Unauthorized,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    TooLarge,
    UnsupportedMediaType,
    TooManyRequests,
    Overloaded,
    Timeout,
    BackendUnavailable,
    BackendFailed,
    Internal,
}

impl Kind {
    const fn parts(self) -> (&'static str, &'static str, StatusCode) {
        match self {
            Self::InvalidRequest => {
                ("invalid-request", "The request is invalid", StatusCode::BAD_REQUEST)
            }
            Self::InvalidFilter => {
                ("invalid-filter", "The filter is invalid", StatusCode::BAD_REQUEST)
            }
            Self::InvalidTemplate => {
                ("invalid-template", "The template is invalid", StatusCode::BAD_REQUEST)
            }
            Self::TooManyCalls => {
                ("too-many-calls", "The template calls too often", StatusCode::BAD_REQUEST)
            }
            Self::Unauthorized => {
                ("unauthorized", "The token is missing or unknown", StatusCode::UNAUTHORIZED)
            }
            Self::Forbidden => ("forbidden", "The request is not allowed", StatusCode::FORBIDDEN),
            Self::NotFound => ("not-found", "There is no such resource", StatusCode::NOT_FOUND),
            Self::MethodNotAllowed => (
                "method-not-allowed",
                "The resource has no such method",
                StatusCode::METHOD_NOT_ALLOWED,
            ),
            Self::TooLarge => {
                ("too-large", "The request is too large", StatusCode::PAYLOAD_TOO_LARGE)
            }
            Self::UnsupportedMediaType => (
                "unsupported-media-type",
                "The server does not read this kind of content",
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
            ),
            Self::TooManyRequests => (
                "too-many-requests",
                "The token has too many requests at once",
                StatusCode::TOO_MANY_REQUESTS,
            ),
            Self::Overloaded => {
                ("overloaded", "The server is busy", StatusCode::SERVICE_UNAVAILABLE)
            }
            Self::Timeout => ("timeout", "The request took too long", StatusCode::GATEWAY_TIMEOUT),
            Self::BackendUnavailable => (
                "backend-unavailable",
                "A service behind the server is unavailable",
                StatusCode::SERVICE_UNAVAILABLE,
            ),
            Self::BackendFailed => {
                ("backend-failed", "A service behind the server failed", StatusCode::BAD_GATEWAY)
            }
            Self::Internal => ("internal", "The server failed", StatusCode::INTERNAL_SERVER_ERROR),
        }
    }

    pub(crate) fn status(self) -> StatusCode {
        self.parts().2
    }
}

impl Problem {
    pub(crate) fn new(kind: Kind, detail: impl Into<Cow<'static, str>>) -> Self {
        let (_, title, status) = kind.parts();
        Self {
            kind,
            title,
            status: status.as_u16(),
            detail: detail.into(),
            field: None,
            allowed: Vec::new(),
            line: None,
            column: None,
            retry_after: None,
        }
    }

    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// The member `field` of the request is wrong.
    pub(crate) fn invalid(field: &str, detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Kind::InvalidRequest, detail).with_field(field)
    }

    pub(crate) fn with_field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    pub(crate) fn with_allowed(
        mut self,
        allowed: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.allowed = allowed.into_iter().map(Into::into).collect();
        self
    }

    pub(crate) fn at(mut self, line: usize, column: usize) -> Self {
        (self.line, self.column) = (line.try_into().ok(), column.try_into().ok());
        self
    }

    pub(crate) fn with_retry_after(mut self, delay: Option<Duration>) -> Self {
        self.retry_after = delay.and_then(|delay| delay.as_secs().max(1).try_into().ok());
        self
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        // Texts and numbers always serialise.
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = (self.kind.status(), body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(CONTENT_TYPE));
        if self.kind == Kind::Unauthorized {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(delay) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(delay));
        }
        response
    }
}

fn as_link<S: serde::Serializer>(kind: &Kind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{TYPES}{}", kind.parts().0))
}
