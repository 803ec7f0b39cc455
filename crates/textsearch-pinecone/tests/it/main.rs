//! Tests on a stand-in for Pinecone.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is a failed test with a line number, in helpers too"
)]

mod conformance;
mod documents;
mod faults;
mod filters;
mod hybrids;
mod limits;
mod namespaces;
mod pages;
mod stand_in;
mod strictness;
mod support;
mod upserts;
mod vector_conformance;
mod waiting;
