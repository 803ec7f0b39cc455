//! The kernel's behaviour through its public API.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a panic in a test's helper is a failed test with a line number"
)]

mod arguments;
mod auto_filters;
mod chat_loop;
mod chat_prompts;
mod chat_records;
mod chat_settings;
mod chat_sources;
mod chat_streaming;
mod citation_costs;
mod citations;
mod citations_browser;
mod citations_hostile;
mod citations_model;
mod documents;
mod errors;
mod filters;
mod function_calling_samples;
mod functions;
mod grounding;
mod hostile_models;
mod isolation;
mod isolation_chat;
mod manual;
mod memory;
mod nested_runs;
mod nesting;
mod outside_calls;
mod prompt_config;
mod prompts;
mod search_plugins;
mod support;
mod telemetry;
mod tool_calls;
mod transform;
mod typed_answers;
mod typed_results;
