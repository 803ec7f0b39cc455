//! Responses and the events of their streams. Missing fields are tolerated, unknown ones ignored.

use serde::Deserialize;
use serde_json::{Map, Value};
use textsearch_core::chat::http::bounded_list;

use crate::chat::response::{Answer, WireUsage};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::chat) struct Response {
    pub(super) id: Option<String>,
    pub(super) model: Option<String>,
    pub(super) status: Option<String>,
    pub(super) incomplete_details: Option<IncompleteDetails>,
    #[serde(deserialize_with = "bounded_list")]
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
        #[serde(default, deserialize_with = "bounded_list")]
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
        #[serde(default, deserialize_with = "bounded_list")]
        summary: Option<Vec<Part>>,
        #[serde(default, deserialize_with = "bounded_list")]
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
    #[serde(deserialize_with = "bounded_list")]
    annotations: Option<Vec<Value>>,
}

impl Part {
    pub(super) fn annotations(&self) -> &[Value] {
        self.annotations.as_deref().unwrap_or_default()
    }
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
    Completed { response: Box<Response> },
    #[serde(rename = "response.incomplete")]
    Incomplete { response: Box<Response> },
    #[serde(rename = "response.failed")]
    Failed { response: Box<Response> },
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
            Self::Completed { response }
            | Self::Incomplete { response }
            | Self::Failed { response } => response.is_error(),
            _ => false,
        }
    }
}
