//! MLIndex files on servers at `CHROMA_URL`, `MILVUS_URL` and `POSTGRES_URL`, for the features of the
//! build. `cargo xtask integration chroma|milvus|pgvector` sets the variable and runs its tests.
//! Without the variable, they fail and say so.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    dead_code,
    reason = "a panic in a test's helper is a failed test; other tests use the rest of the helpers"
)]

#[path = "../it/indexed_folder.rs"]
mod indexed_folder;
#[path = "../it/local_model.rs"]
mod local_model;
#[cfg(feature = "stores")]
mod pgvector;
#[path = "../it/support.rs"]
mod support;

/// Indexes a folder on the server at `variable`, and opens it by a file with the address in
/// `setting`.
#[cfg(feature = "stores")]
fn check(kind: &str, variable: &str, setting: &str) {
    let server = std::env::var(variable);
    let server = server.unwrap_or_else(|_| {
        panic!("{variable} names a server: run `cargo xtask integration {kind}`")
    });
    let store = format!("{}/{}", server.replacen("http", kind, 1), indexed_folder::NAME);
    indexed_folder::check(&store, &format!("  kind: {kind}\n  {setting}: {server}"));
}

#[cfg(feature = "stores")]
#[test]
fn chroma_opens_an_indexed_folder() {
    check("chroma", "CHROMA_URL", "endpoint");
}

#[cfg(feature = "stores")]
#[test]
fn milvus_opens_an_indexed_folder() {
    check("milvus", "MILVUS_URL", "uri");
}
