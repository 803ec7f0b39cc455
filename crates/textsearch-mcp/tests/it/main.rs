//! Tests of the MCP server and client.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a panic in a test's helper is a failed test with a line number"
)]

mod client;
mod fastmcp;
mod greetings;
mod hostile_servers;
mod http;
mod lines;
mod prompts;
mod research;
mod resources;
mod revisions;
mod support;
mod tools;
mod trace;
