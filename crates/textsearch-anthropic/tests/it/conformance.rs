//! The conformance suite for chat services.

use serde_json::{Value, json};
use textsearch_anthropic::{AnthropicChat, AnthropicConfig, FinishReason, MessagePart};
use textsearch_conformance::{
    Endpoint, RecordedRequest, Response,
    core::chat::{ChatResponse, Usage},
};

use crate::support::events;

fn answer(request: &RecordedRequest, response: &ChatResponse) -> Response {
    assert_eq!(request.header("x-api-key"), Some(Endpoint::KEY));
    assert_eq!(request.header("anthropic-version"), Some("2026-10-21"));
    assert_eq!(request.path, "/v1/messages");
    assert!(request.json()["max_tokens"].is_u64());
    if request.json()["stream"] == true {
        events(&streamed(response))
    } else {
        Response::json(&whole(response))
    }
}

fn whole(response: &ChatResponse) -> Value {
    let mut message = beginning(blocks(response));
    message["stop_reason"] = reason(response).into();
    message["stop_details"] = details(response);
    message["usage"] = json!(response.usage.map(usage));
    message
}

fn beginning(content: Vec<Value>) -> Value {
    json!({ "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": content })
}

fn blocks(response: &ChatResponse) -> Vec<Value> {
    let block = |part: &MessagePart| match part {
        MessagePart::Text { text } => Some(json!({ "type": "text", "text": text })),
        MessagePart::ToolCall(call) => {
            let input: Value = serde_json::from_str(&call.arguments).unwrap();
            Some(json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": input }))
        }
        _ => None,
    };
    response.message.parts.iter().filter_map(block).collect()
}

fn reason(response: &ChatResponse) -> &str {
    match &response.finish_reason {
        FinishReason::Stop => "end_turn",
        FinishReason::ToolCalls => "tool_use",
        FinishReason::Length => "max_tokens",
        reason => reason.name(),
    }
}

/// The provider explains a refusal outside the content.
fn details(response: &ChatResponse) -> Value {
    let explanation = response.message.refusal();
    explanation.map_or(Value::Null, |text| json!({ "type": "refusal", "explanation": text }))
}

fn usage(usage: Usage) -> Value {
    json!({ "input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens })
}

fn streamed(response: &ChatResponse) -> Vec<Value> {
    let mut events = vec![
        json!({ "type": "message_start", "message": beginning(Vec::new()) }),
        json!({ "type": "ping" }),
    ];
    for (index, mut block) in blocks(response).into_iter().enumerate() {
        let is_text = block["type"] == "text";
        let field = if is_text { "text" } else { "partial_json" };
        let content = if is_text {
            std::mem::replace(&mut block["text"], "".into())
        } else {
            std::mem::replace(&mut block["input"], json!({})).to_string().into()
        };
        let characters: Vec<char> = content.as_str().unwrap().chars().collect();
        events
            .push(json!({ "type": "content_block_start", "index": index, "content_block": block }));
        let kind = if is_text { "text_delta" } else { "input_json_delta" };
        for piece in characters.chunks(20).map(String::from_iter) {
            let delta = json!({ "type": kind, field: piece });
            events.push(json!({ "type": "content_block_delta", "index": index, "delta": delta }));
        }
        events.push(json!({ "type": "content_block_stop", "index": index }));
    }
    let delta = json!({ "stop_reason": reason(response), "stop_details": details(response) });
    let usage = response.usage.map(usage);
    events.push(json!({ "type": "message_delta", "delta": delta, "usage": usage }));
    events.push(json!({ "type": "message_stop" }));
    events
}

textsearch_conformance::chat_suite!(
    |endpoint| {
        let config = AnthropicConfig::new(endpoint.key(), "scripted-model")
            .with_endpoint(endpoint.base().as_str())
            .with_http_settings(endpoint.http_settings().clone());
        AnthropicChat::new(config)
    },
    answer,
);
