use std::time::Duration;

use serde_json::{Value, json};
use textsearch_conformance::{RecordedRequest, Response, Server};
use textsearch_rerank::{RerankClient, RerankConfig, Reranker as _, Result, http::HttpSettings};

pub(crate) const KEY: &str = "open-sesame+1/2";

pub(crate) fn http() -> HttpSettings {
    HttpSettings::default()
        .with_proxy(false)
        .with_max_attempts(1)
        .with_backoff(Duration::ZERO, Duration::ZERO)
}

pub(crate) fn config(server: &Server) -> RerankConfig {
    RerankConfig::new(server.url().as_str()).with_http_settings(http())
}

pub(crate) fn texts(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("text {number}")).collect()
}

pub(crate) async fn scores(config: RerankConfig, count: usize) -> Result<Vec<f64>> {
    RerankClient::new(config).unwrap().rerank("a query", &texts(count)).await
}

/// The scores of three texts by a server with this answer.
pub(crate) async fn answered(answer: impl Into<Response>) -> Result<Vec<f64>> {
    let server = Server::of([answer]).await;
    scores(config(&server), 3).await
}

/// Scores each text by the number in it, best first.
pub(crate) fn by_number(request: &RecordedRequest) -> Response {
    let documents: Vec<Value> = request.json()["documents"].as_array().unwrap().clone();
    let rank = |(index, text): (usize, &Value)| {
        let number = text.as_str().unwrap().trim_start_matches("text ").trim_end();
        let number: f64 = number.parse().unwrap();
        json!({ "index": index, "relevance_score": number })
    };
    let mut results: Vec<Value> = documents.iter().enumerate().map(rank).collect();
    results.reverse();
    Response::json(&json!({ "results": results }))
}
