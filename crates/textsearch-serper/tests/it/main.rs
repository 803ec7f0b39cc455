//! Integration tests: the connector over real HTTP on loopback, and the conformance suite.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a panic in a test's helper is a failed test with a line number"
)]

mod conformance;
mod search;
