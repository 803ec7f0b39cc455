//! Integration tests: the connector over real HTTP on loopback and with recorded responses.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic in a test's helper is a failed test with a line number"
)]

mod config;
mod conformance;
mod costs;
mod faults;
mod filter;
mod paging;
mod request;
mod response;
mod support;
