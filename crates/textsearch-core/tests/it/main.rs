//! Tests of the core's public promises.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a panic in a test's helper is a failed test with a line number"
)]

mod erasure;
mod errors;
mod options;
mod paging;
mod spans;
mod support;
mod wrappers;

#[cfg(feature = "vector")]
mod bulk_upsert;
#[cfg(feature = "chat")]
mod chat;
#[cfg(feature = "vector")]
mod collection_spans;
#[cfg(feature = "vector")]
mod embeddings;
#[cfg(feature = "http")]
mod http;
#[cfg(feature = "vector")]
mod shelf;
#[cfg(feature = "vector")]
mod text_search;
#[cfg(feature = "vector")]
mod vector;
