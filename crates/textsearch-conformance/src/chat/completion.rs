//! A turn as one JSON object.

use serde_json::{Value, json};

use super::{
    ModelRequest,
    turn::{Message, ScriptedCall},
};

pub(super) const CREATED: u64 = 1_767_225_600;

pub(super) fn id(number: usize) -> String {
    format!("chatcmpl-scripted-{number}")
}

pub(super) fn completion(message: &Message, request: &ModelRequest, number: usize) -> Value {
    let choice = json!({
        "index": 0,
        "message": assistant(message, number),
        "logprobs": null,
        "finish_reason": message.finish_reason(),
    });
    json!({
        "id": id(number),
        "object": "chat.completion",
        "created": CREATED,
        "model": request.model(),
        "choices": [choice],
        "usage": message.usage(request),
        "service_tier": "default",
        "system_fingerprint": "fp_scripted",
    })
}

fn assistant(message: &Message, number: usize) -> Value {
    let text = &message.text;
    let refusal = &message.refusal;
    let mut assistant =
        json!({ "role": "assistant", "content": text, "refusal": refusal, "annotations": [] });
    if !message.tool_calls.is_empty() {
        let calls = message.tool_calls.iter().enumerate();
        assistant["tool_calls"] =
            calls.map(|(index, call)| tool_call(call, number, index, &call.arguments)).collect();
    }
    assistant
}

pub(super) fn tool_call(
    call: &ScriptedCall,
    number: usize,
    index: usize,
    arguments: &str,
) -> Value {
    let function = json!({ "name": call.name, "arguments": arguments });
    json!({ "id": call.id(number, index), "type": "function", "function": function })
}
