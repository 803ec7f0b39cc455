//! Kernel functions and plugins made by the attributes.
#![expect(
    clippy::unwrap_used,
    reason = "a panic in a test's helper is a failed test with a line number"
)]

mod functions;
mod manual;
mod plugins;
mod support;
mod ui;
