//! Tests on loopback, in the shape of the server's own responses: requests, errors, retries, limits.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a panic in a test's helper is a failed test with a line number"
)]

mod definitions;
mod errors;
mod pages;
mod requests;
mod server;
mod upserts;
