//! Chat as data: messages, histories and tool definitions, the same for every provider.

mod history;
mod message;
mod tool;

pub use history::ChatHistory;
pub use message::{ChatMessage, ChatRole, MessagePart};
pub use tool::{ToolCall, ToolDefinition, ToolResult};
