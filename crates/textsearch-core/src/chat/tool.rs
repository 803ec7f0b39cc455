//! Tools: definitions, calls and results.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolDefinition {
    /// The name.
    pub name: String,
    /// The description for the model.
    pub description: String,
    /// The JSON schema of the arguments object.
    pub parameters: Value,
    /// Whether the provider should enforce the schema, if it can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strict: Option<bool>,
}

impl ToolDefinition {
    /// Creates a tool; `parameters` is the JSON schema of the arguments object.
    pub fn new(name: impl Into<String>, description: impl Into<String>, parameters: Value) -> Self {
        Self { name: name.into(), description: description.into(), parameters, strict: None }
    }
}

/// A model's request to run a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolCall {
    /// The identifier that the result refers to.
    pub id: String,
    /// The tool's name as the model wrote it: the tool may not exist.
    pub name: String,
    /// The arguments as the model wrote them: usually a JSON object.
    pub arguments: String,
}

impl ToolCall {
    /// Creates a call.
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        Self { id: id.into(), name: name.into(), arguments: arguments.into() }
    }
}

/// The result of a tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolResult {
    /// The identifier of the call.
    pub call_id: String,
    /// The result, usually JSON.
    pub content: String,
    /// Whether the tool failed.
    #[serde(default)]
    pub is_error: bool,
    /// Whether the content is a list of [`TextSearchResult`](crate::TextSearchResult)s as JSON, or an
    /// object with such a list as `result`. Services may make them citable. Only who ran the tool knows
    /// it: a retrieved text may look like a list.
    #[serde(default)]
    pub has_search_results: bool,
}

impl ToolResult {
    /// Creates the result of the call `call_id`.
    pub fn new(call_id: impl Into<String>, content: impl Into<String>) -> Self {
        let content = content.into();
        Self { call_id: call_id.into(), content, is_error: false, has_search_results: false }
    }

    /// Creates a failed result; `content` describes the failure.
    pub fn error(call_id: impl Into<String>, content: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::new(call_id, content) }
    }

    /// Creates a result with [search results](Self::has_search_results).
    pub fn search_results(call_id: impl Into<String>, content: impl Into<String>) -> Self {
        Self { has_search_results: true, ..Self::new(call_id, content) }
    }
}
