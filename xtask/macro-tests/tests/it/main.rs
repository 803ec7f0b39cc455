//! Tests of the macros.
#![expect(
    clippy::unwrap_used,
    reason = "a panic in a test's helper is a failed test with a line number"
)]

mod functions;
mod manual;
mod plugins;
mod record_conversions;
mod records;
mod search_records;
mod support;
mod ui;
