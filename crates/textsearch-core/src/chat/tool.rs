//! Tools: what a model may call, a call, and its answer.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolDefinition {
    /// The name that the model calls it by.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// The JSON schema of its arguments, an object.
    pub parameters: Value,
    /// Whether the provider is to hold the model to the schema, where it can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strict: Option<bool>,
}

impl ToolDefinition {
    /// A tool whose arguments are an object of the schema `parameters`.
    pub fn new(name: impl Into<String>, description: impl Into<String>, parameters: Value) -> Self {
        Self { name: name.into(), description: description.into(), parameters, strict: None }
    }
}

/// A model's request to run a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolCall {
    /// What the answer has to refer to.
    pub id: String,
    /// The tool's name, as the model wrote it: it may name a tool that does not exist.
    pub name: String,
    /// The arguments, as the model wrote them: meant to be a JSON object, but nothing promises that.
    pub arguments: String,
}

impl ToolCall {
    /// A call of the tool `name`.
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        Self { id: id.into(), name: name.into(), arguments: arguments.into() }
    }
}

/// What a tool answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolResult {
    /// The call that is answered.
    pub call_id: String,
    /// The answer, usually JSON.
    pub content: String,
    /// Whether the answer is the report of a failure.
    #[serde(default)]
    pub is_error: bool,
}

impl ToolResult {
    /// The answer `content` to the call `call_id`.
    pub fn new(call_id: impl Into<String>, content: impl Into<String>) -> Self {
        Self { call_id: call_id.into(), content: content.into(), is_error: false }
    }

    /// The report of a failure of the call `call_id`.
    pub fn error(call_id: impl Into<String>, content: impl Into<String>) -> Self {
        Self { call_id: call_id.into(), content: content.into(), is_error: true }
    }
}
