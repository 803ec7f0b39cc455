//! Tests of the server over real HTTP on loopback.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a panic in a test's helper is a failed test with a line number"
)]

mod access;
mod answer;
mod conversation;
mod documents;
mod grounding;
mod hostile;
mod limits;
mod mcp;
mod oauth;
mod openapi;
mod origin;
mod playground;
mod prompt;
mod retrieval;
mod search;
mod secrecy;
mod shutdown;
mod status;
mod support;
mod tenants;
mod upsert_file;
