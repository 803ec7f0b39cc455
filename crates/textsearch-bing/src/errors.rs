//! Error responses.

use serde::Deserialize;
use serde_json::Value;
use textsearch_core::{
    ErrorKind,
    http::{ErrorAnswer, ProviderError},
};

const GONE: &str =
    "Microsoft retired the public Bing Search APIs on 2025-08-11; set another endpoint";

// A success is read too, so the rest of the body is skipped.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ErrorBody {
    errors: Value,
    /// From the gateway in front of the service.
    error: Value,
    message: Value,
}

impl ErrorBody {
    fn item(&self) -> Option<&Value> {
        let items = [self.errors.get(0), Some(&self.error)];
        items.into_iter().flatten().find(|item| item.is_object())
    }
}

/// Reads an error that a gateway sends with success.
pub(crate) fn read_success_error(answer: &ErrorAnswer<'_>) -> Option<ProviderError> {
    answer.json::<ErrorBody>()?.item()?;
    read_error(answer, false)
}

/// `is_public`: the endpoint that Microsoft retired.
pub(crate) fn read_error(answer: &ErrorAnswer<'_>, is_public: bool) -> Option<ProviderError> {
    let is_gone = is_public && matches!(answer.status.as_u16(), 401 | 403 | 404 | 410);
    let body: ErrorBody = answer.json().or(is_gone.then(ErrorBody::default))?;
    let text = |name: &str| body.item()?.get(name)?.as_str();
    let parameter = text("parameter").map(|name| format!("parameter `{name}`"));
    let message = text("message").or(body.message.as_str());
    let words = [message, text("moreDetails"), parameter.as_deref()];
    let words = words.into_iter().flatten().chain(is_gone.then_some(GONE));
    let words = words.collect::<Vec<_>>().join("; ");
    let codes: Vec<&str> = [text("code"), text("subCode")].into_iter().flatten().collect();
    let mut error = ProviderError::default();
    if let Some(kind) = kind_of(codes.first().copied().unwrap_or_default(), &words) {
        error = error.with_kind(kind);
    }
    if !codes.is_empty() {
        error = error.with_code(codes.join("/"));
    }
    Some(if words.is_empty() { error } else { error.with_message(words) })
}

fn kind_of(code: &str, words: &str) -> Option<ErrorKind> {
    if words.to_ascii_lowercase().contains("call volume quota") {
        return Some(ErrorKind::QuotaExceeded);
    }
    match code {
        "InvalidAuthorization" | "InsufficientAuthorization" => Some(ErrorKind::Authentication),
        "RateLimitExceeded" => Some(ErrorKind::RateLimited),
        "ServerError" => Some(ErrorKind::Unavailable),
        _ => None,
    }
}
