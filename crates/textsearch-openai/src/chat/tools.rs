//! Serializes tools and parses calls.

use std::{
    borrow::Cow,
    sync::atomic::{AtomicU64, Ordering},
};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use textsearch_core::{
    Result,
    chat::{ToolCall, ToolChoice, ToolDefinition},
};

use super::{check, strict};
use crate::config::refused;

#[derive(Serialize)]
pub(super) struct Tool<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
pub(super) struct Function<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    parameters: Cow<'a, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strict: Option<bool>,
}

pub(super) fn definitions(tools: &[ToolDefinition]) -> Result<Vec<Tool<'_>>> {
    let tool = |function| Tool { kind: "function", function };
    Ok(functions(tools)?.into_iter().map(tool).collect())
}

pub(super) fn functions(tools: &[ToolDefinition]) -> Result<Vec<Function<'_>>> {
    if tools.len() > 128 {
        return Err(refused("tools", &format!("{} tools", tools.len()), "at most 128"));
    }
    let mut names: Vec<&str> = Vec::new();
    for tool in tools {
        check::name("tools.name", &tool.name)?;
        if names.contains(&tool.name.as_str()) {
            return Err(refused("tools.name", &format!("`{}` twice", tool.name), "each name once"));
        }
        names.push(&tool.name);
    }
    tools.iter().map(function).collect()
}

fn function(tool: &ToolDefinition) -> Result<Function<'_>> {
    let option = || format!("tools.{}.parameters", tool.name);
    if !tool.parameters.is_object() {
        return Err(refused(&option(), "not an object", "a JSON schema of type object"));
    }
    let parameters = match tool.strict {
        Some(true) => Cow::Owned(strict::schema(&option(), &tool.parameters)?),
        _ => Cow::Borrowed(&tool.parameters),
    };
    let name = &tool.name;
    let description = &tool.description;
    let strict = tool.strict;
    Ok(Function { name, description, parameters, strict })
}

pub(super) fn choice(choice: &ToolChoice) -> Value {
    match choice {
        ToolChoice::Auto => "auto".into(),
        ToolChoice::Required => "required".into(),
        ToolChoice::None => "none".into(),
        ToolChoice::Tool(name) => json!({ "type": "function", "function": { "name": name } }),
    }
}

/// More than any model would make on purpose.
const MAX_COUNT: usize = 1_000;

/// `kind` is the plural of what is counted.
pub(super) fn check_count(kind: &str, count: usize) -> Result<(), String> {
    if count <= MAX_COUNT {
        return Ok(());
    }
    Err(format!("it has more than {MAX_COUNT} {kind}"))
}

/// A call, or a fragment of one.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct WireCall {
    pub(super) index: Option<usize>,
    pub(super) id: Option<String>,
    pub(super) function: Option<WireFunction>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct WireFunction {
    pub(super) name: Option<String>,
    /// JSON as text; some servers send the object itself.
    pub(super) arguments: Value,
}

impl WireCall {
    pub(super) fn bytes(&self) -> usize {
        let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let of_function = |function: &WireFunction| {
            let arguments = match &function.arguments {
                Value::Null => 0,
                Value::String(text) => text.len(),
                value => value.to_string().len(),
            };
            length(&function.name) + arguments
        };
        length(&self.id) + self.function.as_ref().map_or(0, of_function)
    }
}

#[derive(Debug, Default)]
pub(super) struct PartialCall {
    pub(super) id: String,
    name: String,
    arguments: String,
}

impl PartialCall {
    pub(super) fn new(call: WireCall) -> Self {
        let mut partial = Self::default();
        partial.push(call);
        partial
    }

    pub(super) fn push(&mut self, fragment: WireCall) {
        if let Some(id) = fragment.id.filter(|id| !id.is_empty()) {
            self.id = id;
        }
        let function = fragment.function.unwrap_or_default();
        // Some servers repeat the name in each fragment.
        if let Some(name) = function.name.filter(|name| *name != self.name) {
            self.name.push_str(&name);
        }
        match function.arguments {
            Value::Null => {}
            Value::String(text) => self.arguments.push_str(&text),
            value => self.arguments.push_str(&value.to_string()),
        }
    }

    /// Removes the nulls that a strict schema forced the model to write.
    pub(super) fn finish(self, tools: &[ToolDefinition]) -> ToolCall {
        let Self { id, name, arguments } = self;
        let id = if id.is_empty() { next_id() } else { id };
        let arguments = if arguments.trim().is_empty() { "{}".to_owned() } else { arguments };
        let tool = tools.iter().find(|tool| tool.name == name && tool.strict == Some(true));
        let arguments = match tool {
            Some(tool) => strict::without_added_nulls(arguments, &tool.parameters),
            None => arguments,
        };
        ToolCall::new(id, name, arguments)
    }
}

/// For servers that send none. Unique in this process, so that a chat history has no duplicates.
fn next_id() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("call_without_id_{}", NEXT.fetch_add(1, Ordering::Relaxed))
}
