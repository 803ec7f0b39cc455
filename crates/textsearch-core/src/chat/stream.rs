//! An answer that comes piece by piece.

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

/// One piece of an answer.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ChatUpdate {
    /// More of the text.
    Text(String),
    /// More of what the model says in place of an answer that it refuses.
    Refusal(String),
    /// A tool that the model asks for, its arguments complete.
    ToolCall(ToolCall),
    /// The end, and always the last piece: the whole answer.
    Finished(Box<ChatResponse>),
}

/// The pieces of an answer, as they come. Dropping it ends the request.
pub struct ChatStream {
    updates: BoxStream<'static, Result<ChatUpdate>>,
}

impl ChatStream {
    /// The pieces that `updates` yields, of which the last is [`Finished`](ChatUpdate::Finished).
    pub fn from_stream(updates: impl Stream<Item = Result<ChatUpdate>> + Send + 'static) -> Self {
        Self { updates: updates.fuse().boxed() }
    }

    /// The next piece; `None` after the last.
    pub async fn next(&mut self) -> Option<Result<ChatUpdate>> {
        StreamExt::next(self).await
    }

    /// The whole answer, read to the end.
    ///
    /// # Errors
    ///
    /// The first error in the stream; [`Unavailable`](ErrorKind::Unavailable) where it ends before the answer does.
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
    /// The answer in one piece for each part of it.
    fn from(response: ChatResponse) -> Self {
        let mut updates: Vec<_> =
            response.message.parts.iter().filter_map(ChatUpdate::of).map(Ok).collect();
        updates.push(Ok(ChatUpdate::Finished(Box::new(response))));
        Self::from_stream(stream::iter(updates))
    }
}

impl ChatUpdate {
    fn of(part: &MessagePart) -> Option<Self> {
        match part {
            MessagePart::Text { text } => Some(Self::Text(text.clone())),
            MessagePart::Refusal { text } => Some(Self::Refusal(text.clone())),
            MessagePart::ToolCall(call) => Some(Self::ToolCall(call.clone())),
            MessagePart::Image { .. } | MessagePart::ToolResult(_) => None,
        }
    }
}

/// Puts the pieces of an answer together into its message, for connectors that stream.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MessageBuilder {
    parts: Vec<MessagePart>,
}

impl MessageBuilder {
    /// No pieces yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a piece; what follows on a text is one text with it. The end adds nothing.
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

    /// The message so far.
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
