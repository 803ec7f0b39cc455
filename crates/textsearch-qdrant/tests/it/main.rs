//! What goes over the wire, against a server in this process that records it; `tests/server` is about a real one.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is a failed test with a line number, in helpers too"
)]

mod errors;
mod nodes;
mod queries;
mod recorder;
mod upserts;
