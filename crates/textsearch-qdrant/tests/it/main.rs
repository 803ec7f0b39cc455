//! Tests of the wire traffic, against an in-process server that records it.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is a failed test with a line number, in helpers too"
)]

mod described;
mod errors;
mod indexing;
mod nodes;
mod queries;
mod recorder;
mod upserts;
