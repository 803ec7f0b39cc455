//! Answers of chat models.

use serde::{Deserialize, Serialize};

use super::{ChatMessage, ChatRole};
use crate::results::Metadata;

/// A model's answer to a chat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChatResponse {
    /// The message: texts and tool calls.
    pub message: ChatMessage,
    /// Why the answer ended: check it before you use the text.
    pub finish_reason: FinishReason,
    /// The cost, if the provider reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The model that answered, as the provider spells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The provider's identifier of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Other data from the provider.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
}

/// Why an answer ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "`Other` holds what providers add")]
pub enum FinishReason {
    /// The model finished or reached a stop text.
    Stop,
    /// The model waits for the results of its tool calls.
    ToolCalls,
    /// The answer was cut off at the maximum number of tokens.
    Length,
    /// The provider's filter blocked answer or request.
    ContentFilter,
    /// The model refused to answer; the message says why.
    Refusal,
    /// Another reason, by the provider's name.
    Other(String),
}

impl FinishReason {
    /// Returns the name in the OpenTelemetry conventions, such as `tool_calls`.
    pub fn name(&self) -> &str {
        match self {
            Self::Stop => "stop",
            Self::ToolCalls => "tool_calls",
            Self::Length => "length",
            Self::ContentFilter => "content_filter",
            Self::Refusal => "refusal",
            Self::Other(name) => name,
        }
    }
}

/// The cost of requests, in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Usage {
    /// Tokens sent.
    pub input_tokens: u64,
    /// Tokens received, including reasoning.
    pub output_tokens: u64,
    /// Tokens sent that the provider had in its cache.
    pub cached_tokens: u64,
    /// Tokens received that were hidden reasoning.
    pub reasoning_tokens: u64,
}

impl ChatResponse {
    /// Creates an answer that ended with [`ToolCalls`](FinishReason::ToolCalls) if the message has
    /// any, or else with [`Stop`](FinishReason::Stop).
    pub fn new(message: ChatMessage) -> Self {
        let asks = message.tool_calls().next().is_some();
        let finish_reason = if asks { FinishReason::ToolCalls } else { FinishReason::Stop };
        Self {
            message,
            finish_reason,
            usage: None,
            model: None,
            id: None,
            metadata: Metadata::new(),
        }
    }

    /// Sets why the answer ended.
    #[must_use]
    pub fn with_finish_reason(mut self, reason: FinishReason) -> Self {
        self.finish_reason = reason;
        self
    }
}

impl Default for ChatResponse {
    fn default() -> Self {
        Self::new(ChatMessage::new(ChatRole::Assistant, Vec::new()))
    }
}

impl Usage {
    /// Creates the cost of one request.
    pub const fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Self { input_tokens, output_tokens, cached_tokens: 0, reasoning_tokens: 0 }
    }

    /// Returns the tokens sent and received.
    pub const fn total_tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        let add = |count: &mut u64, more| *count = count.saturating_add(more);
        add(&mut self.input_tokens, other.input_tokens);
        add(&mut self.output_tokens, other.output_tokens);
        add(&mut self.cached_tokens, other.cached_tokens);
        add(&mut self.reasoning_tokens, other.reasoning_tokens);
    }
}
