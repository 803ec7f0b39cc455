use std::time::Duration;

use serde_json::{Value, json};
use textsearch_brave::{BraveTextSearch, Error, ErrorKind, SearchOptions, TextSearchConnector};
use textsearch_conformance::Server;

use crate::support::{KEY, config, reply};

async fn error(status: u16, headers: &'static str, error: Value) -> Error {
    let body = json!({ "type": "ErrorResponse", "error": error, "time": 1_762_077_600 });
    let server = Server::of([reply(status, headers, body.to_string())]).await;
    let search = BraveTextSearch::new(config(&server)).unwrap();
    search.records("rust", &SearchOptions::top(1)).await.unwrap_err()
}

#[tokio::test]
async fn a_wrong_key_with_422_is_authentication() {
    let body = json!({
        "id": "5d8c1f7e-0000-4000-8000-000000000000",
        "status": 422,
        "code": "SUBSCRIPTION_TOKEN_INVALID",
        "detail": format!("The provided subscription token {KEY} is invalid."),
        "meta": { "component": "authentication" }
    });
    let error = error(422, "", body).await;
    assert_eq!(error.kind(), &ErrorKind::Authentication);
    let words = "(SUBSCRIPTION_TOKEN_INVALID): The provided subscription token *** is invalid.";
    assert!(error.message().ends_with(words), "{error}");
}

#[tokio::test]
async fn an_error_keeps_code_and_message() {
    let body = json!({ "code": "VALIDATION", "detail": "Unable to validate request parameter(s)" });
    let error = error(422, "", body).await;
    let ErrorKind::UnexpectedStatus { status, code, .. } = error.kind() else {
        panic!("{error:?}")
    };
    assert_eq!((*status, code.as_deref()), (422, Some("VALIDATION")));
    assert!(error.message().ends_with("Unable to validate request parameter(s)"), "{error}");
}

#[tokio::test]
async fn errors_name_each_wrong_parameter() {
    let faults = json!([
        { "type": "int_parsing", "loc": ["query", "count"], "msg": "Input should be a valid integer" },
        { "type": "enum", "loc": ["query", "country"], "msg": format!("not\u{1b}[31m {KEY}") },
    ]);
    let detail = "Unable to validate request parameter(s)";
    let body = json!({ "code": "VALIDATION", "detail": detail, "meta": { "errors": faults } });
    let error = error(422, "", body).await;
    let expected = "(VALIDATION): Unable to validate request parameter(s): \
                    query.count: Input should be a valid integer; query.country: not [31m ***";
    assert!(error.message().ends_with(expected), "{error}");
}

#[tokio::test]
async fn requests_per_second_are_rate_limited_with_a_wait() {
    let headers = "X-RateLimit-Limit: 1, 15000\r\nX-RateLimit-Remaining: 0, 14321\r\n\
                   X-RateLimit-Reset: 2, 1419704\r\n";
    let meta =
        json!({ "rate_limit": 1, "rate_current": 1, "quota_limit": 15000, "quota_current": 679 });
    let body =
        json!({ "code": "RATE_LIMITED", "detail": "Request rate limit exceeded", "meta": meta });
    let error = error(429, headers, body).await;
    assert_eq!(error.kind(), &ErrorKind::RateLimited);
    assert_eq!(error.retry_after(), Some(Duration::from_secs(2)));
}

#[tokio::test]
async fn an_exhausted_month_is_a_quota_error() {
    let meta = json!({ "quota_limit": 2000, "quota_current": 2000 });
    let body =
        json!({ "code": "RATE_LIMITED", "detail": "Request rate limit exceeded", "meta": meta });
    let used_up = error(429, "", body.clone()).await;
    assert_eq!(used_up.kind(), &ErrorKind::QuotaExceeded);
    let headers = "X-RateLimit-Limit: 1, 2000\r\nX-RateLimit-Remaining: 0, 0\r\n";
    let body = json!({ "code": "RATE_LIMITED" });
    assert_eq!(error(429, headers, body.clone()).await.kind(), &ErrorKind::QuotaExceeded);
    let endless = "X-RateLimit-Limit: 50, 0\r\nX-RateLimit-Remaining: 0, 0\r\n";
    assert_eq!(error(429, endless, body).await.kind(), &ErrorKind::RateLimited);
}
