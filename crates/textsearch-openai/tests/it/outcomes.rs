use serde_json::json;
use textsearch_conformance::{
    chat::{ModelScript, Turn},
    core::chat::Usage,
};
use textsearch_openai::{ChatOptions, ChatResponse, FinishReason, ToolCall};

use crate::support::Talk;

async fn answer(turn: Turn) -> ChatResponse {
    let talk = Talk::with(ModelScript::from_fn(move |_| turn.clone())).await;
    let whole = talk.ask(&ChatOptions::new()).await.unwrap();
    let streamed = talk.streamed(&ChatOptions::new()).await.unwrap();
    let calls = |response: &ChatResponse| response.message.tool_calls().count();
    if calls(&whole) == 0 {
        assert_eq!(whole.message, streamed.message);
    }
    assert_eq!(whole.finish_reason, streamed.finish_reason);
    assert_eq!(whole.usage, streamed.usage);
    talk.model.assert_valid();
    whole
}

#[tokio::test]
async fn a_complete_text_has_stop_reason_and_usage() {
    let mut usage = Usage::new(20, 10);
    (usage.cached_tokens, usage.reasoning_tokens) = (5, 4);
    let response = answer(Turn::text("Größe: 東京 🌍").with_usage(usage)).await;
    assert_eq!(response.message.text(), "Größe: 東京 🌍");
    assert_eq!(response.finish_reason, FinishReason::Stop);
    assert_eq!(response.usage, Some(usage));
    assert_eq!(response.model.as_deref(), Some("scripted-model"));
    assert_eq!(response.id.as_deref(), Some("chatcmpl-scripted-0"));
    assert_eq!(response.metadata["system_fingerprint"], "fp_scripted");
}

#[tokio::test]
async fn parallel_calls_keep_order_and_arguments() {
    let first = json!({ "query": "ä".repeat(40) });
    let second = json!({ "count": 3 });
    let turn = Turn::text("Let me look.").with_raw_tool_call(Some("a"), "One", first.to_string());
    let turn = turn.with_raw_tool_call(Some("b"), "Two", second.to_string());
    let talk = Talk::with([turn.clone(), turn]).await;
    let whole = talk.ask(&ChatOptions::new()).await.unwrap();
    let streamed = talk.streamed(&ChatOptions::new()).await.unwrap();
    assert_eq!(whole.message, streamed.message);
    assert_eq!(streamed.finish_reason, FinishReason::ToolCalls);
    let calls: Vec<&ToolCall> = streamed.message.tool_calls().collect();
    let expected = [
        ToolCall::new("a", "One", first.to_string()),
        ToolCall::new("b", "Two", second.to_string()),
    ];
    assert_eq!(calls, expected.iter().collect::<Vec<_>>());
}

#[tokio::test]
async fn a_refusal_is_separate_from_text() {
    let response = answer(Turn::refusal("I will not.")).await;
    assert_eq!(response.finish_reason, FinishReason::Refusal);
    assert_eq!(response.message.refusal(), Some("I will not."));
    assert_eq!(response.message.text(), "");
}

#[tokio::test]
async fn a_truncated_response_finishes_with_length() {
    let response = answer(Turn::text("It is").with_finish_reason("length")).await;
    assert_eq!(response.finish_reason, FinishReason::Length);
    assert_eq!(response.message.text(), "It is");
}

#[tokio::test]
async fn a_filtered_response_finishes_with_content_filter() {
    let response = answer(Turn::text("It").with_finish_reason("content_filter")).await;
    assert_eq!(response.finish_reason, FinishReason::ContentFilter);
}

#[tokio::test]
async fn a_filtered_prompt_gives_a_response_without_text() {
    let response = answer(Turn::prompt_filtered()).await;
    assert_eq!(response.finish_reason, FinishReason::ContentFilter);
    assert!(response.message.parts.is_empty());
    assert_eq!(response.metadata["prompt_filtered"], true);
}

#[tokio::test]
async fn unknown_finish_reasons_are_kept() {
    let response = answer(Turn::text("It is").with_finish_reason("abort")).await;
    assert_eq!(response.finish_reason, FinishReason::Other("abort".to_owned()));
}
