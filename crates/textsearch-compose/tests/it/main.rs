//! Tests of the wrappers' public promises.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic in a test's helper is a failed test with a line number"
)]

mod fallback;
mod fan_out;
mod fan_out_properties;
mod fields;
mod hostile;
mod per_document;
mod phrased;
mod recent;
mod reranked;
mod support;
mod timed;

#[cfg(feature = "cache")]
mod cached;
#[cfg(all(feature = "cache", feature = "rate-limit"))]
mod conformance;
#[cfg(feature = "cache")]
mod explanation;
#[cfg(all(feature = "cache", feature = "rate-limit"))]
mod isolation;
#[cfg(feature = "rate-limit")]
mod rate_limited;
#[cfg(all(feature = "cache", feature = "rate-limit"))]
mod spans;
