//! Tests of the public API.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is a failed test with a line number, in helpers too"
)]

#[cfg(feature = "hnsw")]
mod approximate;
mod collections;
mod conformance;
mod example_values;
mod explanation;
mod full_text;
mod hybrid;
mod large;
mod load;
mod naive;
mod reading;
mod snapshot;
mod support;
mod vector_conformance;
mod vectors;
mod writing;
