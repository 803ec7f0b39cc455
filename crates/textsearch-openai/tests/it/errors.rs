use std::time::Duration;

use serde_json::json;
use textsearch_conformance::chat::{ModelScript, Turn};
use textsearch_openai::{ChatOptions, Error, ErrorKind, http::HttpSettings};

use crate::support::Talk;

async fn error(turn: Turn) -> Error {
    let talk = Talk::with([turn.clone(), turn]).await;
    let whole = talk.ask(&ChatOptions::new()).await.unwrap_err();
    let (updates, streamed) = talk.listen(&ChatOptions::new()).await;
    assert!(updates.is_empty());
    assert_eq!(streamed.unwrap_err().to_string(), whole.to_string());
    whole
}

fn code(error: &Error) -> Option<&str> {
    match error.kind() {
        ErrorKind::UnexpectedStatus { code, .. } => code.as_deref(),
        _ => None,
    }
}

fn model_not_found() -> Turn {
    let message = "The model `none` does not exist or you do not have access to it.";
    Turn::failure(404, "invalid_request_error", Some("model_not_found"), message)
}

#[tokio::test]
async fn each_error_has_its_kind() {
    let cases = [
        (Turn::unauthorized(), "authentication", false),
        (Turn::rate_limited(3), "rate_limited", true),
        (Turn::insufficient_quota(), "quota_exceeded", false),
        (Turn::server_error(), "unavailable", true),
        (Turn::context_length_exceeded(), "unexpected_status", false),
        (model_not_found(), "unexpected_status", false),
    ];
    for (turn, kind, is_retryable) in cases {
        let error = error(turn).await;
        assert_eq!((error.kind().name(), error.is_retryable()), (kind, is_retryable), "{error}");
    }
}

#[tokio::test]
async fn provider_codes_and_messages_are_kept() {
    assert_eq!(
        code(&error(Turn::context_length_exceeded()).await),
        Some("context_length_exceeded")
    );
    let error = error(model_not_found()).await;
    assert_eq!(code(&error), Some("model_not_found"));
    let words = "answered 404 Not Found (model_not_found): The model `none` does not exist or you do \
                 not have access to it.";
    assert!(error.message().ends_with(words), "{error}");
}

/// llama.cpp's numeric code repeats the status, and its type says what happened.
#[tokio::test]
async fn a_context_overflow_has_one_code_on_every_server() {
    let message = "request (3010 tokens) exceeds the available context size (1024 tokens)";
    let error_object =
        json!({ "code": 400, "message": message, "type": "exceed_context_size_error" });
    let error = error(Turn::raw_failure(400, json!({ "error": error_object }))).await;
    assert_eq!(code(&error), Some("context_length_exceeded"));
    assert!(error.message().ends_with(&format!("(context_length_exceeded): {message}")), "{error}");
}

#[tokio::test]
async fn a_type_names_the_error_better_than_a_number() {
    let body = json!({ "error": { "code": 404, "message": "No.", "type": "NotFoundError" } });
    assert_eq!(code(&error(Turn::raw_failure(404, body)).await), Some("NotFoundError"));
    let body = json!({ "error": { "code": 404, "message": "No." } });
    assert_eq!(code(&error(Turn::raw_failure(404, body)).await), Some("404"));
}

#[tokio::test]
async fn retry_after_is_read_in_seconds_or_milliseconds() {
    assert_eq!(error(Turn::rate_limited(3)).await.retry_after(), Some(Duration::from_secs(3)));
    let turn = Turn::rate_limited(3).with_header("retry-after-ms", "250");
    assert_eq!(error(turn).await.retry_after(), Some(Duration::from_millis(250)));
}

fn patient() -> HttpSettings {
    let http = HttpSettings::default().with_proxy(false).with_max_attempts(3);
    http.with_backoff(Duration::ZERO, Duration::ZERO)
}

async fn attempts(turns: Vec<Turn>) -> (usize, bool) {
    let script = ModelScript::turns(turns);
    let talk = Talk::configured(script, |config| config.with_http_settings(patient())).await;
    let outcome = talk.ask(&ChatOptions::new()).await;
    (talk.model.requests().len(), outcome.is_ok())
}

#[tokio::test]
async fn only_transient_errors_are_retried() {
    let then_text = |turn| vec![turn, Turn::text("Yes.")];
    assert_eq!(attempts(then_text(Turn::rate_limited(0))).await, (2, true));
    assert_eq!(attempts(then_text(Turn::server_error())).await, (2, true));
    assert_eq!(attempts(then_text(Turn::insufficient_quota())).await, (1, false));
    assert_eq!(attempts(then_text(Turn::unauthorized())).await, (1, false));
}

#[tokio::test]
async fn an_error_object_with_status_200_is_an_error() {
    let body = json!({ "error": { "message": "The model is not loaded.", "code": 500 } });
    let talk = Talk::with([Turn::raw("application/json", body.to_string())]).await;
    let error = talk.ask(&ChatOptions::new()).await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Unavailable);
    assert!(error.message().ends_with("the answer is an error (500): The model is not loaded."));
}

#[tokio::test]
async fn errors_are_read_from_unexpected_bodies() {
    let body = json!({ "error": { "message": "Out of memory." }, "choices": "none", "id": 7 });
    let talk = Talk::with([Turn::raw("application/json", body.to_string())]).await;
    let error = talk.ask(&ChatOptions::new()).await.unwrap_err();
    assert!(error.message().ends_with("the answer is an error: Out of memory."), "{error}");
}

#[tokio::test]
async fn a_malformed_response_is_undecodable_with_a_reason() {
    for (body, expected) in [
        (
            r#"{"choices":"none"}"#,
            "the answer cannot be read: invalid type: string \"none\", expected a list of at most 1000 items",
        ),
        (r#"{"choices":[]}"#, "the answer cannot be read: it has no choice"),
        (
            r#"{"choices":[{}], "id": 7}"#,
            "the answer cannot be read: invalid type: integer `7`, expected a string",
        ),
    ] {
        let talk = Talk::with([Turn::raw("application/json", body)]).await;
        let error = talk.ask(&ChatOptions::new()).await.unwrap_err();
        assert!(error.message().ends_with(expected), "{error}");
    }
    let talk = Talk::with([Turn::raw("application/json", r#"{"choices":[}"#)]).await;
    let error = talk.ask(&ChatOptions::new()).await.unwrap_err();
    assert!(error.message().contains("at line 1, column 13"), "{error}");
}

#[tokio::test]
async fn accepts_a_repeated_field() {
    let body = r#"{"id": "a", "id": "b", "choices": [{ "message": { "content": "Yes." } }]}"#;
    let talk = Talk::with([Turn::raw("application/json", body)]).await;
    let response = talk.ask(&ChatOptions::new()).await.unwrap();
    assert_eq!((response.message.text().as_str(), response.id.as_deref()), ("Yes.", Some("b")));
}

#[tokio::test]
async fn a_response_without_a_choice_is_undecodable() {
    for body in ["{}", r#"{"choices":[]}"#, r#"{"choices":"none"}"#, "[]", "\"yes\""] {
        let talk = Talk::with([Turn::raw("application/json", body)]).await;
        let error = talk.ask(&ChatOptions::new()).await.unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Undecodable, "{body}");
    }
}
