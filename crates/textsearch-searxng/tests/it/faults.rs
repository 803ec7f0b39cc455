use textsearch_conformance::Replay;
use textsearch_core::{Error, ErrorKind, SearchOptions, TextSearchConnector};

use crate::support::{config, search};

async fn failure(status: u16, body: &'static str) -> Error {
    let instance = Replay::of([(status, body)]);
    let search = search(config(), &instance);
    search.records("x", &SearchOptions::top(1)).await.unwrap_err()
}

#[tokio::test]
async fn status_403_explains_how_to_enable_json() {
    let error = failure(403, "<!doctype html><title>403 Forbidden</title>").await;
    assert_eq!(error.kind(), &ErrorKind::Authentication);
    assert!(error.message().contains("add `json` to `search.formats`"), "{error}");
}

#[tokio::test]
async fn status_429_names_the_limiter() {
    let error = failure(429, "Too Many Requests").await;
    assert_eq!(error.kind(), &ErrorKind::RateLimited);
    assert!(error.message().contains("`server.limiter`"), "{error}");
}

#[tokio::test]
async fn error_keeps_the_instances_message() {
    let error = failure(400, r#"{"error": "Invalid value \"x\" for parameter language"}"#).await;
    assert!(error.message().contains(r#"Invalid value "x" for parameter language"#), "{error}");
    assert!(matches!(error.kind(), ErrorKind::UnexpectedStatus { status: 400, .. }));
}

#[tokio::test]
async fn json_without_results_is_undecodable() {
    let error = failure(200, r#"{"query": "x"}"#).await;
    assert_eq!(error.kind(), &ErrorKind::Undecodable);
    assert!(error.message().contains("missing field `results`"), "{error}");
}
