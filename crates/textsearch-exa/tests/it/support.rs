use serde_json::{Value, json};
use textsearch_conformance::{Response, Server};
use textsearch_exa::{ExaConfig, ExaTextSearch, http::HttpSettings};

pub(crate) const KEY: &str = "open-sesame-1";

pub(crate) fn config(server: &Server) -> ExaConfig {
    let http = HttpSettings::default().with_proxy(false).with_max_attempts(1);
    ExaConfig::new(KEY).with_endpoint(server.url().as_str()).with_http_settings(http)
}

pub(crate) fn search(server: &Server) -> ExaTextSearch {
    ExaTextSearch::new(config(server)).unwrap()
}

pub(crate) fn answer(urls: &[&str]) -> Response {
    let results: Vec<Value> = urls.iter().map(|url| json!({ "url": url })).collect();
    Response::json(&json!({ "results": results }))
}
