//! Streamed answers.

use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll},
};

use futures_util::{
    Stream, StreamExt,
    stream::{self, BoxStream},
};

use super::{ChatMessage, ChatResponse, ChatRole, MessagePart, ToolCall};
use crate::{Error, ErrorKind, Result};

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive] // Providers add events.
pub enum ChatUpdate {
    /// More of the text.
    Text(String),
    /// More of the refusal to answer.
    Refusal(String),
    /// A complete tool call.
    ToolCall(ToolCall),
    /// The complete answer, with its citations: always the last piece.
    Finished(Box<ChatResponse>),
}

/// A stream of pieces of an answer. Dropping it ends the request.
pub struct ChatStream {
    updates: BoxStream<'static, Result<ChatUpdate>>,
}

impl ChatStream {
    /// Creates a stream of pieces, the last one [`Finished`](ChatUpdate::Finished).
    pub fn from_stream(updates: impl Stream<Item = Result<ChatUpdate>> + Send + 'static) -> Self {
        Self { updates: updates.fuse().boxed() }
    }

    /// Returns the next piece; `None` after the last.
    pub async fn next(&mut self) -> Option<Result<ChatUpdate>> {
        StreamExt::next(self).await
    }

    /// Reads the stream to its end and returns the complete answer.
    ///
    /// # Errors
    ///
    /// The first error in the stream, or [`Unavailable`](ErrorKind::Unavailable) if the stream ends
    /// before the answer.
    pub async fn into_response(mut self) -> Result<ChatResponse> {
        while let Some(update) = self.next().await {
            if let ChatUpdate::Finished(response) = update? {
                return Ok(*response);
            }
        }
        Err(Error::new(ErrorKind::Unavailable, "chat", "the answer ended before it was complete"))
    }
}

impl From<ChatResponse> for ChatStream {
    /// Streams the answer, one piece for each part.
    fn from(response: ChatResponse) -> Self {
        let mut updates: Vec<_> =
            response.message.parts.iter().filter_map(ChatUpdate::from_part).map(Ok).collect();
        updates.push(Ok(ChatUpdate::Finished(Box::new(response))));
        Self::from_stream(stream::iter(updates))
    }
}

impl ChatUpdate {
    fn from_part(part: &MessagePart) -> Option<Self> {
        match part {
            MessagePart::Text { text } => Some(Self::Text(text.clone())),
            MessagePart::Refusal { text } => Some(Self::Refusal(text.clone())),
            MessagePart::ToolCall(call) => Some(Self::ToolCall(call.clone())),
            MessagePart::Image { .. }
            | MessagePart::ToolResult(_)
            | MessagePart::Reasoning { .. } => None,
        }
    }
}

/// Builds a message from the pieces of an answer. Citations come only with the complete answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MessageBuilder {
    parts: Vec<MessagePart>,
}

impl MessageBuilder {
    /// Creates an empty builder.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a piece; joins consecutive texts. [`Finished`](ChatUpdate::Finished) adds nothing.
    pub fn push(&mut self, update: &ChatUpdate) {
        match (update, self.parts.last_mut()) {
            (ChatUpdate::Text(more), Some(MessagePart::Text { text }))
            | (ChatUpdate::Refusal(more), Some(MessagePart::Refusal { text })) => {
                text.push_str(more);
            }
            (ChatUpdate::Text(text), _) => {
                self.parts.push(MessagePart::Text { text: text.clone() });
            }
            (ChatUpdate::Refusal(text), _) => {
                self.parts.push(MessagePart::Refusal { text: text.clone() });
            }
            (ChatUpdate::ToolCall(call), _) => self.parts.push(MessagePart::ToolCall(call.clone())),
            (ChatUpdate::Finished(_), _) => {}
        }
    }

    /// Adds a part that no piece tells, such as reasoning.
    pub fn push_part(&mut self, part: MessagePart) {
        self.parts.push(part);
    }

    /// Returns the message so far.
    pub fn build(self) -> ChatMessage {
        ChatMessage::new(ChatRole::Assistant, self.parts)
    }
}

impl Stream for ChatStream {
    type Item = Result<ChatUpdate>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.updates.poll_next_unpin(context)
    }
}

impl fmt::Debug for ChatStream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ChatStream").finish_non_exhaustive()
    }
}
