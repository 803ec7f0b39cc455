//! Integration tests: the connector over real HTTP on loopback and with recorded responses.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a panic in a test's helper is a failed test with a line number"
)]

mod conformance;
mod faults;
mod filter;
mod paging;
mod request;
mod response;
mod support;
mod webiq;
