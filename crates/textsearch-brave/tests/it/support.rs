use serde_json::{Value, json};
use textsearch_brave::{BraveConfig, DateTime, http::HttpSettings};
use textsearch_conformance::{Response, Server};

pub(crate) const KEY: &str = "open-sesame-1";

pub(crate) fn config(server: &Server) -> BraveConfig {
    let http = HttpSettings::default().with_proxy(false).with_max_attempts(1);
    BraveConfig::new(KEY).with_endpoint(server.url().as_str()).with_http_settings(http)
}

pub(crate) fn reply(status: u16, headers: &str, body: String) -> Response {
    let lines = headers.lines().filter_map(|line| line.split_once(": "));
    let answer = Response::from((status, body));
    lines.fold(answer, |answer, (name, value)| answer.with_header(name, value))
}

/// `more` says whether another page follows.
pub(crate) fn answer(numbers: impl Iterator<Item = usize>, more: bool) -> Response {
    let page = |number| json!({ "title": "T", "url": format!("https://docs.rs/{number}") });
    let results: Vec<Value> = numbers.map(page).collect();
    let query = json!({ "original": "q", "more_results_available": more });
    Response::json(&json!({ "query": query, "web": { "results": results } }))
}

pub(crate) fn day(text: &str) -> DateTime {
    text.parse().unwrap()
}
