//! What a model answered.

use serde::{Deserialize, Serialize};

use super::{ChatMessage, ChatRole};
use crate::results::Metadata;

/// The answer of a model to a chat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChatResponse {
    /// What the model said: texts, and the tools that it asks for.
    pub message: ChatMessage,
    /// Why the answer ended; look at it before the text is used.
    pub finish_reason: FinishReason,
    /// What the request cost, where the provider says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The model that answered, as the provider spells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The provider's identifier of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What else the provider said.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
}

/// Why an answer ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FinishReason {
    /// The model had said everything, or came to one of the texts to stop at.
    Stop,
    /// The model waits for the tools that it asked for.
    ToolCalls,
    /// The answer was cut off at the most tokens.
    Length,
    /// The provider's filter took the answer away, or what was asked.
    ContentFilter,
    /// The model refused to answer; the message says why.
    Refusal,
    /// What the provider calls it.
    Other(String),
}

impl FinishReason {
    /// The name that the OpenTelemetry conventions and most providers use, such as `tool_calls`.
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

/// What one or several requests cost, in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Usage {
    /// What was sent.
    pub input_tokens: u64,
    /// What came back, thoughts included.
    pub output_tokens: u64,
    /// Of what was sent, what the provider had in its cache.
    pub cached_tokens: u64,
    /// Of what came back, what the model thought and did not say.
    pub reasoning_tokens: u64,
}

impl ChatResponse {
    /// The answer `message`, ended by the model itself: to wait for its tools where it asks for some.
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

    /// Sets what the request cost.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = Some(usage);
        self
    }

    /// Sets the model that answered.
    #[must_use]
    pub fn with_model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Sets the provider's identifier of the answer.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Sets what else the provider said.
    #[must_use]
    pub fn with_metadata(mut self, metadata: Metadata) -> Self {
        self.metadata = metadata;
        self
    }
}

impl Default for ChatResponse {
    fn default() -> Self {
        Self::new(ChatMessage::new(ChatRole::Assistant, Vec::new()))
    }
}

impl Usage {
    /// The cost of one request.
    pub const fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Self { input_tokens, output_tokens, cached_tokens: 0, reasoning_tokens: 0 }
    }

    /// What was sent and what came back.
    pub const fn total_tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        let add = |one: &mut u64, other| *one = one.saturating_add(other);
        add(&mut self.input_tokens, other.input_tokens);
        add(&mut self.output_tokens, other.output_tokens);
        add(&mut self.cached_tokens, other.cached_tokens);
        add(&mut self.reasoning_tokens, other.reasoning_tokens);
    }
}
