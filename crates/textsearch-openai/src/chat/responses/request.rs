//! Builds the body of a request.

use serde_json::{Map, Value, json};
use textsearch_core::{
    Result,
    chat::{
        ChatHistory, ChatOptions, ToolChoice,
        http::{check_options, refuse_options},
    },
};

use crate::{
    CONNECTOR,
    chat::{messages::messages, request::response_format, tools},
    config::refused,
};

/// Fields that this crate sets itself, or whose effect on the response it couldn't read.
const OWN_FIELDS: &[&str] = &[
    "model",
    "input",
    "temperature",
    "top_p",
    "max_output_tokens",
    "tool_choice",
    "parallel_tool_calls",
    "stream",
    "background",
    // The whole chat is sent, so the service would have it twice.
    "conversation",
    "previous_response_id",
];

const UNSUPPORTED: &[&str] = &["seed", "frequency_penalty", "presence_penalty", "stop"];

/// Extra `tools` are the service's own. Extra `text` and `reasoning` may have settings without an
/// option.
pub(in crate::chat) fn body(
    model: &str,
    history: &ChatHistory,
    options: &ChatOptions,
    is_stream: bool,
) -> Result<Value> {
    check_options(CONNECTOR, options, OWN_FIELDS)?;
    let allowed = "nothing: the Responses API has none";
    refuse_options(CONNECTOR, options, UNSUPPORTED, allowed)?;
    let mut body = options.extra.clone();
    let mut set = |name: &str, value: Option<Value>| {
        body.extend(value.map(|value| (name.to_owned(), value)));
    };
    set("model", Some(model.into()));
    set("input", Some(items(history)?.into()));
    set("temperature", options.temperature.map(Value::from));
    set("top_p", options.top_p.map(Value::from));
    set("max_output_tokens", options.max_tokens.map(Value::from));
    set("stream", is_stream.then_some(Value::Bool(true)));
    body.entry("store").or_insert(Value::Bool(false));
    if let Some(effort) = &options.reasoning_effort {
        let effort = ("effort".to_owned(), Value::from(effort.as_str()));
        extend(&mut body, "reasoning", effort)?;
    }
    if let Some(format) = &options.response_format {
        let format = ("format".to_owned(), flat(response_format(format)?, "json_schema"));
        extend(&mut body, "text", format)?;
    }
    add_tools(&mut body, options)?;
    Ok(Value::from(body))
}

/// Adds a field to an object that `extra` may have begun.
fn extend(body: &mut Map<String, Value>, name: &str, field: (String, Value)) -> Result<()> {
    let object = body.entry(name).or_insert_with(|| json!({})).as_object_mut();
    let wrong = || refused(&format!("extra.{name}"), "not an object", "an object");
    object.ok_or_else(wrong)?.extend([field]);
    Ok(())
}

fn add_tools(body: &mut Map<String, Value>, options: &ChatOptions) -> Result<()> {
    let functions = tools::functions(&options.tools)?;
    if !functions.is_empty() {
        let tools = body.entry("tools").or_insert_with(|| json!([])).as_array_mut();
        let tools = tools.ok_or_else(|| refused("extra.tools", "not a list", "a list"))?;
        for (tool, function) in options.tools.iter().zip(functions) {
            let mut written = flat(json!({ "type": "function", "function": function }), "function");
            // Without it, the service enforces the schema.
            let strict = Value::Bool(tool.strict == Some(true));
            written.as_object_mut().map(|fields| fields.insert("strict".to_owned(), strict));
            tools.push(written);
        }
    }
    if body.contains_key("tools") {
        let choice = options.tool_choice.as_ref().map(choice);
        body.extend(choice.map(|choice| ("tool_choice".to_owned(), choice)));
        let parallel = options.parallel_tool_calls.map(Value::from);
        body.extend(parallel.map(|parallel| ("parallel_tool_calls".to_owned(), parallel)));
    }
    Ok(())
}

fn choice(choice: &ToolChoice) -> Value {
    flat(tools::choice(choice), "function")
}

/// Moves the fields of the inner object `name`, where Chat Completions has them, beside the type.
fn flat(mut value: Value, name: &str) -> Value {
    if let Some(fields) = value.as_object_mut()
        && let Some(Value::Object(inner)) = fields.remove(name)
    {
        fields.extend(inner);
    }
    value
}

/// Converts the messages of Chat Completions, whose checks hold here, too.
fn items(history: &ChatHistory) -> Result<Vec<Value>> {
    let mut items = Vec::new();
    for (index, mut message) in messages(history)?.into_iter().enumerate() {
        if let Some(author) = message.get("name") {
            let place = format!("messages[{index}].author");
            return Err(refused(&place, &author.to_string(), "none: the Responses API has none"));
        }
        let content = take(&mut message, "/content");
        let role = take(&mut message, "/role");
        if role == "tool" {
            let call_id = take(&mut message, "/tool_call_id");
            let kind = "function_call_output";
            items.push(json!({ "type": kind, "call_id": call_id, "output": content }));
            continue;
        }
        let content = match content {
            Value::Array(parts) => parts.into_iter().map(input).collect(),
            content => content,
        };
        if !content.is_null() {
            items.push(json!({ "type": "message", "role": role, "content": content }));
        }
        if let Value::String(refusal) = take(&mut message, "/refusal") {
            let content = [json!({ "type": "refusal", "refusal": refusal })];
            items.push(json!({ "type": "message", "role": role, "content": content }));
        }
        if let Value::Array(calls) = take(&mut message, "/tool_calls") {
            items.extend(calls.into_iter().map(call));
        }
    }
    Ok(items)
}

fn input(mut part: Value) -> Value {
    let url = take(&mut part, "/image_url/url");
    if url.is_null() {
        return json!({ "type": "input_text", "text": take(&mut part, "/text") });
    }
    json!({ "type": "input_image", "image_url": url, "detail": "auto" })
}

fn call(mut call: Value) -> Value {
    json!({
        "type": "function_call",
        "call_id": take(&mut call, "/id"),
        "name": take(&mut call, "/function/name"),
        "arguments": take(&mut call, "/function/arguments"),
    })
}

fn take(value: &mut Value, path: &str) -> Value {
    value.pointer_mut(path).map(Value::take).unwrap_or_default()
}
