//! Prompts: configuration, template engines, filters and chats.

mod chat;
mod config;
mod filter;
mod load;
mod render;
mod template;
mod variables;

pub use crate::{arguments::ExecutionSettings, text::json_line};
pub use chat::{
    encode_for_chat, finish_chat, insert_into_chat, insert_trusted_into_chat, opens_message,
    parse_chat,
};
pub use config::{
    HANDLEBARS_FORMAT, InputVariable, OutputVariable, PromptTemplateConfig, SEMANTIC_KERNEL_FORMAT,
};
pub use filter::{NextRender, PromptRenderContext, PromptRenderFilter};
pub use render::{Prompt, RenderedPrompt};
pub use template::{PromptTemplate, PromptTemplateFactory};
pub use variables::{TemplateCall, TemplateVariable, TemplateVariables};
