//! Integration tests over real HTTP on loopback, against a server of the documented shape.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a panic in a test's helper is a failed test with a line number"
)]

mod answers;
mod conformance;
mod errors;
mod lite_llm;
mod requests;
mod search_results;
mod support;
