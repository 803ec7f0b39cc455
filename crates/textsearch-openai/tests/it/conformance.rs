//! The conformance suite for chat services.

use serde_json::{Value, json};
use textsearch_conformance::{
    Endpoint, RecordedRequest, Response,
    core::chat::{ChatResponse, ChatUpdate, FinishReason, ToolCall, Usage},
};
use textsearch_openai::{ChatStream, OpenAiChat, OpenAiConfig};

fn answer(request: &RecordedRequest, response: &ChatResponse) -> Response {
    let expected = format!("Bearer {}", Endpoint::KEY);
    assert_eq!(request.header("authorization"), Some(expected.as_str()));
    assert_eq!(request.path, "/v1/chat/completions");
    if request.json()["stream"] == true {
        Response::new(200, "text/event-stream", events(response))
    } else {
        Response::json(&completion(response))
    }
}

fn completion(response: &ChatResponse) -> Value {
    let calls: Vec<Value> = response.message.tool_calls().map(tool_call).collect();
    let message = json!({
        "role": "assistant",
        "content": Some(response.message.text()).filter(|text| !text.is_empty()),
        "refusal": response.message.refusal(),
        "tool_calls": Some(calls).filter(|calls| !calls.is_empty()),
    });
    let choice = json!({ "index": 0, "message": message, "finish_reason": reason(response) });
    json!({ "id": "chatcmpl-1", "model": "m", "choices": [choice], "usage": response.usage.map(usage) })
}

fn reason(response: &ChatResponse) -> &str {
    match &response.finish_reason {
        // The message tells a refusal.
        FinishReason::Refusal => "stop",
        reason => reason.name(),
    }
}

fn tool_call(call: &ToolCall) -> Value {
    let function = json!({ "name": call.name, "arguments": call.arguments });
    json!({ "id": call.id, "type": "function", "function": function })
}

fn usage(usage: Usage) -> Value {
    json!({
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.total_tokens(),
    })
}

fn events(response: &ChatResponse) -> String {
    let mut written = Vec::new();
    let mut calls = 0..;
    for update in updates(response) {
        match update {
            ChatUpdate::Text(text) => written.extend(deltas("content", &text)),
            ChatUpdate::Refusal(text) => written.extend(deltas("refusal", &text)),
            ChatUpdate::ToolCall(call) => {
                let mut delta = tool_call(&call);
                delta["index"] = json!(calls.next());
                written.push(json!({ "tool_calls": [delta] }));
            }
            _ => {}
        }
    }
    let choices = written.into_iter().map(|delta| json!([{ "index": 0, "delta": delta }]));
    let end = json!([{ "index": 0, "delta": {}, "finish_reason": reason(response) }]);
    let chunks = choices.chain([end]).map(|choices| json!({ "model": "m", "choices": choices }));
    let counts = response.usage.map(|counts| json!({ "choices": [], "usage": usage(counts) }));
    let events = chunks.chain(counts).map(|chunk| format!("data: {chunk}\n\n"));
    events.chain(["data: [DONE]\n\n".to_owned()]).collect()
}

pub(crate) fn updates(response: &ChatResponse) -> impl Iterator<Item = ChatUpdate> {
    use futures_util::{FutureExt as _, StreamExt as _};

    let updates = ChatStream::from(response.clone()).collect::<Vec<_>>();
    updates.now_or_never().unwrap().into_iter().map(Result::unwrap)
}

fn deltas(name: &str, text: &str) -> impl Iterator<Item = Value> {
    pieces(text, 20).into_iter().map(move |piece| json!({ name: piece }))
}

pub(crate) fn pieces(text: &str, length: usize) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(length).map(String::from_iter).collect()
}

textsearch_conformance::chat_suite!(
    |endpoint| {
        let config = OpenAiConfig::new(endpoint.key(), "scripted-model")
            .with_base_url(format!("{}/v1", endpoint.base()))
            .with_http_settings(endpoint.http_settings().clone());
        OpenAiChat::new(config)
    },
    answer,
);
