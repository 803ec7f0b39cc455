//! Responses and the events of their streams. Missing fields are tolerated, unknown ones ignored.

use serde::Deserialize;
use serde_json::{Map, Value};
use textsearch_core::chat::Usage;

use crate::chat::response::Answer;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::chat) struct Response {
    pub(super) id: Option<String>,
    pub(super) model: Option<String>,
    pub(super) status: Option<String>,
    pub(super) incomplete_details: Option<IncompleteDetails>,
    pub(super) output: Option<Vec<Item>>,
    pub(super) usage: Option<WireUsage>,
    #[serde(flatten)]
    pub(super) more: Map<String, Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::chat) struct IncompleteDetails {
    pub(super) reason: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(in crate::chat) enum Item {
    Message {
        #[serde(default)]
        content: Option<Vec<Part>>,
    },
    FunctionCall {
        #[serde(default)]
        call_id: Option<String>,
        #[serde(default)]
        name: Option<String>,
        #[serde(default)]
        arguments: Value,
    },
    Reasoning {
        #[serde(default)]
        summary: Option<Vec<Part>>,
        #[serde(default)]
        content: Option<Vec<Part>>,
    },
    /// Such as a search of the service.
    #[serde(other)]
    Other,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::chat) struct Part {
    pub(super) text: Option<String>,
    pub(super) refusal: Option<String>,
    pub(super) annotations: Option<Vec<Value>>,
}

#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(default)]
pub(in crate::chat) struct WireUsage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    input_tokens_details: Option<Details>,
    output_tokens_details: Option<Details>,
}

#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(default)]
struct Details {
    cached_tokens: Option<u64>,
    reasoning_tokens: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
pub(in crate::chat) enum Event {
    #[serde(rename = "response.output_text.delta")]
    Text { delta: String },
    #[serde(rename = "response.refusal.delta")]
    Refusal { delta: String },
    /// Complete, with a call's arguments and a text's annotations.
    #[serde(rename = "response.output_item.done")]
    Item { item: Item },
    #[serde(rename = "response.completed")]
    #[serde(alias = "response.incomplete", alias = "response.failed")]
    End { response: Box<Response> },
    #[serde(rename = "error")]
    Error,
    #[serde(other)]
    Other,
}

impl Answer for Response {
    fn is_error(&self) -> bool {
        self.more.get("error").is_some_and(|error| !error.is_null())
    }
}

impl Answer for Event {
    fn is_error(&self) -> bool {
        match self {
            Self::Error => true,
            Self::End { response } => response.is_error(),
            _ => false,
        }
    }
}

impl From<WireUsage> for Usage {
    fn from(wire: WireUsage) -> Self {
        let mut usage = Self::new(
            wire.input_tokens.unwrap_or_default(),
            wire.output_tokens.unwrap_or_default(),
        );
        let input = wire.input_tokens_details.unwrap_or_default();
        usage.cached_tokens = input.cached_tokens.unwrap_or_default();
        let output = wire.output_tokens_details.unwrap_or_default();
        usage.reasoning_tokens = output.reasoning_tokens.unwrap_or_default();
        usage
    }
}
