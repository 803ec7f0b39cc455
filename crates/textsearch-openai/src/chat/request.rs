//! Builds the body of a request.

use serde::Serialize;
use serde_json::{Map, Value, json};
use textsearch_core::{
    Result,
    chat::{ChatHistory, ChatOptions, ResponseFormat, http::check_options},
};

use super::{
    check,
    messages::messages,
    strict,
    tools::{self, Tool},
};
use crate::{
    CONNECTOR, MaxTokensField, OpenAiConfig,
    config::{Target, refused},
};

/// Fields that this crate sets itself, or whose effect on the response it couldn't read.
const OWN_FIELDS: &[&str] = &[
    "model",
    "messages",
    "temperature",
    "top_p",
    "max_tokens",
    "max_completion_tokens",
    "stop",
    "seed",
    "frequency_penalty",
    "presence_penalty",
    "reasoning_effort",
    "response_format",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "stream",
    "stream_options",
    "functions",
    "function_call",
    "n",
];

/// Borrows large parts: it is serialized once and then dropped.
#[derive(Serialize)]
pub(super) struct Body<'a> {
    model: &'a str,
    messages: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    stop: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frequency_penalty: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    presence_penalty: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel_tool_calls: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<Value>,
    /// Checked not to repeat a field above.
    #[serde(flatten)]
    extra: &'a Map<String, Value>,
}

pub(super) fn body<'a>(
    (config, target): (&'a OpenAiConfig, &Target),
    history: &ChatHistory,
    options: &'a ChatOptions,
    is_stream: bool,
) -> Result<Body<'a>> {
    check_options(CONNECTOR, options, OWN_FIELDS)?;
    let has_tools = !options.tools.is_empty();
    let is_completion = counts_completion_tokens(config, target);
    let counts_stream = is_stream && config.stream_usage;
    Ok(Body {
        model: options.model.as_ref().unwrap_or(&config.model),
        messages: messages(history)?,
        temperature: options.temperature,
        top_p: options.top_p,
        max_tokens: options.max_tokens.filter(|_| !is_completion),
        max_completion_tokens: options.max_tokens.filter(|_| is_completion),
        stop: &options.stop,
        seed: options.seed,
        frequency_penalty: options.frequency_penalty,
        presence_penalty: options.presence_penalty,
        reasoning_effort: options.reasoning_effort.as_deref(),
        response_format: options.response_format.as_ref().map(response_format).transpose()?,
        tools: tools::definitions(&options.tools)?,
        tool_choice: options.tool_choice.as_ref().filter(|_| has_tools).map(tools::choice),
        parallel_tool_calls: options.parallel_tool_calls.filter(|_| has_tools),
        stream: is_stream.then_some(true),
        stream_options: counts_stream.then(|| json!({ "include_usage": true })),
        extra: &options.extra,
    })
}

fn counts_completion_tokens(config: &OpenAiConfig, target: &Target) -> bool {
    match config.max_tokens_field {
        MaxTokensField::MaxCompletionTokens => true,
        MaxTokensField::MaxTokens => false,
        MaxTokensField::Auto => target.is_hosted,
    }
}

pub(super) fn response_format(format: &ResponseFormat) -> Result<Value> {
    match format {
        ResponseFormat::Text => Ok(json!({ "type": "text" })),
        ResponseFormat::JsonObject => Ok(json!({ "type": "json_object" })),
        ResponseFormat::JsonSchema { name, schema, strict } => {
            check::name("response_format.name", name)?;
            let option = "response_format.schema";
            let schema = if *strict { strict::schema(option, schema)? } else { schema.clone() };
            let described = json!({ "name": name, "schema": schema, "strict": strict });
            Ok(json!({ "type": "json_schema", "json_schema": described }))
        }
        other => Err(refused(
            "response_format",
            &format!("{other:?}"),
            "a text, a JSON object or a JSON schema",
        )),
    }
}
