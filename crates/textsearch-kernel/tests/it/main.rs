//! The kernel's behaviour, as its users see it.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a panic in a test's helper is a failed test with a line number"
)]

mod arguments;
mod chat_loop;
mod chat_settings;
mod citations;
mod filters;
mod functions;
mod isolation;
mod isolation_chat;
mod manual;
mod prompt_config;
mod prompts;
mod search_plugins;
mod support;
mod telemetry;
mod tool_calls;
