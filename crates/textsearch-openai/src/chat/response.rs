//! Parses responses. Missing fields are tolerated, unknown ones ignored.

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use textsearch_core::{
    Error, Result,
    chat::{
        ChatMessage, ChatResponse, ChatRole, FinishReason, MessagePart, ToolDefinition, Usage,
        http::{bounded_list, check_length},
    },
    http::{HttpRequest, read_json},
    results::Metadata,
};

use super::tools::{PartialCall, WireCall, check_count};
use crate::failure::{self, undecodable};

/// A completion, or a chunk of one.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Completion {
    pub(super) id: Option<String>,
    pub(super) model: Option<String>,
    #[serde(deserialize_with = "bounded_list")]
    pub(super) choices: Option<Vec<Choice>>,
    pub(super) usage: Option<WireUsage>,
    #[serde(flatten)]
    pub(super) more: Map<String, Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Choice {
    pub(super) index: Option<usize>,
    message: Option<WireMessage>,
    delta: Option<WireMessage>,
    pub(super) finish_reason: Option<String>,
    pub(super) content_filter_results: Option<Value>,
}

/// A message, or a delta of one.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct WireMessage {
    pub(super) content: Option<Content>,
    pub(super) refusal: Option<String>,
    #[serde(deserialize_with = "bounded_list")]
    pub(super) tool_calls: Option<Vec<WireCall>>,
    // Servers use either name for the reasoning; vLLM uses both at once.
    reasoning_content: Option<String>,
    reasoning: Option<String>,
}

impl Choice {
    pub(super) fn take_message(&mut self) -> WireMessage {
        self.message.take().or(self.delta.take()).unwrap_or_default()
    }
}

impl WireMessage {
    /// The length of its texts and calls.
    pub(super) fn bytes(&self) -> usize {
        let texts = [&self.refusal, &self.reasoning_content, &self.reasoning];
        let texts = texts.into_iter().flatten().map(String::len);
        let content = self.content.as_ref().map_or(0, Content::bytes);
        let calls = self.tool_calls.iter().flatten().map(WireCall::bytes);
        content + texts.chain(calls).sum::<usize>()
    }

    pub(super) fn take_thoughts(&mut self) -> Option<String> {
        let names = [self.reasoning_content.take(), self.reasoning.take()];
        names.into_iter().flatten().find(|thoughts| !thoughts.is_empty())
    }
}

/// Only some parts have text.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Content {
    Text(String),
    Parts(Vec<Value>),
}

#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(default)]
pub(super) struct WireUsage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<Details>,
    completion_tokens_details: Option<Details>,
    // The names of the Responses API. Some servers send both, and 0 under the other names.
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

/// Copied into the metadata, under the provider's names.
const METADATA: &[&str] = &["system_fingerprint", "service_tier", "prompt_filter_results"];

impl Completion {
    pub(super) fn into_response(self, tools: &[ToolDefinition]) -> Result<ChatResponse, String> {
        let mut metadata = self.metadata();
        let choice = self.choices.into_iter().flatten().next();
        let mut choice = choice.ok_or_else(|| "it has no choice".to_owned())?;
        let mut message = choice.take_message();
        check_length(message.bytes())?;
        insert(&mut metadata, "content_filter_results", choice.content_filter_results);
        insert(&mut metadata, "reasoning_content", message.take_thoughts().map(Value::from));
        let mut parts = Vec::new();
        let text = message.content.map(Content::into_text).filter(|text| !text.is_empty());
        parts.extend(text.map(|text| MessagePart::Text { text }));
        let refusal = message.refusal.filter(|text| !text.is_empty());
        parts.extend(refusal.map(|text| MessagePart::Refusal { text }));
        check_count("calls", message.tool_calls.as_ref().map_or(0, Vec::len))?;
        let calls = message.tool_calls.into_iter().flatten();
        parts.extend(calls.map(|call| MessagePart::ToolCall(PartialCall::new(call).finish(tools))));
        let message = ChatMessage::new(ChatRole::Assistant, parts);
        let reason = finish_reason(choice.finish_reason, &message);
        let mut response = ChatResponse::new(message).with_finish_reason(reason);
        response.usage = self.usage.map(Usage::from);
        response.model = self.model;
        response.id = self.id;
        response.metadata = metadata;
        Ok(response)
    }

