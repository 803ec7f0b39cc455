//! Tests of the public API.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a panic in a test's helper is a failed test with a line number"
)]

mod conformance;
mod errors;
mod layouts;
mod model_types;
mod precision;
mod quality;
mod reference;
mod reranker;
mod running;
mod texts;
mod tiny;
