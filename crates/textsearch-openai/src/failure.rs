//! Interprets the provider's errors, also in responses with a success status.

use std::time::Duration;

use serde_json::Value;
use textsearch_core::{
    Error, ErrorKind,
    http::{ErrorAnswer, ErrorDetails, HttpRequest, described_faults},
};

use crate::CONNECTOR;

/// Codes for a blocked prompt.
const FILTERED: &[&str] =
    &["content_filter", "content_policy_violation", "image_content_policy_violation"];

/// Parses an error from the [list](https://platform.openai.com/docs/guides/error-codes/api-errors).
pub(crate) fn read_error(answer: &ErrorAnswer<'_>) -> Option<ErrorDetails> {
    let wait =
        answer.headers.get("retry-after-ms").and_then(|value| value.to_str().ok()?.parse().ok());
    let body: Option<Value> = answer.json();
    let details = body.as_ref().and_then(error_details);
    if wait.is_none() && details.is_none() {
        return None;
    }
    let details = details.unwrap_or_default();
    let kind = details.code.as_deref().and_then(kind_of);
    Some(ErrorDetails { kind, retry_after: wait.map(Duration::from_millis), ..details })
}

/// Finds the error in a response with a success status, for example in the middle of a stream. It
/// is retryable unless its code says otherwise.
pub(crate) fn error_in(body: &Value, request: &HttpRequest) -> Option<Error> {
    let is_event = body.get("type").and_then(Value::as_str) == Some("error");
    // In a stream of the Responses API, the event or its response has the error.
    let has_error = |body: &&Value| body.get("error").is_some_and(|error| !error.is_null());
    let failed = body.get("response").filter(has_error).unwrap_or(body);
    let details = (is_event || has_error(&failed)).then(|| error_details(failed))??;
    let kind = match details.code.as_deref() {
        Some(
            "invalid_request_error"
            | "invalid_prompt"
            | "context_length_exceeded"
            | "model_not_found",
        ) => ErrorKind::Backend,
        // Such as `image_too_large` and `failed_to_download_image`.
        Some(code) if FILTERED.contains(&code) || code.contains("image") => ErrorKind::Backend,
        Some(code) => kind_of(code).unwrap_or(ErrorKind::Unavailable),
        None => ErrorKind::Unavailable,
    };
    let code = details.code.map(|code| format!(" ({code})")).unwrap_or_default();
    let words = details.message.unwrap_or_default();
    Some(request.error(CONNECTOR, kind, &format!("the answer is an error{code}: {words}")))
}

pub(crate) fn undecodable(request: &HttpRequest, reason: &dyn std::fmt::Display) -> Error {
    let message = format!("the answer cannot be read: {reason}");
    request.error(CONNECTOR, ErrorKind::Undecodable, &message)
}

pub(crate) fn is_filtered(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::UnexpectedStatus { code: Some(code), .. } => FILTERED.contains(&code.as_str()),
        _ => false,
    }
}

/// Only for kinds that the status doesn't determine.
fn kind_of(code: &str) -> Option<ErrorKind> {
    match code {
        "insufficient_quota" | "billing_hard_limit_reached" | "billing_not_active" => {
            Some(ErrorKind::QuotaExceeded)
        }
        "invalid_api_key" => Some(ErrorKind::Authentication),
        "rate_limit_exceeded" => Some(ErrorKind::RateLimited),
        _ => None,
    }
}

/// OpenAI sends an object `error`; other servers send a text in its place, or code and message at
/// the top level.
fn error_details(body: &Value) -> Option<ErrorDetails> {
    let error = body.get("error").filter(|error| !error.is_null()).unwrap_or(body);
    let text = |name: &str| error.get(name)?.as_str().filter(|text| !text.is_empty());
    let message = error.as_str().or_else(|| text("message")).or_else(|| text("detail"));
    let message = message.map(str::to_owned).or_else(|| described_faults(error.get("detail")?));
    let inner = error.pointer("/innererror/code").and_then(Value::as_str);
    let is_policy = inner == Some("ResponsibleAIPolicyViolation");
    let code = if is_policy { Some("content_filter") } else { text("code").or(text("type")) };
    // The code of llama.cpp and vLLM is a number that repeats the status, so their type comes first.
    let number = || error.get("code").filter(|code| code.is_number()).map(Value::to_string);
    let code = match code {
        // llama.cpp's name for it.
        Some("exceed_context_size_error") => Some("context_length_exceeded".to_owned()),
        code => code.map(str::to_owned).or_else(number),
    };
    (code.is_some() || message.is_some()).then(|| ErrorDetails {
        code,
        message,
        ..ErrorDetails::default()
    })
}
