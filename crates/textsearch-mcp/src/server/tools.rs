//! Functions as tools, and what calls return.

use std::{borrow::Cow, sync::Arc};

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use textsearch_kernel::{
    KernelFunction,
    chat::{CallError, ToolAnswer},
    function::FunctionMetadata,
};

/// Returns the function's tool, with the schema that a chat model gets.
pub(super) fn tool(function: &KernelFunction, input_schema: Value) -> Tool {
    let metadata = function.metadata();
    let mut tool = Tool::new_with_raw(
        metadata.qualified_name(),
        described(&metadata.description),
        into_object(input_schema),
    );
    tool.output_schema = output_schema(&metadata.return_parameter.schema).map(Arc::new);
    tool.annotations = Some(annotations(metadata));
    tool
}

fn described(description: &str) -> Option<Cow<'static, str>> {
    (!description.is_empty()).then(|| Cow::Owned(description.to_owned()))
}

fn into_object(schema: Value) -> JsonObject {
    match schema {
        Value::Object(entries) => entries,
        _ => JsonObject::new(),
    }
}

/// Protocol versions before 2026 accept only objects, so every value is wrapped. A cut result has
/// the additional fields.
fn output_schema(returned: &Value) -> Option<JsonObject> {
    let is_known = returned.as_object().is_some_and(|entries| !entries.is_empty());
    // A reference would point outside the wrapper.
    if !is_known || has_reference(returned) {
        return None;
    }
    Some(into_object(json!({
        "type": "object",
        "properties": {
            "result": returned,
            "truncated": { "type": "boolean", "description": "Whether the result was cut" },
            "omitted": { "type": "integer", "description": "Number of results left out" },
        },
        "required": ["result"],
    })))
}

fn has_reference(schema: &Value) -> bool {
    match schema {
        Value::Object(entries) => {
            entries.contains_key("$ref") || entries.values().any(has_reference)
        }
        Value::Array(items) => items.iter().any(has_reference),
        _ => false,
    }
}

fn annotations(metadata: &FunctionMetadata) -> ToolAnnotations {
    let mut annotations = ToolAnnotations::new();
    annotations.read_only_hint = metadata.read_only;
    annotations.open_world_hint = metadata.is_open_world;
    if metadata.read_only == Some(true) {
        annotations.destructive_hint = Some(false);
        annotations.idempotent_hint = Some(true);
    }
    annotations
}

/// `structured` says whether the tool declares an output schema.
pub(super) fn succeeded(answer: ToolAnswer, structured: bool) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
    if structured {
        result.structured_content =
            Some(if answer.truncated { answer.value } else { json!({ "result": answer.value }) });
    }
    result
}

pub(super) fn failed(error: &CallError) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(error.report().to_string())])
}
