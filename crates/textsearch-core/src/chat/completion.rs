//! The trait of chat models.

use std::sync::Arc;

use async_trait::async_trait;

use super::{ChatHistory, ChatOptions, ChatResponse, ChatStream};
use crate::Result;

/// A model that continues a chat, usually held as an `Arc<dyn ChatCompletion>`.
///
/// # Behavior
///
/// - Every message and tool is sent, and every option is sent or refused as
///   [`InvalidOptions`](crate::ErrorKind::InvalidOptions).
/// - Texts, tool calls and finish reasons are returned as the model wrote them. Citations that the
///   provider returns separately are in [`citations`](super::ChatMessage::citations).
/// - A stream ends with the complete answer or with an error. An answer that breaks off or cannot be
///   read is an error, never a short answer.
/// - Many callers may chat at once. No call blocks its thread. Dropping a call ends its request.
/// - No error, log or `Debug` output contains a key.
///
/// # Example
///
/// ```
/// use textsearch_core::{
///     Result, async_trait,
///     chat::{ChatCompletion, ChatHistory, ChatMessage, ChatOptions, ChatResponse},
/// };
///
/// /// Says what it is told.
/// struct Echo;
///
/// #[async_trait]
/// impl ChatCompletion for Echo {
///     fn name(&self) -> &str {
///         "echo"
///     }
///
///     fn model_id(&self) -> &str {
///         "echo-1"
///     }
///
///     async fn complete(&self, history: &ChatHistory, _: &ChatOptions) -> Result<ChatResponse> {
///         let text = history.last().map(ChatMessage::text).unwrap_or_default();
///         Ok(ChatResponse::new(ChatMessage::assistant(text)))
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let history = ChatHistory::from(vec![ChatMessage::user("Hello?")]);
/// let response = Echo.complete(&history, &ChatOptions::new()).await?;
/// assert_eq!(response.message.text(), "Hello?");
/// # Ok(())
/// # }
/// ```
#[async_trait]
pub trait ChatCompletion: Send + Sync {
    /// Returns the provider, such as `openai`, for errors and spans.
    fn name(&self) -> &str;

    /// Returns the model used if [`ChatOptions::model`] names no other.
    fn model_id(&self) -> &str;

    /// Returns the complete answer. One that was cut off, filtered or refused is no error: see
    /// [`finish_reason`](ChatResponse::finish_reason).
    ///
    /// # Errors
    ///
    /// [`InvalidOptions`](crate::ErrorKind::InvalidOptions) if the provider does not know an
    /// option, before any request if possible, or any kind that a remote service can cause.
    async fn complete(&self, history: &ChatHistory, options: &ChatOptions) -> Result<ChatResponse>;

    /// Answers piece by piece; by default, the whole answer is one piece. Dropping the stream ends
    /// the request.
    ///
    /// # Errors
    ///
    /// Errors of [`complete`](Self::complete). After the first piece, an error is an item of the
    /// stream.
    async fn stream(&self, history: &ChatHistory, options: &ChatOptions) -> Result<ChatStream> {
        Ok(self.complete(history, options).await?.into())
    }
}

#[async_trait]
impl<T: ChatCompletion + ?Sized> ChatCompletion for Arc<T> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn model_id(&self) -> &str {
        (**self).model_id()
    }

    async fn complete(&self, history: &ChatHistory, options: &ChatOptions) -> Result<ChatResponse> {
        (**self).complete(history, options).await
    }

    async fn stream(&self, history: &ChatHistory, options: &ChatOptions) -> Result<ChatStream> {
        (**self).stream(history, options).await
    }
}
