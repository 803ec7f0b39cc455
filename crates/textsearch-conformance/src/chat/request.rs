//! Requests to the model.

use serde_json::Value;
use textsearch_core::http::HeaderMap;

/// A request that a scripted model received.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ModelRequest {
    /// The method, such as `POST`.
    pub method: String,
    /// The path, such as `/v1/chat/completions`.
    pub path: String,
    /// The query string after `?`; empty if there is none.
    pub query: String,
    /// The headers.
    pub headers: HeaderMap,
    /// The body; null if it is missing or isn't JSON.
    pub body: Value,
    /// The number of the connection, counted from 0: it shows whether a client reuses connections.
    pub connection: usize,
}

impl ModelRequest {
    /// Returns the text of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns the messages of the chat, oldest first.
    pub fn messages(&self) -> &[Value] {
        self.body.get("messages").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the texts of the user's last message; empty if there is none.
    pub fn last_user_text(&self) -> String {
        let is_user =
            |message: &&Value| message.get("role").and_then(Value::as_str) == Some("user");
        self.messages().iter().rev().find(is_user).map(text_of).unwrap_or_default()
    }

    /// Returns the `function` object of each tool that the model may call.
    pub fn tools(&self) -> impl Iterator<Item = &Value> {
        let tools = self.body.get("tools").and_then(Value::as_array);
        tools.into_iter().flatten().filter_map(|tool| tool.get("function"))
    }

    /// Returns the names of the tools that the model may call.
    pub fn tool_names(&self) -> Vec<&str> {
        self.tools().filter_map(|tool| tool.get("name")?.as_str()).collect()
    }

    /// Returns whether the request asks for a stream.
    pub fn is_stream(&self) -> bool {
        self.body.get("stream").and_then(Value::as_bool).unwrap_or(false)
    }

    pub(super) fn wants_usage(&self) -> bool {
        let wish = self.body.pointer("/stream_options/include_usage");
        wish.and_then(Value::as_bool).unwrap_or(false)
    }

    pub(super) fn model(&self) -> &str {
        self.body.get("model").and_then(Value::as_str).unwrap_or("scripted-model")
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Chat,
    Embeddings,
}

pub(super) fn text_of(message: &Value) -> String {
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part.get("text")?.as_str()).collect()
        }
        _ => String::new(),
    }
}
