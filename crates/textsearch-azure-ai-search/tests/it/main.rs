//! Integration tests: the connector and the conformance suites, on a stand-in for the service.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a panic is a failed test with a line number, in helpers too"
)]

mod conformance;
mod credentials;
mod documents;
mod filters;
mod requests;
mod semantic;
mod service;
mod standin;
mod support;
mod vector_conformance;
mod writes;
