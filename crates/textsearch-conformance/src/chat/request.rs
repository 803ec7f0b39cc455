//! What the model was asked.

use serde_json::Value;
use textsearch_core::http::HeaderMap;

/// A request that a scripted model got.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ModelRequest {
    /// The method, such as `POST`.
    pub method: String,
    /// The path, such as `/v1/chat/completions`.
    pub path: String,
    /// What follows on `?`; empty where there is nothing.
    pub query: String,
    /// The headers.
    pub headers: HeaderMap,
    /// The body; null where there is none or it is not JSON.
    pub body: Value,
    /// The number of the connection that it came on, counted from 0: whether a client uses connections again.
    pub connection: usize,
}

impl ModelRequest {
    /// The text of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The messages of the chat, the oldest first.
    pub fn messages(&self) -> &[Value] {
        self.body.get("messages").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }

    /// The texts of the last message of the user; empty where there is none.
    pub fn last_user_text(&self) -> String {
        let is_user =
            |message: &&Value| message.get("role").and_then(Value::as_str) == Some("user");
        self.messages().iter().rev().find(is_user).map(text_of).unwrap_or_default()
    }

    /// The tools that the model may call, each as the object `function` that describes it.
    pub fn tools(&self) -> impl Iterator<Item = &Value> {
        let tools = self.body.get("tools").and_then(Value::as_array);
        tools.into_iter().flatten().filter_map(|tool| tool.get("function"))
    }

    /// The names of the tools that the model may call.
    pub fn tool_names(&self) -> Vec<&str> {
        self.tools().filter_map(|tool| tool.get("name")?.as_str()).collect()
    }

    /// Whether the answer is to come as a stream.
    pub fn is_stream(&self) -> bool {
        self.body.get("stream").and_then(Value::as_bool).unwrap_or(false)
    }

    /// Whether the stream is to end with what it cost.
    pub(super) fn wants_usage(&self) -> bool {
        let wish = self.body.pointer("/stream_options/include_usage");
        wish.and_then(Value::as_bool).unwrap_or(false)
    }

    /// The model that is asked for.
    pub(super) fn model(&self) -> &str {
        self.body.get("model").and_then(Value::as_str).unwrap_or("scripted-model")
    }
}

/// The content of a message: a text, or the text parts of several.
pub(super) fn text_of(message: &Value) -> String {
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part.get("text")?.as_str()).collect()
        }
        _ => String::new(),
    }
}
