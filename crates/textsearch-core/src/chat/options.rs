//! Options of a chat request.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, json};

use super::ToolDefinition;

/// Options of a request to a [`ChatCompletion`](super::ChatCompletion). The provider decides unset
/// ones.
///
/// With serde, they have the names that most providers use:
///
/// ```
/// use textsearch_core::{chat::ChatOptions, serde_json::{self, json}};
///
/// let settings = json!({ "temperature": 0.2, "max_tokens": 500, "stop": "END", "logit_bias": { "50256": -100 } });
/// let options: ChatOptions = serde_json::from_value(settings).expect("they are options");
/// assert_eq!(options.max_tokens, Some(500));
/// assert_eq!(options.stop, ["END"]);
/// assert_eq!(options.extra["logit_bias"]["50256"], -100);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ChatOptions {
    /// The model, instead of the service's default.
    #[serde(alias = "model_id", skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The randomness of the answer, from 0 to 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The share of likely tokens to sample from, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// The maximum number of tokens in the answer.
    #[serde(alias = "max_completion_tokens", skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// Texts that end the answer; also written `stop_sequences`.
    #[serde(
        alias = "stop_sequences",
        deserialize_with = "one_or_several",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub stop: Vec<String>,
    /// Equal requests with equal seeds give equal answers, as far as the provider can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
    /// The penalty for tokens that occur often, from -2 to 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frequency_penalty: Option<f64>,
    /// The penalty for tokens that occur at all, from -2 to 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presence_penalty: Option<f64>,
    /// How long a reasoning model thinks, such as `low`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<String>,
    /// The format of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_format: Option<ResponseFormat>,
    /// The tools that the model may call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolDefinition>,
    /// Whether the model must call a tool, if there are tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<ToolChoice>,
    /// Whether the model may make several calls in one answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parallel_tool_calls: Option<bool>,
    /// Provider-specific settings, sent unchanged.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Whether a model must call a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "a connector sends each choice")]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// At least one tool.
    Required,
    /// No tool, although the model sees the tools.
    None,
    /// The tool with this name.
    Tool(String),
}

/// The format of an answer.
///
/// It deserialises from `{"type": "json_schema", "name": …, "schema": …, "strict": …}`, from
/// OpenAI's form with these in an object `json_schema`, and from a bare type such as
/// `"json_object"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Value", tag = "type", rename_all = "snake_case")]
#[non_exhaustive] // Providers add formats.
pub enum ResponseFormat {
    /// Any text.
    Text,
    /// Any JSON object. Most providers want the word "JSON" in the prompt, too.
    JsonObject,
    /// JSON that matches a schema.
    JsonSchema {
        /// The name, of letters, digits, `-` and `_`.
        name: String,
        /// The schema.
        schema: Value,
        /// Whether the provider must enforce the schema.
        strict: bool,
    },
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum WrittenFormat {
    Text,
    JsonObject,
    JsonSchema { json_schema: Schema },
}

#[derive(Deserialize)]
struct Schema {
    name: String,
    schema: Value,
    #[serde(default)]
    strict: Option<bool>,
}

impl TryFrom<Value> for ResponseFormat {
    type Error = serde_json::Error;

    fn try_from(mut value: Value) -> Result<Self, serde_json::Error> {
        if value.is_string() {
            value = json!({ "type": value });
        }
        if let Some(fields) = value.as_object_mut()
            && !fields.contains_key("json_schema")
        {
            // The schema's fields may be siblings of `type`.
            let schema = Value::Object(fields.clone());
            fields.insert("json_schema".to_owned(), schema);
        }
        Ok(match serde_json::from_value(value)? {
            WrittenFormat::Text => Self::Text,
            WrittenFormat::JsonObject => Self::JsonObject,
            WrittenFormat::JsonSchema { json_schema: Schema { name, schema, strict } } => {
                Self::JsonSchema { name, schema, strict: strict.unwrap_or_default() }
            }
        })
    }
}

impl ChatOptions {
    /// Creates options with nothing set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the model.
    #[must_use]
    pub fn with_model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Sets the tools that the model may call.
    #[must_use]
    pub fn with_tools(mut self, tools: impl IntoIterator<Item = ToolDefinition>) -> Self {
        self.tools = tools.into_iter().collect();
        self
    }

    /// Adds a provider-specific setting.
    #[must_use]
    pub fn with_extra(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.extra.insert(name.into(), value.into());
        self
    }
}

fn one_or_several<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Stop {
        One(String),
        Several(Vec<String>),
    }
    Ok(match Option::deserialize(deserializer)? {
        None => Vec::new(),
        Some(Stop::One(text)) => vec![text],
        Some(Stop::Several(texts)) => texts,
    })
}
