//! Reads the JSON of requests.

use axum::{
    body::Bytes,
    extract::{FromRequest, Request},
};
use http::{HeaderValue, header};
use serde::de::DeserializeOwned;

use crate::problem::{Kind, Problem, internal};

/// The request's body, which must be JSON. A web page can't send this content type to another
/// origin without asking first.
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        if !is_json(request.headers().get(header::CONTENT_TYPE)) {
            let detail = "the body must be JSON: send `Content-Type: application/json`";
            return Err(Problem::new(Kind::UnsupportedMediaType, detail));
        }
        // `admit` has read it.
        let body = Bytes::from_request(request, state).await.map_err(|error| internal(&error))?;
        serde_json::from_slice(&body).map(Self).map_err(|error| {
            let line = error.line();
            let column = error.column();
            Problem::new(Kind::InvalidRequest, error.to_string()).at(line, column)
        })
    }
}

fn is_json(content_type: Option<&HeaderValue>) -> bool {
    let text = content_type.and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = text.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
}
