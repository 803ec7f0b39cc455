//! Plans through the public API.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a panic in a test's helper is a failed test with a line number"
)]

mod check;
mod limits;
mod memory;
mod nesting;
mod plan;
mod planner;
mod properties;
mod resume;
mod run;
mod spans;
mod support;
