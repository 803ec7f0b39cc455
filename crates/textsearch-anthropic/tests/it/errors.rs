use std::time::Duration;

use serde_json::{Value, json};
use textsearch_anthropic::{AnthropicChat, AnthropicConfig, Error, ErrorKind};
use textsearch_conformance::{LogCapture, Response};

use crate::support::{KEY, Talk, events, message, text_of};

fn failure(code: &str, message: &str) -> Value {
    json!({ "type": "error", "error": { "type": code, "message": message }, "request_id": "req_1" })
}

async fn failed(status: u16, code: &str) -> Error {
    let response = Response::json(&failure(code, "Because.")).with_status(status);
    Talk::answering(response.with_header("retry-after", "7")).await.ask().await.unwrap_err()
}

#[tokio::test]
async fn errors_have_their_kind_and_code() {
    for (status, code, kind) in [
        (401, "authentication_error", ErrorKind::Authentication),
        (400, "billing_error", ErrorKind::QuotaExceeded),
        (429, "rate_limit_error", ErrorKind::RateLimited),
        (529, "overloaded_error", ErrorKind::Unavailable),
        (500, "api_error", ErrorKind::Unavailable),
    ] {
        let error = failed(status, code).await;
        assert_eq!(error.kind(), &kind, "{error}");
        assert!(error.to_string().contains("Because."), "{error}");
        assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
    }
    let error = failed(404, "not_found_error").await;
    let ErrorKind::UnexpectedStatus { code, .. } = error.kind() else { unreachable!() };
    assert_eq!(code.as_deref(), Some("not_found_error"));
}

#[tokio::test]
async fn an_error_in_a_stream_ends_it() {
    let talk = Talk::answering(events(&[
        json!({ "type": "message_start", "message": message(json!([])) }),
        failure("overloaded_error", "Busy."),
    ]))
    .await;
    let (updates, end) = talk.listen().await;
    assert!(updates.is_empty());
    let error = end.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Unavailable);
    assert!(error.to_string().contains("overloaded_error"), "{error}");
}

#[tokio::test]
async fn a_cut_stream_is_no_answer() {
    let beginning = json!({ "type": "message_start", "message": message(json!([])) });
    let start =
        |block| json!({ "type": "content_block_start", "index": 0, "content_block": block });
    let text = start(json!({ "type": "text", "text": "Half" }));
    let call = start(json!({ "type": "tool_use", "id": "1", "name": "Find", "input": {} }));
    let end = json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } });
    let stop = json!({ "type": "message_stop" });
    for cut in [
        vec![beginning.clone(), text.clone(), json!({ "type": "content_block_stop", "index": 0 })],
        vec![beginning.clone(), call.clone(), end.clone()],
        vec![beginning, call, end, stop],
    ] {
        let (_, end) = Talk::answering(events(&cut)).await.listen().await;
        assert_eq!(end.unwrap_err().kind(), &ErrorKind::Unavailable);
    }
}

#[tokio::test]
async fn a_stream_may_be_one_body_of_json() {
    let text = json!({ "type": "text", "text": "Yes." });
    let whole = Response::json(&message(json!([text])));
    let (updates, end) = Talk::answering(whole).await.listen().await;
    end.unwrap();
    assert_eq!(text_of(&updates), "Yes.");
    let error = Response::json(&failure("billing_error", "Because."));
    let (_, end) = Talk::answering(error).await.listen().await;
    assert_eq!(end.unwrap_err().kind(), &ErrorKind::QuotaExceeded);
}

#[tokio::test]
async fn a_piece_without_a_block_is_undecodable() {
    let delta = json!({ "type": "text_delta", "text": "a" });
    let delta = json!({ "type": "content_block_delta", "index": 3, "delta": delta });
    let (_, end) = Talk::answering(events(&[delta])).await.listen().await;
    assert_eq!(end.unwrap_err().kind(), &ErrorKind::Undecodable);
}

#[tokio::test]
async fn an_endless_answer_is_undecodable() {
    let blocks = vec![json!({ "type": "text", "text": "a" }); 1_001];
    let long = vec![json!({ "type": "text", "text": "a".repeat(5_000_000) })];
    for content in [blocks, long] {
        let response = Response::json(&message(content.into()));
        let error = Talk::answering(response).await.ask().await.unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Undecodable);
    }
}

#[tokio::test]
async fn a_key_stays_out_of_errors_and_debug_and_logs() {
    let log = LogCapture::start();
    let echo = format!("the key {KEY} is wrong");
    for response in [
        Response::json(&failure(KEY, &echo)).with_status(401),
        Response::json(&failure(KEY, &echo)),
        Response::json(&json!({ "content": KEY })),
        events(&[failure("api_error", &echo)]),
        Response::new(200, "text/event-stream", format!("data: {{\"type\":\"{KEY}\n\n")),
    ] {
        let talk = Talk::answering(response).await;
        let whole = talk.ask().await.unwrap_err();
        let (_, streamed) = talk.listen().await;
        let texts = [format!("{whole} {whole:?} {:?}", talk.chat), format!("{streamed:?}")];
        for text in texts.into_iter().chain([log.text()]) {
            assert!(!text.contains(KEY), "{text}");
        }
    }
}

#[test]
fn impossible_settings_are_refused() {
    let mut endless = AnthropicConfig::new(KEY, "m");
    endless.max_tokens = 0;
    for (config, name) in [
        (AnthropicConfig::new("", "m"), "api_key"),
        (AnthropicConfig::new(KEY, " "), "model"),
        (endless, "max_tokens"),
        (AnthropicConfig::new(KEY, "m").with_endpoint("nowhere"), "endpoint"),
    ] {
        let error = AnthropicChat::new(config).unwrap_err();
        let ErrorKind::InvalidOptions { option, .. } = error.kind() else { unreachable!() };
        assert_eq!(option, name);
    }
}
