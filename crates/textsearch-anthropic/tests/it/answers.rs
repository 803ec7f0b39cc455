use serde_json::{Value, json};
use textsearch_anthropic::{
    ChatCompletion, ChatMessage, ChatOptions, ChatResponse, ChatUpdate, FinishReason, MessagePart,
    ModelCitation, ToolResult,
};
use textsearch_conformance::{Response, core::chat::ChatRole};

use crate::support::{Talk, events, message, question};

fn location(source: &str, quote: &str) -> Value {
    json!({
        "type": "search_result_location", "source": source, "title": "[1] Tides", "cited_text": quote,
        "search_result_index": 0, "start_block_index": 0, "end_block_index": 1,
    })
}

async fn whole(body: Value) -> ChatResponse {
    Talk::answering(Response::json(&body)).await.ask().await.unwrap()
}

fn start(index: usize, block: Value) -> Value {
    json!({ "type": "content_block_start", "index": index, "content_block": block })
}

fn delta(index: usize, delta: Value) -> Value {
    json!({ "type": "content_block_delta", "index": index, "delta": delta })
}

fn stop(index: usize) -> Value {
    json!({ "type": "content_block_stop", "index": index })
}

fn expected() -> Vec<ModelCitation> {
    let cited = |range, source: &str, quote: &str| {
        ModelCitation::new(range, source).with_title("Tides").with_quote(quote)
    };
    vec![cited(6..14, "https://a", "The moon."), cited(6..14, "s#1", "A storm.")]
}

#[tokio::test]
async fn citations_hold_the_passage_the_source_and_the_quote() {
    let citations = [location("https://a", "The moon."), location("s#1", "A storm.")];
    let response = whole(message(json!([
        { "type": "thinking", "thinking": "Hm.", "signature": null },
        { "type": "text", "text": "Söh: " },
        { "type": "text", "text": "The moon", "citations": citations },
        { "type": "text", "text": ".", "citations": null },
    ])))
    .await;
    assert_eq!(response.message.text(), "Söh: The moon.");
    assert_eq!(response.message.citations, expected());
}

#[tokio::test]
async fn citations_of_a_stream_come_with_the_answer() {
    let cite = |citation| json!({ "type": "citations_delta", "citation": citation });
    let say = |text: &str| json!({ "type": "text_delta", "text": text });
    let talk = Talk::answering(events(&[
        json!({ "type": "message_start", "message": message(json!([])) }),
        start(0, json!({ "type": "text", "text": "" })),
        delta(0, say("Söh: ")),
        stop(0),
        start(1, json!({ "type": "text", "text": "", "citations": [] })),
        delta(1, cite(location("https://a", "The moon."))),
        delta(1, say("The ")),
        delta(1, cite(location("s#1", "A storm."))),
        delta(1, say("moon")),
        stop(1),
        json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" } }),
        json!({ "type": "message_stop" }),
    ]))
    .await;
    let (updates, end) = talk.listen().await;
    end.unwrap();
    let [.., ChatUpdate::Finished(response)] = updates.as_slice() else { unreachable!() };
    assert_eq!(response.message.text(), "Söh: The moon");
    assert_eq!(response.message.citations, expected());
    assert_eq!(updates.len(), 4);
}

#[tokio::test]
async fn citations_without_a_source_are_left_out() {
    let citations = [location("", "x"), json!({ "type": "char_location", "cited_text": "y" })];
    let text = json!({ "type": "text", "text": "So.", "citations": citations });
    assert!(whole(message(json!([text]))).await.message.citations.is_empty());
}

#[tokio::test]
async fn usage_adds_cached_tokens() {
    let mut body = message(json!([]));
    body["usage"] = json!({
        "input_tokens": 5, "output_tokens": 9, "cache_creation_input_tokens": 20,
        "cache_read_input_tokens": 300, "output_tokens_details": { "thinking_tokens": 4 },
    });
    let usage = whole(body).await.usage.unwrap();
    let counts =
        [usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.reasoning_tokens];
    assert_eq!(counts, [325, 9, 300, 4]);
}

