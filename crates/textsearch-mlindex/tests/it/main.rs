//! Files, good and hostile, and the registry.

#![expect(
    clippy::unwrap_used,
    reason = "a panic in a test's helper is a failed test with a line number"
)]

mod access;
mod definition;
mod folders;
mod hostile;
mod registry;
mod search;
mod secrecy;
mod settings;
mod support;
