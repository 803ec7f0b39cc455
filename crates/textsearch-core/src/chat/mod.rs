//! Messages, tools and the trait of chat models.

mod citation;
mod completion;
mod history;
#[cfg(feature = "chat-http")]
pub mod http;
mod message;
mod options;
mod response;
mod stream;
mod tool;

pub use citation::ModelCitation;
pub use completion::ChatCompletion;
pub use history::ChatHistory;
pub use message::{ChatMessage, ChatRole, MessagePart};
pub use options::{ChatOptions, ResponseFormat, ToolChoice};
pub use response::{ChatResponse, FinishReason, Usage};
pub use stream::{ChatStream, ChatUpdate, MessageBuilder};
pub use tool::{ToolCall, ToolDefinition, ToolResult};
