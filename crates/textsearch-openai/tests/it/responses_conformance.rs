//! The conformance suite for chat services, over the Responses API.

use serde_json::{Value, json};
use textsearch_conformance::{
    Endpoint, RecordedRequest, Response,
    core::chat::{ChatResponse, ChatUpdate, FinishReason},
};
use textsearch_openai::{MessagePart, OpenAiChat, OpenAiConfig, Protocol};

use crate::conformance::{pieces, updates};

fn answer(request: &RecordedRequest, response: &ChatResponse) -> Response {
    let expected = format!("Bearer {}", Endpoint::KEY);
    assert_eq!(request.header("authorization"), Some(expected.as_str()));
    assert_eq!(request.path, "/v1/responses");
    if request.json()["stream"] == true {
        Response::new(200, "text/event-stream", events(response))
    } else {
        Response::json(&written(response))
    }
}

fn written(response: &ChatResponse) -> Value {
    let reason = match &response.finish_reason {
        FinishReason::Length => Some("max_output_tokens"),
        FinishReason::ContentFilter => Some("content_filter"),
        FinishReason::Other(reason) => Some(reason.as_str()),
        _ => None,
    };
    let usage = response.usage.map(
        |usage| json!({ "input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens }),
    );
    json!({
        "id": "resp_1", "model": "m", "error": null, "usage": usage,
        "status": if reason.is_some() { "incomplete" } else { "completed" },
        "incomplete_details": reason.map(|reason| json!({ "reason": reason })),
        "output": response.message.parts.iter().map(item).collect::<Vec<Value>>(),
    })
}

fn item(part: &MessagePart) -> Value {
    let message =
        |part: Value| json!({ "type": "message", "role": "assistant", "content": [part] });
    match part {
        MessagePart::Text { text } => {
            message(json!({ "type": "output_text", "text": text, "annotations": [] }))
        }
        MessagePart::Refusal { text } => message(json!({ "type": "refusal", "refusal": text })),
        MessagePart::ToolCall(call) => json!({
            "type": "function_call", "id": "fc_1", "call_id": call.id, "name": call.name,
            "arguments": call.arguments, "status": "completed",
        }),
        _ => Value::Null,
    }
}

fn events(response: &ChatResponse) -> String {
    let mut events = vec![json!({ "type": "response.created", "response": { "output": [] } })];
    let delta = |kind: &str, piece: String| json!({ "type": format!("response.{kind}.delta"), "delta": piece });
    let parts = response.message.parts.iter();
    for (update, part) in updates(response).zip(parts) {
        match update {
            ChatUpdate::Text(text) => {
                events.extend(
                    pieces(&text, 500).into_iter().map(|piece| delta("output_text", piece)),
                );
            }
            ChatUpdate::Refusal(text) => {
                events.extend(pieces(&text, 500).into_iter().map(|piece| delta("refusal", piece)));
            }
            ChatUpdate::ToolCall(call) => {
                let pieces = pieces(&call.arguments, 20).into_iter();
                events.extend(pieces.map(|piece| delta("function_call_arguments", piece)));
            }
            _ => {}
        }
        events.push(json!({ "type": "response.output_item.done", "item": item(part) }));
    }
    let response = written(response);
    let kind = format!("response.{}", response["status"].as_str().unwrap());
    events.push(json!({ "type": kind, "response": response }));
    let event =
        |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap());
    events.iter().map(event).collect()
}

textsearch_conformance::chat_suite!(
    |endpoint| {
        let mut config = OpenAiConfig::new(endpoint.key(), "scripted-model")
            .with_base_url(format!("{}/v1", endpoint.base()))
            .with_http_settings(endpoint.http_settings().clone());
        config.protocol = Protocol::Responses;
        OpenAiChat::new(config)
    },
    answer,
);
