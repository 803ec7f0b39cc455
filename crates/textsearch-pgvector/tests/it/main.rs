//! Tests that need no Postgres.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a panic is a failed test with a line number, in helpers too"
)]

// On other systems, no variable replaces the root certificates.
#[cfg(target_os = "linux")]
mod authority;
#[cfg(target_os = "linux")]
mod tls;
