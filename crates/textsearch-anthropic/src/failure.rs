//! Interprets the provider's errors, also in the middle of a stream.

use serde::Deserialize;
use serde_json::Value;
use textsearch_core::{
    Error, ErrorKind,
    http::{ErrorAnswer, ErrorDetails, HttpRequest, read_json},
};

use crate::CONNECTOR;

/// The inner object of an [error](https://docs.anthropic.com/en/api/errors), `{"type": "error",
/// "error": {…}}`.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Failure {
    #[serde(rename = "type")]
    code: Option<String>,
    message: Option<String>,
}

pub(crate) fn read_error(answer: &ErrorAnswer<'_>) -> Option<ErrorDetails> {
    let Failure { code, message } = failure_in(answer.body)?;
    let kind = code.as_deref().and_then(kind_of);
    Some(ErrorDetails { kind, code, message, retry_after: None })
}

/// Returns the error in a body with a success status, if it is one.
pub(crate) fn error_in(body: &[u8], request: &HttpRequest) -> Option<Error> {
    failure_in(body).map(|failure| failure.into_error(request))
}

fn failure_in(body: &[u8]) -> Option<Failure> {
    let mut body: Value = read_json(body).ok()?;
    let error = body.get_mut("error").filter(|error| error.is_object())?;
    serde_json::from_value(error.take()).ok()
}

impl Failure {
    /// The error of an answer that had begun.
    pub(crate) fn into_error(self, request: &HttpRequest) -> Error {
        let kind = match self.code.as_deref() {
            Some("invalid_request_error" | "not_found_error") => ErrorKind::Backend,
            Some(code) => kind_of(code).unwrap_or(ErrorKind::Unavailable),
            None => ErrorKind::Unavailable,
        };
        let code = self.code.map(|code| format!(" ({code})")).unwrap_or_default();
        let words = self.message.unwrap_or_default();
        request.error(CONNECTOR, kind, &format!("the answer is an error{code}: {words}"))
    }
}

/// Only for kinds that the status doesn't determine, or that have none in a stream.
fn kind_of(code: &str) -> Option<ErrorKind> {
    match code {
        "authentication_error" | "permission_error" => Some(ErrorKind::Authentication),
        "billing_error" => Some(ErrorKind::QuotaExceeded),
        "rate_limit_error" => Some(ErrorKind::RateLimited),
        // Its status is 529.
        "overloaded_error" => Some(ErrorKind::Unavailable),
        _ => None,
    }
}

pub(crate) fn undecodable(request: &HttpRequest, reason: &dyn std::fmt::Display) -> Error {
    let message = format!("the answer cannot be read: {reason}");
    request.error(CONNECTOR, ErrorKind::Undecodable, &message)
}
