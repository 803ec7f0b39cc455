//! Chat messages.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ModelCitation, ToolCall, ToolResult};

/// The author's role in a chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive] // Providers add roles.
pub enum ChatRole {
    /// The application's standing instructions.
    System,
    /// The application's instructions, under another name.
    Developer,
    /// The user.
    User,
    /// The model.
    Assistant,
    /// A tool that the model called.
    Tool,
}

impl ChatRole {
    /// All roles.
    pub const ALL: [Self; 5] =
        [Self::System, Self::Developer, Self::User, Self::Assistant, Self::Tool];

    /// Returns the name that providers use, such as `system`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Developer => "developer",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }

    /// Returns the role with this name, ignoring case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name().eq_ignore_ascii_case(name))
    }
}

/// A message of a chat.
///
/// ```
/// use textsearch_core::chat::ChatMessage;
///
/// assert_eq!(ChatMessage::user("What is a connector?").text(), "What is a connector?");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChatMessage {
    /// The author's role.
    pub role: ChatRole,
    /// The content, in order.
    pub parts: Vec<MessagePart>,
    /// The author's name, if several authors share a role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The citations that the provider returned in a field of its own; not those written in the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<ModelCitation>,
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive] // Models learn new kinds of input.
pub enum MessagePart {
    /// Plain text.
    Text {
        /// The text.
        text: String,
    },
    /// The model's refusal to answer.
    Refusal {
        /// The text.
        text: String,
    },
    /// An image.
    Image {
        /// An `https` or `data` URL.
        url: String,
    },
    /// The model's request to run a tool.
    ToolCall(ToolCall),
    /// The result of a tool.
    ToolResult(ToolResult),
    /// The model's reasoning, in the form that its provider wants back with the results of calls. Other
    /// providers ignore it.
    Reasoning {
        /// The provider's [name](super::ChatCompletion::name).
        provider: String,
        /// What to send back, unchanged.
        content: Value,
    },
}

impl ChatMessage {
    /// Creates a message from parts.
    pub fn new(role: ChatRole, parts: Vec<MessagePart>) -> Self {
        Self { role, parts, author: None, citations: Vec::new() }
    }

    /// Creates a message with one text.
    pub fn from_text(role: ChatRole, text: impl Into<String>) -> Self {
        Self::new(role, vec![MessagePart::Text { text: text.into() }])
    }

    /// Creates a message with the application's standing instructions.
    pub fn system(text: impl Into<String>) -> Self {
        Self::from_text(ChatRole::System, text)
    }

    /// Creates a message from the user.
    pub fn user(text: impl Into<String>) -> Self {
        Self::from_text(ChatRole::User, text)
    }

    /// Creates a message from the model.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::from_text(ChatRole::Assistant, text)
    }

    /// Creates the message of a tool that answers one call.
    pub fn tool_result(result: ToolResult) -> Self {
        Self::new(ChatRole::Tool, vec![MessagePart::ToolResult(result)])
    }

    /// Returns all text parts, joined.
    pub fn text(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            MessagePart::Text { text } => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    /// Returns the model's reason for refusing, if any.
    pub fn refusal(&self) -> Option<&str> {
        self.parts.iter().find_map(|part| match part {
            MessagePart::Refusal { text } => Some(text.as_str()),
            _ => None,
        })
    }

    /// Returns the model's tool calls.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.parts.iter().filter_map(|part| match part {
            MessagePart::ToolCall(call) => Some(call),
            _ => None,
        })
    }
}
