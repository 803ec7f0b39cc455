use std::time::Duration;

use serde_json::json;
use textsearch_conformance::{Response, Server};
use textsearch_rerank::{Error, ErrorKind};

use crate::support::{answered, config, http, scores};

async fn failed(status: u16, body: &str) -> Error {
    answered((status, body)).await.unwrap_err()
}

#[tokio::test]
async fn messages_of_every_provider_are_found() {
    let detail = r#"{ "detail": [{ "loc": ["body", "documents"], "msg": "Field required" }] }"#;
    let vllm = r#"{ "error": { "message": "The model `m` does not exist.", "type": "NotFoundError", "param": null, "code": 404 } }"#;
    let tei = r#"{ "error": "batch size 33 > maximum allowed batch size 32", "error_type": "Validation" }"#;
    let cases = [
        (
            400,
            r#"{ "message": "invalid request: model is required" }"#,
            ": invalid request: model is required",
        ),
        (400, r#"{ "detail": "documents must not be empty" }"#, ": documents must not be empty"),
        (404, vllm, " (NotFoundError): The model `m` does not exist."),
        (413, tei, " (Validation): batch size 33 > maximum allowed batch size 32"),
        (422, detail, ": body.documents: Field required"),
        (418, "a teapot", ": a teapot"),
        (400, r#"{ "message": 7 }"#, r#": { "message": 7 }"#),
    ];
    for (status, body, expected) in cases {
        let error = failed(status, body).await;
        assert!(error.message().ends_with(expected), "{error}");
        assert_eq!(error.kind().name(), "unexpected_status");
    }
}

#[tokio::test]
async fn each_status_has_its_kind() {
    let cases = [
        (401, ErrorKind::Authentication),
        (402, ErrorKind::QuotaExceeded),
        (403, ErrorKind::Authentication),
        (429, ErrorKind::RateLimited),
        (500, ErrorKind::Unavailable),
        (503, ErrorKind::Unavailable),
    ];
    for (status, kind) in cases {
        assert_eq!(failed(status, r#"{ "detail": "no" }"#).await.kind(), &kind, "{status}");
    }
}

#[tokio::test]
async fn the_delay_that_the_server_asks_for_is_kept() {
    let busy = Response::new(429, "application/json", r#"{ "message": "too many requests" }"#);
    let error = answered(busy.with_header("Retry-After", "7")).await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::RateLimited);
    assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
}

#[tokio::test]
async fn a_busy_server_is_asked_again() {
    let busy = Response::new(429, "application/json", "").with_header("Retry-After", "0");
    let ranks = |index| json!({ "index": index, "relevance_score": index });
    let results = json!({ "results": [ranks(1), ranks(0)] });
    let server = Server::of([busy, (500, "").into(), Response::json(&results)]).await;
    let config = config(&server).with_http_settings(http().with_max_attempts(3));
    assert_eq!(scores(config, 2).await.unwrap(), [0.0, 1.0]);
    assert_eq!(server.count(), 3);
}

#[tokio::test]
async fn an_absent_server_is_unavailable() {
    let url = Server::nowhere().await;
    let config = textsearch_rerank::RerankConfig::new(url.as_str()).with_http_settings(http());
    assert_eq!(scores(config, 1).await.unwrap_err().kind(), &ErrorKind::Unavailable);
}
