//! Tests of the public API, over real HTTP on loopback.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a panic in a test's helper is a failed test with a line number"
)]

mod batches;
mod errors;
mod llama_cpp;
mod request;
mod response;
mod secrecy;
mod support;