#[tokio::test]
async fn usage_of_a_stream_is_that_of_its_end() {
    let mut beginning = message(json!([]));
    beginning["usage"] = json!({ "input_tokens": 5, "output_tokens": 1 });
    let talk = Talk::answering(events(&[
        json!({ "type": "message_start", "message": beginning }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "max_tokens" },
                "usage": { "input_tokens": null, "output_tokens": 9 } }),
        json!({ "type": "message_stop" }),
    ]))
    .await;
    let stream = talk.chat.stream(&question(), &ChatOptions::new()).await.unwrap();
    let response = stream.into_response().await.unwrap();
    let usage = response.usage.unwrap();
    assert_eq!((usage.input_tokens, usage.output_tokens), (5, 9));
    assert_eq!(response.finish_reason, FinishReason::Length);
}

#[tokio::test]
async fn a_refusal_keeps_the_text_before_it() {
    let mut body = message(json!([{ "type": "text", "text": "First, " }]));
    body["stop_reason"] = "refusal".into();
    body["stop_details"] = json!({ "type": "refusal", "category": "bio", "explanation": "No." });
    let response = whole(body).await;
    assert_eq!(response.finish_reason, FinishReason::Refusal);
    let parts = [
        MessagePart::Text { text: "First, ".to_owned() },
        MessagePart::Refusal { text: "No.".to_owned() },
    ];
    assert_eq!(response.message.parts, parts);
}

fn reasoning(content: Value) -> MessagePart {
    MessagePart::Reasoning { provider: "anthropic".to_owned(), content }
}

#[tokio::test]
async fn thinking_is_metadata_and_a_part() {
    let thinking = json!({ "type": "thinking", "thinking": "Hm.", "signature": "x" });
    let unsigned = json!({ "type": "thinking", "thinking": " So." });
    let hidden = json!({ "type": "redacted_thinking", "data": "y" });
    let hosted = json!({ "type": "server_tool_use", "id": "1", "name": "web_search", "input": {} });
    let text = json!({ "type": "text", "text": "Yes." });
    let response = whole(message(json!([thinking, unsigned, hidden, hosted, text]))).await;
    let answer = MessagePart::Text { text: "Yes.".to_owned() };
    assert_eq!(response.message.parts, [reasoning(thinking), reasoning(hidden), answer]);
    assert_eq!(response.metadata["reasoning_content"], "Hm. So.");
    assert_eq!(response.finish_reason, FinishReason::Stop);
}

#[tokio::test]
async fn streamed_thinking_is_sent_back_before_its_call() {
    let call = json!({ "type": "tool_use", "id": "1", "name": "Find", "input": {} });
    let talk = Talk::answering(events(&[
        json!({ "type": "message_start", "message": message(json!([])) }),
        start(0, json!({ "type": "thinking", "thinking": "", "signature": "" })),
        delta(0, json!({ "type": "thinking_delta", "thinking": "Hm." })),
        delta(0, json!({ "type": "signature_delta", "signature": "x" })),
        stop(0),
        start(1, call.clone()),
        stop(1),
        json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } }),
        json!({ "type": "message_stop" }),
    ]))
    .await;
    let stream = talk.chat.stream(&question(), &ChatOptions::new()).await.unwrap();
    let answer = stream.into_response().await.unwrap().message;
    let thinking = json!({ "type": "thinking", "thinking": "Hm.", "signature": "x" });
    let other = MessagePart::Reasoning { provider: "openai".to_owned(), content: thinking.clone() };
    let parts = vec![MessagePart::Text { text: "So.".to_owned() }, reasoning(thinking.clone())];
    let messages = vec![
        ChatMessage::user("a"),
        answer,
        ChatMessage::tool_result(ToolResult::new("1", "7")),
        ChatMessage::new(ChatRole::Assistant, [vec![other], parts].concat()),
    ];
    let body = Talk::sent(messages, &ChatOptions::new()).await;
    assert_eq!(body["messages"][1]["content"], json!([thinking, call]));
    assert_eq!(body["messages"][3]["content"], json!([{ "type": "text", "text": "So." }]));
}
