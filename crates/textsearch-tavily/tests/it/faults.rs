use serde_json::{Value, json};
use textsearch_conformance::Server;
use textsearch_tavily::{Error, ErrorKind, SearchOptions, TavilyTextSearch, TextSearchConnector};

use crate::support::{KEY, config};

async fn error(status: u16, body: Value) -> Error {
    let server = Server::of([(status, body.to_string())]).await;
    let search = TavilyTextSearch::new(config(&server)).unwrap();
    search.records("rust", &SearchOptions::top(1)).await.unwrap_err()
}

#[tokio::test]
async fn each_status_has_its_kind_and_keeps_the_message() {
    let cases = [
        (401, "authentication", "Unauthorized: missing or invalid API key."),
        (429, "rate_limited", "Your request has been blocked due to excessive requests."),
        (432, "quota_exceeded", "This request exceeds your plan's set usage limit."),
        (433, "quota_exceeded", "This request exceeds the pay-as-you-go limit."),
        (500, "unavailable", "Internal Server Error"),
        (400, "unexpected_status", "Invalid topic. Must be 'general' or 'news'."),
    ];
    for (status, kind, words) in cases {
        let error = error(status, json!({ "detail": { "error": words } })).await;
        assert_eq!(error.kind().name(), kind, "{status}");
        assert!(error.message().ends_with(words), "{error}");
    }
}

#[tokio::test]
async fn messages_are_found_in_all_error_formats() {
    let forms = [json!({ "detail": "it is wrong" }), json!({ "error": "it is wrong" })];
    for form in forms {
        let error = error(422, form).await;
        assert!(error.message().ends_with(": it is wrong"), "{error}");
    }
}

#[tokio::test]
async fn errors_name_each_wrong_parameter() {
    let faults = json!([
        { "loc": ["body", "max_results"], "msg": "Input should be a valid integer" },
        { "loc": ["body", "topic"], "msg": "Field required" },
    ]);
    let error = error(422, json!({ "detail": faults })).await;
    let expected =
        ": body.max_results: Input should be a valid integer; body.topic: Field required";
    assert!(error.message().ends_with(expected), "{error}");
}

#[tokio::test]
async fn an_exhausted_plan_is_a_quota_error() {
    assert_eq!(error(432, json!(null)).await.kind(), &ErrorKind::QuotaExceeded);
}

#[tokio::test]
async fn a_key_in_an_error_message_is_removed() {
    let error = error(401, json!({ "detail": { "error": format!("bad key {KEY}") } })).await;
    assert!(error.message().ends_with("bad key ***"), "{error}");
}
