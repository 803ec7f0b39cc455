//! The messages of a chat.

use std::ops::Deref;

use serde::{Deserialize, Serialize};

use super::ChatMessage;

/// The messages of a chat, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChatHistory {
    messages: Vec<ChatMessage>,
}

impl ChatHistory {
    /// Creates an empty chat.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a message at the end.
    pub fn push(&mut self, message: ChatMessage) {
        self.messages.push(message);
    }

    /// Returns the messages, oldest first.
    pub fn messages(&self) -> &[ChatMessage] {
        &self.messages
    }

    /// Returns the messages by value.
    pub fn into_messages(self) -> Vec<ChatMessage> {
        self.messages
    }
}

/// Reads the history as a slice of messages, oldest first.
impl Deref for ChatHistory {
    type Target = [ChatMessage];

    fn deref(&self) -> &[ChatMessage] {
        &self.messages
    }
}

impl From<Vec<ChatMessage>> for ChatHistory {
    fn from(messages: Vec<ChatMessage>) -> Self {
        Self { messages }
    }
}

impl FromIterator<ChatMessage> for ChatHistory {
    fn from_iter<I: IntoIterator<Item = ChatMessage>>(messages: I) -> Self {
        Self { messages: messages.into_iter().collect() }
    }
}

impl Extend<ChatMessage> for ChatHistory {
    fn extend<I: IntoIterator<Item = ChatMessage>>(&mut self, messages: I) {
        self.messages.extend(messages);
    }
}

impl IntoIterator for ChatHistory {
    type Item = ChatMessage;
    type IntoIter = std::vec::IntoIter<ChatMessage>;

    fn into_iter(self) -> Self::IntoIter {
        self.messages.into_iter()
    }
}
