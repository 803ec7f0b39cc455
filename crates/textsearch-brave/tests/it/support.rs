//! A simulated server and its configuration.

use serde_json::{Value, json};
use textsearch_brave::{BraveConfig, DateTime, http::HttpSettings};
use textsearch_conformance::{Response, Server};

/// The key in all tests.
pub(crate) const KEY: &str = "open-sesame-1";

/// A configuration for the server, without delays or retries.
pub(crate) fn config(server: &Server) -> BraveConfig {
    let http = HttpSettings::default().with_proxy(false).with_max_attempts(1);
    BraveConfig::new(KEY).with_endpoint(server.url().as_str()).with_http_settings(http)
}

/// A response with these header lines.
pub(crate) fn reply(status: u16, headers: &str, body: String) -> Response {
    let lines = headers.lines().filter_map(|line| line.split_once(": "));
    let answer = Response::from((status, body));
    lines.fold(answer, |answer, (name, value)| answer.with_header(name, value))
}

/// A response with one result per number; `more` says whether another page follows.
pub(crate) fn found(numbers: impl Iterator<Item = usize>, more: bool) -> Response {
    let page = |number| json!({ "title": "T", "url": format!("https://docs.rs/{number}") });
    let results: Vec<Value> = numbers.map(page).collect();
    let query = json!({ "original": "q", "more_results_available": more });
    Response::json(&json!({ "query": query, "web": { "results": results } }))
}

/// A date, or the instant that a text names.
pub(crate) fn day(text: &str) -> DateTime {
    text.parse().unwrap()
}
