#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod chat;
mod config;
mod embeddings;
mod failure;

pub use chat::OpenAiChat;
pub use config::{
    AZURE_OPENAI_API_KEY, AZURE_OPENAI_API_VERSION, AZURE_OPENAI_DEPLOYMENT,
    AZURE_OPENAI_EMBEDDING_DEPLOYMENT, AZURE_OPENAI_ENDPOINT, MaxTokensField, OPENAI_API_KEY,
    OPENAI_BASE_URL, OPENAI_EMBEDDING_MODEL, OPENAI_MODEL, OPENAI_ORG_ID, OPENAI_PROJECT_ID,
    OPENAI_PROTOCOL, OpenAiConfig, Protocol,
};
pub use embeddings::OpenAiEmbeddings;

const CONNECTOR: &str = "openai";

// What callers need from the core.
pub use textsearch_core::{
    Error, ErrorKind, Result,
    chat::{
        ChatCompletion, ChatHistory, ChatMessage, ChatOptions, ChatResponse, ChatStream,
        ChatUpdate, FinishReason, MessagePart, ModelCitation, ResponseFormat, ToolCall, ToolChoice,
        ToolDefinition, ToolResult,
    },
    http,
    vector::{EmbeddingGenerator, EmbeddingSettings, Embeddings},
};
