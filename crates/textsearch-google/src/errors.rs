//! Error responses.

use serde::Deserialize;
use serde_json::Value;
use textsearch_core::{
    ErrorKind,
    http::{ErrorAnswer, ProviderError},
};

const MAX_VIOLATIONS: usize = 5;

const CLOSED: &str = "Google closed this API to new customers and ends it on 2027-01-01; a project \
                      without access can no longer get it";

// A success is read too, so the rest of the body is skipped.
#[derive(Deserialize)]
struct ErrorBody {
    error: Value,
}

pub(crate) fn read_error(answer: &ErrorAnswer<'_>) -> Option<ProviderError> {
    let ErrorBody { error } = answer.json()?;
    let error = Some(&error).filter(|error| error.is_object())?;
    let reasons = items(error, "details").chain(items(error, "errors"));
    let reasons = reasons.filter_map(|item| text(item, "reason"));
    let codes: Vec<&str> = reasons.chain(text(error, "status")).collect();
    let mut message = text(error, "message").unwrap_or_default().to_owned();
    let mut described = ProviderError::default();
    if let Some(kind) = codes.iter().find_map(|code| kind_of(code, &message)) {
        described = described.with_kind(kind);
    }
    if let Some(code) = codes.first() {
        described = described.with_code(*code);
    }
    let violations = items(error, "details").flat_map(|detail| items(detail, "fieldViolations"));
    for violation in violations.take(MAX_VIOLATIONS) {
        let parts = [text(violation, "field"), text(violation, "description")];
        let parts: Vec<&str> = parts.into_iter().flatten().collect();
        message = format!("{message}; {}", parts.join(": "));
    }
    if message.contains("does not have the access to Custom Search JSON API") {
        message = format!("{message} ({CLOSED})");
    }
    Some(if message.is_empty() { described } else { described.with_message(message) })
}

fn items<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str()
}

/// Google reports quotas as 403 or 429 and a wrong key as 400. Only the code tells them apart.
fn kind_of(code: &str, message: &str) -> Option<ErrorKind> {
    match code {
        "dailyLimitExceeded" | "dailyLimitExceededUnreg" | "quotaExceeded" | "limitExceeded" => {
            Some(ErrorKind::QuotaExceeded)
        }
        // Daily quotas and rate limits share these.
        "rateLimitExceeded"
        | "userRateLimitExceeded"
        | "RATE_LIMIT_EXCEEDED"
        | "RESOURCE_EXHAUSTED" => match message.to_ascii_lowercase().contains("per day") {
            true => Some(ErrorKind::QuotaExceeded),
            false => Some(ErrorKind::RateLimited),
        },
        "API_KEY_INVALID"
        | "keyInvalid"
        | "keyExpired"
        | "accessNotConfigured"
        | "PERMISSION_DENIED"
        | "UNAUTHENTICATED" => Some(ErrorKind::Authentication),
        _ => None,
    }
}
