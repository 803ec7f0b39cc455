//! Integration tests: plugins from documents, over real HTTP on loopback.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a panic in a test's helper is a failed test with a line number"
)]

mod authentication;
mod bodies;
mod errors;
mod fetching;
mod hostile_arguments;
mod hostile_documents;
mod import;
mod model;
mod multipart;
mod nesting;
mod parameters;
mod responses;
mod retrieval;
mod schemas;
mod secrecy;
mod servers;
mod support;
