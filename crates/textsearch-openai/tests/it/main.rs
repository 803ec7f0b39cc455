//! Integration tests over real HTTP on loopback, against a scripted model that validates requests.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a panic in a test's helper is a failed test with a line number"
)]

mod azure;
mod conformance;
mod embedding_conformance;
mod embeddings;
mod environment;
mod errors;
mod litellm;
mod llama_cpp;
mod messages;
mod options;
mod other_servers;
mod outcomes;
mod responses;
mod responses_conformance;
mod secrecy;
mod streams;
mod strict;
mod support;
mod tools;
