//! Manuals and tool definitions.

use serde_json::{Map, Value, json};
use textsearch_core::chat::ToolDefinition;

use crate::{
    KernelFunction, KernelPlugin,
    function::{FunctionMetadata, ParameterMetadata, ReturnMetadata},
};

/// Returns the functions manual: a JSON array that describes each function, its parameters and its
/// result for a planner. Functions are named `Plugin.Function`. Leaves out
/// [opt-in](FunctionMetadata::opt_in) functions.
///
/// ```
/// use textsearch_kernel::{TextSearchPlugins, textsearch_core::{FixedSearch, TextSearchResult}, function::functions_manual};
///
/// let plugin = FixedSearch::<TextSearchResult>::new([]).create_with_search("SearchPlugin")?;
/// let manual = functions_manual(&[plugin]);
/// assert_eq!(manual[0]["name"], "SearchPlugin.Search");
/// assert_eq!(manual[0]["parameters"]["required"], serde_json::json!(["query"]));
/// # Ok::<(), textsearch_kernel::KernelError>(())
/// ```
pub fn functions_manual(plugins: &[KernelPlugin]) -> Value {
    functions(plugins).map(FunctionMetadata::manual_entry).collect()
}

/// Returns every function of `plugins` as a tool, named `Plugin-Function`. Leaves out
/// [opt-in](FunctionMetadata::opt_in) functions:
/// [`OfferedFunctions::definitions`](crate::chat::OfferedFunctions::definitions) has the named ones.
pub fn tool_definitions(plugins: &[KernelPlugin]) -> Vec<ToolDefinition> {
    functions(plugins).map(tool_definition).collect()
}

/// Returns the tools in the JSON format of OpenAI's chat completions
/// (<https://platform.openai.com/docs/guides/function-calling>), which most servers accept.
pub fn openai_tools(plugins: &[KernelPlugin]) -> Value {
    let tools = tool_definitions(plugins).into_iter().map(|tool| {
        json!({
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
            },
        })
    });
    tools.collect()
}

impl FunctionMetadata {
    /// Returns the function's entry in the [manual](functions_manual), also for an opt-in function.
    pub fn manual_entry(&self) -> Value {
        let name = match &self.plugin_name {
            Some(plugin) => format!("{plugin}.{}", self.name),
            None => self.name.clone(),
        };
        json!({
            "name": name,
            "description": self.description,
            "parameters": {
                "type": "object",
                "required": required(self),
                "properties": properties(self),
            },
            "responses": {
                "200": {
                    "description": "Successful response.",
                    "content": { "application/json": { "schema": response(&self.return_parameter) } },
                },
            },
        })
    }
}

impl KernelFunction {
    pub(crate) fn tool_definition(&self) -> ToolDefinition {
        tool_definition(self.metadata())
    }
}

fn functions(plugins: &[KernelPlugin]) -> impl Iterator<Item = &FunctionMetadata> {
    let all = plugins.iter().flat_map(KernelPlugin::functions);
    all.map(|function| function.metadata().as_ref()).filter(|function| !function.opt_in)
}

fn tool_definition(function: &FunctionMetadata) -> ToolDefinition {
    let mut parameters = Map::new();
    parameters.insert("type".to_owned(), json!("object"));
    parameters.insert("properties".to_owned(), properties(function));
    let required = required(function);
    // Some servers reject an empty list.
    if !required.is_empty() {
        parameters.insert("required".to_owned(), json!(required));
    }
    let name = function.qualified_name();
    ToolDefinition::new(name, function.description.as_str(), Value::Object(parameters))
}

fn required(function: &FunctionMetadata) -> Vec<&str> {
    let required = function.parameters.iter().filter(|parameter| parameter.is_required);
    required.map(|parameter| parameter.name.as_str()).collect()
}

fn properties(function: &FunctionMetadata) -> Value {
    let properties = function.parameters.iter();
    Value::Object(
        properties.map(|parameter| (parameter.name.clone(), property(parameter))).collect(),
    )
}

fn property(parameter: &ParameterMetadata) -> Value {
    let mut schema = described(&parameter.schema, &parameter.description);
    if let Some(default) = &parameter.default {
        schema.insert("default".to_owned(), default.clone());
    }
    Value::Object(schema)
}

fn response(returned: &ReturnMetadata) -> Value {
    Value::Object(described(&returned.schema, &returned.description))
}

fn described(schema: &Value, description: &str) -> Map<String, Value> {
    // A schema may also be `true`, or null if unknown; both accept any value.
    let mut schema = schema.as_object().cloned().unwrap_or_default();
    if !description.is_empty() {
        schema.insert("description".to_owned(), Value::String(description.to_owned()));
    }
    schema
}
