use std::error::Error as StdError;

use serde_json::json;
use textsearch_conformance::{LogCapture, Response, Server};
use textsearch_rerank::{Error, RerankClient, RerankConfig};

use crate::support::{KEY, config, scores};

fn assert_secret(text: &str) {
    for form in [KEY, "open-sesame%2B1%2F2"] {
        assert!(!text.contains(form), "the key is in: {text}");
    }
}

fn printed(error: &Error) -> String {
    let first: Option<&(dyn StdError + 'static)> = Some(error);
    let causes = std::iter::successors(first, |&cause| cause.source());
    causes.map(|cause| format!("{cause}\n{cause:?}\n{cause:#?}\n")).collect()
}

/// Each has the API key in it.
fn faults() -> Vec<Response> {
    let echo = format!("the key {KEY} is wrong");
    vec![
        Response::json(&json!({ "message": echo })).with_status(401),
        Response::json(&json!({ "detail": echo })).with_status(403),
        Response::json(&json!({ "error": echo, "error_type": KEY })).with_status(424),
        Response::json(&json!({ "error": { "message": echo, "code": KEY } })).with_status(500),
        Response::new(418, "text/plain", echo),
        Response::json(&json!({ "results": KEY })),
        Response::json(&json!({ "results": [{ "index": KEY }] })),
        Response::json(&json!([])).with_status(302).with_header("Location", format!("/{KEY}")),
    ]
}

#[tokio::test]
async fn a_key_stays_out_of_errors_and_logs() {
    let log = LogCapture::start();
    for fault in faults() {
        let server = Server::of([fault]).await;
        let error = scores(config(&server).with_api_key(KEY), 1).await.unwrap_err();
        assert_secret(&printed(&error));
    }
    let text = log.text();
    assert!(text.contains("http.attempt"), "nothing was logged: {text}");
    assert_secret(&text);
}

#[test]
fn debug_hides_keys_and_passwords() {
    let endpoint = "https://me:sesame@a.example/v1/rerank?key=sesame";
    let config = RerankConfig::new(endpoint).with_api_key(KEY);
    let client = RerankClient::new(config.clone()).unwrap();
    let printed = format!("{config:?} {client:#?}");
    assert!(printed.contains("https://a.example/v1/rerank"), "{printed}");
    assert!(!printed.contains("sesame"), "{printed}");
}
