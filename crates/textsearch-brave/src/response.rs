//! Response format and errors.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};
use textsearch_core::{
    ErrorKind,
    http::{ErrorAnswer, HeaderMap, ProviderError},
    web::{ResultList, ResultPage, described_faults, set, value_or_none},
};

use crate::{CONNECTOR, page::BraveWebPage};

/// A response.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Answer {
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
    /// The metadata has the query as Brave understood it, other kinds of results and rate limits.
    pub(crate) fn into_page(
        self,
        headers: &HeaderMap,
        markup_kept: bool,
    ) -> ResultPage<BraveWebPage> {
        let Web { results, family_friendly, mutated_by_goggles } = self.web.unwrap_or_default();
        let mut page = ResultPage::of(CONNECTOR, results);
        page.records.iter_mut().for_each(|record| record.finish(markup_kept));
        let said = |name: &str| self.query.as_ref()?.get(name);
        if let Some(has_more) = said("more_results_available").and_then(Value::as_bool) {
            page.has_more = Some(has_more && page.sent > 0);
        }
        let mut add = |name: &str, value: Option<Value>| {
            set(&mut page.metadata, name, value.filter(|value| !value.is_null()));
        };
        add("altered_query", said("altered").cloned());
        add("query", self.query.map(Value::Object));
        add("family_friendly", family_friendly.map(Value::Bool));
        add("mutated_by_goggles", mutated_by_goggles.map(Value::Bool));
        for (name, value) in self.rest {
            if name != "type" {
                add(&name, Some(value));
            }
        }
        for (header, value) in headers {
            if let Some(limit) = header.as_str().strip_prefix("x-ratelimit-") {
                add(&format!("rate_limit_{limit}"), value.to_str().ok().map(Value::from));
            }
        }
        page
    }
}

/// Reads an error response. Brave reports a wrong key as 422 and an exhausted plan as 429.
pub(crate) fn read_error(answer: &ErrorAnswer<'_>) -> Option<ProviderError> {
    let body: Value = answer.json()?;
    let details = body.get("error")?.as_object()?;
    let text = |name: &str| details.get(name).and_then(Value::as_str);
    let meta = details.get("meta").unwrap_or(&Value::Null);
    let is_limited = answer.status == 429;
    let is_used_up = is_used_up(meta, answer.headers);
    let mut error = ProviderError::default();
    match text("code") {
        Some(code)
            if code.starts_with("SUBSCRIPTION_TOKEN") || code == "SUBSCRIPTION_NOT_FOUND" =>
        {
            error = error.with_kind(ErrorKind::Authentication);
        }
        Some("QUOTA_LIMITED" | "USAGE_LIMIT_EXCEEDED") => {
            error = error.with_kind(ErrorKind::QuotaExceeded);
        }
        _ if is_limited && is_used_up => error = error.with_kind(ErrorKind::QuotaExceeded),
        _ => {}
    }
    if let Some(wait) = wait(answer.headers).filter(|_| is_limited && !is_used_up) {
        error = error.with_retry_after(wait);
    }
    let error = text("code").into_iter().fold(error, ProviderError::with_code);
    let faults = meta.get("errors").and_then(described_faults);
    let words: Vec<String> = text("detail").map(str::to_owned).into_iter().chain(faults).collect();
    Some(if words.is_empty() { error } else { error.with_message(words.join(": ")) })
}

/// Whether the monthly quota is exhausted, rather than the limit per second.
fn is_used_up(meta: &Value, headers: &HeaderMap) -> bool {
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
