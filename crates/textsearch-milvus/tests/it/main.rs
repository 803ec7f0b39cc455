//! Tests on a loopback server that speaks gRPC.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is a failed test with a line number, in helpers too"
)]

mod environment;
mod reads;
mod requests;
mod scripted;
mod upserts;
