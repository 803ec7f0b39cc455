//! A simulated server and its configuration.

use serde_json::{Value, json};
use textsearch_conformance::{Response, Server};
use textsearch_tavily::{DateTime, TavilyConfig, http::HttpSettings};

/// The key in all tests.
pub(crate) const KEY: &str = "open-sesame-1";

/// A configuration for the server, without delays or retries.
pub(crate) fn config(server: &Server) -> TavilyConfig {
    let http = HttpSettings::default().with_proxy(false).with_max_attempts(1);
    TavilyConfig::new(KEY).with_endpoint(server.url().as_str()).with_http_settings(http)
}

/// A response with a page for each URL.
pub(crate) fn found(urls: &[&str]) -> Response {
    let results: Vec<Value> = urls.iter().map(|url| json!({ "url": url })).collect();
    Response::json(&json!({ "results": results }))
}

/// A date, or the instant that a text names.
pub(crate) fn day(text: &str) -> DateTime {
    text.parse().unwrap()
}
