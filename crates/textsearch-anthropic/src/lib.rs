#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod answer;
mod chat;
mod config;
mod failure;
mod messages;
mod request;
mod schema;
mod search_results;
mod stream;

pub use chat::AnthropicChat;
pub use config::{ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, ANTHROPIC_MODEL, AnthropicConfig};

const CONNECTOR: &str = "anthropic";

// What callers need from the core.
pub use textsearch_core::{
    Error, ErrorKind, Result,
    chat::{
        ChatCompletion, ChatHistory, ChatMessage, ChatOptions, ChatResponse, ChatStream,
        ChatUpdate, FinishReason, MessagePart, ModelCitation, ResponseFormat, ToolCall, ToolChoice,
        ToolDefinition, ToolResult,
    },
    http,
};
