//! One message: who speaks, and the parts of what is said.

use serde::{Deserialize, Serialize};

use super::{ToolCall, ToolResult};

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChatRole {
    /// The application's standing instructions.
    System,
    /// The application's instructions, as some models call them.
    Developer,
    /// The person.
    User,
    /// The model.
    Assistant,
    /// A tool that the model called.
    Tool,
}

impl ChatRole {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::System, Self::Developer, Self::User, Self::Assistant, Self::Tool];

    /// The name that prompts and providers use, such as `system`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Developer => "developer",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }

    /// The role of this name, in any case.
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
    /// Who speaks.
    pub role: ChatRole,
    /// What is said, in order.
    pub parts: Vec<MessagePart>,
    /// The name of the speaker, where there are several in one role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
}

/// One part of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum MessagePart {
    /// Plain text.
    Text {
        /// The text.
        text: String,
    },
    /// What the model says in place of an answer that it refuses.
    Refusal {
        /// The text.
        text: String,
    },
    /// An image to look at.
    Image {
        /// Where it is: an `https` or a `data` URL.
        url: String,
    },
    /// The model asks for a tool to be run.
    ToolCall(ToolCall),
    /// What a tool answered.
    ToolResult(ToolResult),
}

impl ChatMessage {
    /// A message of these parts.
    pub fn new(role: ChatRole, parts: Vec<MessagePart>) -> Self {
        Self { role, parts, author: None }
    }

    /// A message of one text.
    pub fn from_text(role: ChatRole, text: impl Into<String>) -> Self {
        Self::new(role, vec![MessagePart::Text { text: text.into() }])
    }

    /// The application's standing instructions.
    pub fn system(text: impl Into<String>) -> Self {
        Self::from_text(ChatRole::System, text)
    }

    /// What the person says.
    pub fn user(text: impl Into<String>) -> Self {
        Self::from_text(ChatRole::User, text)
    }

    /// What the model says.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::from_text(ChatRole::Assistant, text)
    }

    /// The message of a tool that answers one call.
    pub fn tool_result(result: ToolResult) -> Self {
        Self::new(ChatRole::Tool, vec![MessagePart::ToolResult(result)])
    }

    /// All text parts, one after another.
    pub fn text(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            MessagePart::Text { text } => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    /// Why the model refused to answer, where it did.
    pub fn refusal(&self) -> Option<&str> {
        self.parts.iter().find_map(|part| match part {
            MessagePart::Refusal { text } => Some(text.as_str()),
            _ => None,
        })
    }

    /// The tools that the model asks for.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.parts.iter().filter_map(|part| match part {
            MessagePart::ToolCall(call) => Some(call),
            _ => None,
        })
    }
}