    pub(super) fn metadata(&self) -> Metadata {
        metadata(&self.more)
    }
}

impl Answer for Completion {
    fn is_error(&self) -> bool {
        self.more.get("error").is_some_and(|error| !error.is_null())
    }
}

/// A body or an event, which may be an error instead.
pub(super) trait Answer: DeserializeOwned {
    fn is_error(&self) -> bool;

    /// Returns the error in the body, or what `unreadable` makes of a parse error.
    fn read(
        body: &[u8],
        request: &HttpRequest,
        unreadable: impl Fn(serde_json::Error) -> Error,
    ) -> Result<Self> {
        if let Ok(answer) = read_json::<Self>(body)
            && !answer.is_error()
        {
            return Ok(answer);
        }
        // Error bodies vary by provider. An unexpected one says more than the parse error.
        let body: Value = read_json(body).map_err(&unreadable)?;
        match failure::error_in(&body, request) {
            Some(error) => Err(error),
            None => serde_json::from_value(body).map_err(unreadable),
        }
    }

    /// Reads an event of a stream.
    fn read_event(event: &[u8], request: &HttpRequest) -> Result<Self> {
        Self::read(event, request, |error| {
            let problem = format!("an event of the stream is not as expected: {error}");
            undecodable(request, &problem)
        })
    }
}

pub(super) fn metadata(fields: &Map<String, Value>) -> Metadata {
    let known = METADATA.iter().filter_map(|name| fields.get_key_value(*name));
    let known = known.filter(|(_, value)| !value.is_null());
    known.map(|(name, value)| (name.clone(), value.clone())).collect()
}

impl Content {
    fn bytes(&self) -> usize {
        let text_of = |part: &Value| part.get("text").and_then(Value::as_str).map_or(0, str::len);
        match self {
            Self::Text(text) => text.len(),
            Self::Parts(parts) => parts.iter().map(text_of).sum(),
        }
    }

    pub(super) fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Parts(parts) => {
                parts.iter().filter_map(|part| part.get("text")?.as_str()).collect()
            }
        }
    }
}

/// For a response with calls, servers may send `stop` or nothing.
pub(super) fn finish_reason(reason: Option<String>, message: &ChatMessage) -> FinishReason {
    let natural = || ChatResponse::new(message.clone()).finish_reason;
    match reason.as_deref() {
        // Some self-hosted servers use the terms of other services.
        Some("length" | "max_tokens" | "max_output_tokens" | "model_length") => {
            FinishReason::Length
        }
        Some("content_filter") => FinishReason::ContentFilter,
        _ if message.refusal().is_some() => FinishReason::Refusal,
        None | Some("stop" | "tool_calls" | "function_call" | "") => natural(),
        Some("end_turn" | "eos" | "eos_token" | "stop_sequence" | "tool_use") => natural(),
        Some(other) => FinishReason::Other(other.to_owned()),
    }
}

pub(super) fn insert(metadata: &mut Metadata, name: &str, value: Option<Value>) {
    if let Some(value) = value.filter(|value| !value.is_null()) {
        metadata.insert(name.to_owned(), value);
    }
}

impl From<WireUsage> for Usage {
    fn from(wire: WireUsage) -> Self {
        let input = [wire.prompt_tokens_details, wire.input_tokens_details];
        let output = [wire.completion_tokens_details, wire.output_tokens_details];
        let cached = input.into_iter().flatten().filter_map(|details| details.cached_tokens);
        let reasoning = output.into_iter().flatten().filter_map(|details| details.reasoning_tokens);
        let mut usage = Self::new(
            wire.prompt_tokens.max(wire.input_tokens).unwrap_or_default(),
            wire.completion_tokens.max(wire.output_tokens).unwrap_or_default(),
        );
        usage.cached_tokens = cached.max().unwrap_or_default();
        usage.reasoning_tokens = reasoning.max().unwrap_or_default();
        usage
    }
}
