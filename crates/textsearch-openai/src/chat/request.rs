//! From a chat and its options to the body of a request.

use serde::Serialize;
use serde_json::{Map, Value, json};
use textsearch_core::{
    Result,
    chat::{ChatHistory, ChatOptions, ResponseFormat},
};

use super::{check, messages::messages, strict, tools};
use crate::{
    MaxTokensField, OpenAiConfig,
    config::{Target, refused},
};

/// The body of a request.
///
/// # Errors
/// `InvalidOptions` for options and messages that the service would refuse.
pub(super) fn body(
    (config, target): (&OpenAiConfig, &Target),
    history: &ChatHistory,
    options: &ChatOptions,
    is_stream: bool,
) -> Result<Map<String, Value>> {
    check::options(options, target.is_hosted)?;
    let mut body = Body(options.extra.clone());
    body.set("model", Some(options.model.as_ref().unwrap_or(&config.model)));
    body.set("messages", Some(messages(history)?));
    body.set("temperature", options.temperature);
    body.set("top_p", options.top_p);
    body.set(max_tokens_field(config, target), options.max_tokens);
    body.set("stop", (!options.stop.is_empty()).then_some(&options.stop));
    body.set("seed", options.seed);
    body.set("frequency_penalty", options.frequency_penalty);
    body.set("presence_penalty", options.presence_penalty);
    body.set("reasoning_effort", options.reasoning_effort.as_ref());
    body.set("response_format", options.response_format.as_ref().map(response_format).transpose()?);
    if !options.tools.is_empty() {
        body.set("tools", Some(tools::definitions(&options.tools)?));
        body.set("tool_choice", options.tool_choice.as_ref().and_then(tools::choice));
        body.set("parallel_tool_calls", options.parallel_tool_calls);
    }
    if is_stream {
        body.set("stream", Some(true));
        let wish = config.stream_usage.then(|| json!({ "include_usage": true }));
        body.set("stream_options", wish);
    }
    Ok(body.0)
}

struct Body(Map<String, Value>);

impl Body {
    fn set(&mut self, name: &str, value: Option<impl Serialize>) {
        if let Some(value) = value {
            // Numbers, texts and JSON: none of them can fail.
            self.0.insert(name.to_owned(), serde_json::to_value(value).unwrap_or_default());
        }
    }
}

fn max_tokens_field(config: &OpenAiConfig, target: &Target) -> &'static str {
    match config.max_tokens_field {
        MaxTokensField::MaxCompletionTokens => "max_completion_tokens",
        MaxTokensField::Auto if target.is_hosted => "max_completion_tokens",
        MaxTokensField::Auto | MaxTokensField::MaxTokens => "max_tokens",
    }
}

fn response_format(format: &ResponseFormat) -> Result<Value> {
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
