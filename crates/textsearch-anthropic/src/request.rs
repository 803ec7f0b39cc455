//! Builds the body of a request.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use textsearch_core::{
    Result,
    chat::{
        ChatHistory, ChatMessage, ChatOptions, ResponseFormat, ToolChoice, ToolDefinition,
        http::{check_options, refuse_options},
    },
};

use crate::{
    AnthropicConfig, CONNECTOR,
    config::{API_VERSION, refused},
    messages::{Conversation, tool_name},
    schema::enforceable,
};

/// Fields that this crate sets itself.
const OWN_FIELDS: &[&str] = &[
    "model",
    "max_tokens",
    "messages",
    "system",
    "temperature",
    "top_p",
    "stop_sequences",
    "stream",
    "tools",
    "tool_choice",
    "output_config",
    "output_format",
];

pub(crate) fn body(
    config: &AnthropicConfig,
    history: &ChatHistory,
    options: &ChatOptions,
    is_stream: bool,
) -> Result<Map<String, Value>> {
    check(config, options)?;
    let output = output_config(options)?;
    // The provider refuses citations in answers of a schema.
    let can_cite = config.sends_blocks() && !output.contains_key("format");
    let conversation = Conversation::new(history, can_cite)?;
    let mut body = options.extra.clone();
    let mut set = |name: &str, value: Value| body.insert(name.to_owned(), value);
    set("model", options.model.as_ref().unwrap_or(&config.model).as_str().into());
    set("max_tokens", options.max_tokens.unwrap_or(config.max_tokens).into());
    set("messages", conversation.messages.into());
    if !conversation.system.is_empty() {
        set("system", conversation.system.into());
    }
    if let Some(temperature) = options.temperature {
        set("temperature", temperature.into());
    }
    if let Some(top_p) = options.top_p {
        set("top_p", top_p.into());
    }
    if !options.stop.is_empty() {
        set("stop_sequences", json!(options.stop));
    }
    if !output.is_empty() {
        set("output_config", output.into());
    }
    if !options.tools.is_empty() {
        set("tools", options.tools.iter().map(tool).collect::<Result<Vec<Value>>>()?.into());
        if let Some(choice) = tool_choice(options) {
            set("tool_choice", choice);
        }
    } else if let stubs @ [_, ..] = stubs(history).as_slice() {
        set("tools", stubs.into());
        set("tool_choice", json!({ "type": "none" }));
    }
    if is_stream {
        set("stream", true.into());
    }
    Ok(body)
}

fn check(config: &AnthropicConfig, options: &ChatOptions) -> Result<()> {
    check_options(CONNECTOR, options, OWN_FIELDS)?;
    let unknown = ["seed", "frequency_penalty", "presence_penalty"];
    refuse_options(CONNECTOR, options, &unknown, "nothing: the API has no such setting")?;
    if config.api_version != API_VERSION {
        return Ok(());
    }
    let allowed = "nothing, unless `api_version` is `2023-06-01`";
    refuse_options(CONNECTOR, options, &["temperature", "top_p"], allowed)
}

fn output_config(options: &ChatOptions) -> Result<Map<String, Value>> {
    let mut output = Map::new();
    if let Some(effort) = &options.reasoning_effort {
        output.insert("effort".to_owned(), effort.as_str().into());
    }
    match &options.response_format {
        None | Some(ResponseFormat::Text) => {}
        Some(ResponseFormat::JsonSchema { schema, .. }) => {
            let schema = enforceable("response_format.schema", schema)?;
            output.insert("format".to_owned(), json!({ "type": "json_schema", "schema": schema }));
        }
        Some(other) => {
            let value = format!("{other:?}");
            return Err(refused("response_format", &value, "a text or a JSON schema"));
        }
    }
    Ok(output)
}

fn tool(tool: &ToolDefinition) -> Result<Value> {
    let is_strict = tool.strict == Some(true);
    let option = format!("tools.{}.parameters", tool.name);
    if !tool.parameters.is_object() {
        return Err(refused(&option, "not an object", "a JSON schema of type object"));
    }
    let schema =
        if is_strict { enforceable(&option, &tool.parameters)? } else { tool.parameters.clone() };
    let mut fields = Map::new();
    fields.insert("name".to_owned(), tool.name.as_str().into());
    if !tool.description.is_empty() {
        fields.insert("description".to_owned(), tool.description.as_str().into());
    }
    fields.insert("input_schema".to_owned(), schema);
    if is_strict {
        fields.insert("strict".to_owned(), true.into());
    }
    Ok(Value::Object(fields))
}

/// Returns the tools that the chat called before: the API rejects calls without tools.
fn stubs(history: &ChatHistory) -> Vec<Value> {
    let calls = history.iter().flat_map(ChatMessage::tool_calls);
    let names: BTreeSet<String> = calls.map(|call| tool_name(&call.name)).collect();
    let stub = |name| json!({ "name": name, "input_schema": { "type": "object" } });
    names.into_iter().map(stub).collect()
}

fn tool_choice(options: &ChatOptions) -> Option<Value> {
    let is_single = options.parallel_tool_calls == Some(false);
    let mut fields = Map::new();
    let kind = match &options.tool_choice {
        None if !is_single => return None,
        None | Some(ToolChoice::Auto) => "auto",
        Some(ToolChoice::Required) => "any",
        Some(ToolChoice::None) => "none",
        Some(ToolChoice::Tool(name)) => {
            fields.insert("name".to_owned(), name.as_str().into());
            "tool"
        }
    };
    fields.insert("type".to_owned(), kind.into());
    if is_single && kind != "none" {
        fields.insert("disable_parallel_tool_use".to_owned(), true.into());
    }
    Some(Value::Object(fields))
}
