//! Response format and errors.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};
use textsearch_core::{
    ErrorKind,
    http::{ErrorAnswer, HeaderMap, HeaderName, ProviderError},
    results::Metadata,
    web::{ResultList, described_faults, set, value_or_none},
};

use crate::{CONNECTOR, page::BraveWebPage};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Answer {
    #[serde(deserialize_with = "value_or_none")]
    query: Option<Map<String, Value>>,
    web: Option<Web>,
    /// Other kinds of results that the search asked for.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Web {
    results: ResultList<BraveWebPage>,
    #[serde(deserialize_with = "value_or_none")]
    family_friendly: Option<bool>,
    #[serde(deserialize_with = "value_or_none")]
    mutated_by_goggles: Option<bool>,
}

impl Answer {
    /// If Brave doesn't say, assumes another page after a full one.
    pub(crate) fn has_more(&self, count: usize) -> bool {
        let query = self.query.as_ref();
        let said = query.and_then(|query| query.get("more_results_available")?.as_bool());
        let found = self.web.as_ref().map_or(0, |web| web.results.sent());
        found > 0 && said.unwrap_or(found >= count)
    }

    /// The metadata has the query as Brave understood it, other kinds of results and rate limits.
    pub(crate) fn into_parts(
        self,
        headers: &HeaderMap,
        markup_kept: bool,
    ) -> (Vec<BraveWebPage>, Metadata) {
        let Web { results, family_friendly, mutated_by_goggles } = self.web.unwrap_or_default();
        let mut results = results.into_readable(CONNECTOR);
        for page in &mut results {
            page.finish(markup_kept);
        }
        let mut metadata = Metadata::new();
        let mut add = |name: &str, value: Option<Value>| {
            set(&mut metadata, name, value.filter(|value| !value.is_null()));
        };
        add("altered_query", self.query.as_ref().and_then(|query| query.get("altered").cloned()));
        add("query", self.query.map(Value::Object));
        add("family_friendly", family_friendly.map(Value::Bool));
        add("mutated_by_goggles", mutated_by_goggles.map(Value::Bool));
        for (name, value) in self.rest {
            if name != "type" {
                add(&name, Some(value));
            }
        }
        // Iterating over present headers is cheaper than failed lookups.
        for header in headers.keys() {
            if let Some((_, name)) = RATE_LIMITS.iter().find(|(known, _)| known == header) {
                let value = headers.get(header).and_then(|value| value.to_str().ok());
                add(name, value.map(Value::from));
            }
        }
        (results, metadata)
    }
}

static RATE_LIMITS: [(HeaderName, &str); 4] = [
    (HeaderName::from_static("x-ratelimit-limit"), "rate_limit_limit"),
    (HeaderName::from_static("x-ratelimit-policy"), "rate_limit_policy"),
    (HeaderName::from_static("x-ratelimit-remaining"), "rate_limit_remaining"),
    (HeaderName::from_static("x-ratelimit-reset"), "rate_limit_reset"),
];

#[derive(Deserialize)]
struct ErrorBody {
    error: ErrorDetails,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ErrorDetails {
    #[serde(deserialize_with = "value_or_none")]
    code: Option<String>,
    #[serde(deserialize_with = "value_or_none")]
    detail: Option<String>,
    #[serde(deserialize_with = "value_or_none")]
    meta: Option<Map<String, Value>>,
}

/// Reads an error response. Brave reports a wrong key as 422 and an exhausted plan as 429.
pub(crate) fn read_error(answer: &ErrorAnswer<'_>) -> Option<ProviderError> {
    let ErrorDetails { code, detail, meta } = answer.json::<ErrorBody>()?.error;
    let meta = meta.unwrap_or_default();
    let mut error = ProviderError::default();
    let is_used_up = is_used_up(&meta, answer.headers);
    match code.as_deref() {
        Some(code)
            if code.starts_with("SUBSCRIPTION_TOKEN") || code == "SUBSCRIPTION_NOT_FOUND" =>
        {
            error = error.with_kind(ErrorKind::Authentication);
        }
        Some("QUOTA_LIMITED" | "USAGE_LIMIT_EXCEEDED") => {
            error = error.with_kind(ErrorKind::QuotaExceeded);
        }
        _ if answer.status == 429 && is_used_up => {
            error = error.with_kind(ErrorKind::QuotaExceeded);
        }
        _ => {}
    }
    if let Some(wait) = wait(answer.headers).filter(|_| answer.status == 429 && !is_used_up) {
        error = error.with_retry_after(wait);
    }
    let error = code.into_iter().fold(error, ProviderError::with_code);
    let words: Vec<String> =
        detail.into_iter().chain(meta.get("errors").and_then(described_faults)).collect();
    Some(if words.is_empty() { error } else { error.with_message(words.join(": ")) })
}

/// Whether the monthly quota is exhausted, rather than the limit per second.
fn is_used_up(meta: &Map<String, Value>, headers: &HeaderMap) -> bool {
    let number = |name: &str| meta.get(name).and_then(Value::as_f64);
    let in_body = match (number("quota_limit"), number("quota_current")) {
        (Some(limit), Some(current)) => limit > 0.0 && current >= limit,
        _ => false,
    };
    // The last window is the longest. A limit of 0 means unlimited.
    let last = |name| numbers(headers, name).last().copied();
    let (limit, remaining) = (last("x-ratelimit-limit"), last("x-ratelimit-remaining"));
    let are_several = numbers(headers, "x-ratelimit-limit").len() > 1;
    in_body || (are_several && limit.is_some_and(|limit| limit > 0) && remaining == Some(0))
}

/// Returns the time left in the shortest window, for a response without `Retry-After`.
fn wait(headers: &HeaderMap) -> Option<Duration> {
    if headers.contains_key("retry-after") {
        return None;
    }
    numbers(headers, "x-ratelimit-reset").first().copied().map(Duration::from_secs)
}

fn numbers(headers: &HeaderMap, name: &str) -> Vec<u64> {
    let text = headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    text.split(',').filter_map(|number| number.trim().parse().ok()).collect()
}
