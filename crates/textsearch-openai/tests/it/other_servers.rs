use serde_json::{Value, json};
use textsearch_conformance::chat::Turn;
use textsearch_openai::{ChatOptions, ChatResponse, FinishReason, OpenAiConfig};

use crate::support::Talk;

async fn whole(body: Value) -> ChatResponse {
    let talk = Talk::with([Turn::raw("application/json", body.to_string())]).await;
    talk.ask(&ChatOptions::new()).await.unwrap()
}

async fn streamed(events: &[Value]) -> ChatResponse {
    let events: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    let talk = Talk::with([Turn::raw("text/event-stream", events + "data: [DONE]\n\n")]).await;
    talk.streamed(&ChatOptions::new()).await.unwrap()
}

fn choice(message: Value, reason: Value) -> Value {
    json!({ "choices": [{ "message": message, "finish_reason": reason }] })
}

fn delta(delta: Value, reason: Value) -> Value {
    json!({ "choices": [{ "delta": delta, "finish_reason": reason }] })
}

#[tokio::test]
async fn identifiers_usage_and_reasons_may_be_missing() {
    let response = whole(json!({ "choices": [{ "message": { "content": "Yes." } }] })).await;
    assert_eq!(response.message.text(), "Yes.");
    assert_eq!((response.finish_reason, response.usage), (FinishReason::Stop, None));
}

/// A response truncated at the token limit may end within an emoji.
#[tokio::test]
async fn a_byte_order_mark_and_half_an_emoji_are_read() {
    let body = r#"{ "choices": [{ "message": { "content": "Yes \ud83d" } }] }"#;
    let turn = Turn::raw("application/json", format!("\u{feff}{body}"));
    let response = Talk::with([turn]).await.ask(&ChatOptions::new()).await.unwrap();
    assert_eq!(response.message.text(), "Yes \u{fffd}");
    let event = r#"data: { "choices": [{ "delta": { "content": "No \ude00" } }] }"#;
    let turn = Turn::raw("text/event-stream", format!("{event}\n\ndata: [DONE]\n\n"));
    let response = Talk::with([turn]).await.streamed(&ChatOptions::new()).await.unwrap();
    assert_eq!(response.message.text(), "No \u{fffd}");
}

#[tokio::test]
async fn unknown_fields_are_ignored() {
    let mut body = choice(json!({ "content": "Yes.", "mood": "good" }), json!("stop"));
    body["timings"] = json!({ "predicted_ms": 3 });
    body["usage"] = json!({ "prompt_tokens": 3, "completion_tokens": null, "queue_time": 0.1 });
    // Some have the names of both APIs.
    body["usage"]["input_tokens"] = json!(0);
    let response = whole(body).await;
    assert_eq!(response.usage.unwrap().input_tokens, 3);
}

#[tokio::test]
async fn accepts_finish_reasons_of_other_services() {
    for (text, reason) in [
        ("eos", FinishReason::Stop),
        ("end_turn", FinishReason::Stop),
        ("max_tokens", FinishReason::Length),
        ("abort", FinishReason::Other("abort".to_owned())),
    ] {
        let response = whole(choice(json!({ "content": "Yes." }), json!(text))).await;
        assert_eq!(response.finish_reason, reason);
    }
}

#[tokio::test]
async fn object_arguments_and_stop_after_calls_are_accepted() {
    let call = json!({ "function": { "name": "Find", "arguments": { "query": "a" } } });
    let message = json!({ "content": null, "tool_calls": [call, call] });
    let response = whole(choice(message, json!("stop"))).await;
    assert_eq!(response.finish_reason, FinishReason::ToolCalls);
    let calls: Vec<_> = response.message.tool_calls().collect();
    assert_eq!(calls[0].arguments, "{\"query\":\"a\"}");
    assert!(!calls[0].id.is_empty());
    assert_ne!(calls[0].id, calls[1].id);
}

