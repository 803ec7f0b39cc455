//! Integration tests: the connector over real HTTP on loopback, and the conformance suite.
#![expect(
    clippy::unwrap_used,
    reason = "a panic in a test's helper is a failed test with a line number"
)]

mod conformance;
mod context;
mod faults;
mod filter;
mod paging;
mod request;
mod response;
mod support;
