use serde_json::{Value, json};
use textsearch_conformance::Server;
use textsearch_perplexity::{Error, SearchOptions, TextSearchConnector};

use crate::support::search;

async fn error(status: u16, body: Value) -> Error {
    let server = Server::of([(status, body.to_string())]).await;
    search(&server).records("rust", &SearchOptions::top(1)).await.unwrap_err()
}

#[tokio::test]
async fn each_error_has_its_kind_and_keeps_the_message() {
    let cases = [
        (401, "invalid_api_key", "authentication"),
        (429, "rate_limit_exceeded", "rate_limited"),
        (429, "insufficient_quota", "quota_exceeded"),
        (400, "budget_exceeded", "quota_exceeded"),
        (400, "auth_error", "authentication"),
        (500, "internal_error", "unavailable"),
        (400, "invalid_request", "unexpected_status"),
    ];
    for (status, code, kind) in cases {
        let body = json!({ "error": { "message": "it is wrong", "type": code, "code": status } });
        let error = error(status, body).await;
        assert_eq!(error.kind().name(), kind, "{status} {code}");
        assert!(error.message().ends_with("it is wrong"), "{error}");
    }
}

#[tokio::test]
async fn messages_of_a_proxy_are_found() {
    let faults = json!([{ "loc": ["body", "query"], "msg": "Field required" }]);
    for (body, expected) in [
        (json!({ "detail": "Not Found" }), ": Not Found"),
        (json!({ "detail": { "error": "no such tool" } }), ": no such tool"),
        (json!({ "detail": faults }), ": body.query: Field required"),
    ] {
        let error = error(404, body).await;
        assert!(error.message().ends_with(expected), "{error}");
    }
}