#[tokio::test]
async fn reasoning_is_kept_apart_from_the_text() {
    for name in ["reasoning_content", "reasoning"] {
        let response =
            whole(choice(json!({ "content": "Yes.", name: "Hm." }), json!("stop"))).await;
        assert_eq!(response.metadata["reasoning_content"], "Hm.");
        assert_eq!(response.message.text(), "Yes.");
    }
    let events = [
        delta(json!({ "reasoning_content": "H" }), json!(null)),
        delta(json!({ "reasoning_content": "m.", "content": "" }), json!(null)),
        delta(json!({ "content": "Yes." }), json!("stop")),
    ];
    let response = streamed(&events).await;
    assert_eq!(response.metadata["reasoning_content"], "Hm.");
}

#[tokio::test]
async fn reasoning_under_both_names_is_kept_once() {
    let thoughts = json!({ "reasoning_content": "Hm.", "reasoning": "Hm.", "content": "Yes." });
    let response = whole(choice(thoughts.clone(), json!("stop"))).await;
    assert_eq!(response.metadata["reasoning_content"], "Hm.");
    let response = streamed(&[delta(thoughts, json!("stop"))]).await;
    assert_eq!(response.metadata["reasoning_content"], "Hm.");
    assert_eq!(response.message.text(), "Yes.");
}

#[tokio::test]
async fn reads_a_delta_next_to_a_null_message() {
    let both = json!({ "message": null, "delta": { "content": "Yes." }, "finish_reason": "stop" });
    let response = streamed(&[json!({ "choices": [both] })]).await;
    assert_eq!(response.message.text(), "Yes.");
}

#[tokio::test]
async fn content_may_be_parts() {
    let parts = json!([{ "type": "text", "text": "Y" }, { "type": "text", "text": "es." }]);
    assert_eq!(
        whole(choice(json!({ "content": parts }), json!("stop"))).await.message.text(),
        "Yes."
    );
}

#[tokio::test]
async fn streamed_calls_may_lack_or_share_an_index() {
    let call = |index: Option<u32>, id: &str| {
        let function = json!({ "name": "Find", "arguments": "{}" });
        let mut call = json!({ "id": id, "type": "function", "function": function });
        if let Some(index) = index {
            call["index"] = json!(index);
        }
        delta(json!({ "tool_calls": [call] }), json!(null))
    };
    for index in [None, Some(0)] {
        let events = [call(index, "a"), call(index, "b"), delta(json!({}), json!("stop"))];
        let response = streamed(&events).await;
        let ids: Vec<&str> = response.message.tool_calls().map(|call| call.id.as_str()).collect();
        assert_eq!(ids, ["a", "b"], "{index:?}");
        assert_eq!(response.finish_reason, FinishReason::ToolCalls);
    }
}

#[tokio::test]
async fn accepts_a_whole_response_to_a_stream_request() {
    let body = choice(json!({ "content": "Yes." }), json!("stop")).to_string();
    let talk = Talk::with([Turn::raw("application/json; charset=utf-8", body)]).await;
    assert_eq!(talk.streamed(&ChatOptions::new()).await.unwrap().message.text(), "Yes.");
}

#[tokio::test]
async fn no_key_is_sent_unless_set() {
    let without = |config: OpenAiConfig| {
        OpenAiConfig::without_key(config.base_url, "m").with_http_settings(config.http)
    };
    let talk = Talk::configured([Turn::text("Yes.")], without).await;
    talk.ask(&ChatOptions::new()).await.unwrap();
    assert_eq!(talk.model.requests()[0].header("authorization"), None);
}

#[tokio::test]
async fn headers_name_organization_and_project() {
    let paid = |config: OpenAiConfig| config.with_organization("org-1").with_project("proj-2");
    let talk = Talk::configured([Turn::text("Yes.")], paid).await;
    talk.ask(&ChatOptions::new()).await.unwrap();
    let request = &talk.model.requests()[0];
    assert_eq!(request.header("openai-organization"), Some("org-1"));
    assert_eq!(request.header("openai-project"), Some("proj-2"));
    assert_eq!(request.header("authorization"), Some("Bearer open-sesame+1/2"));
}
