//! An MLIndex file on a server at `MILVUS_URL`. `cargo xtask integration milvus` sets the variable
//! and runs this test. Without it, the test fails and says so.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a panic in a test's helper is a failed test with a line number"
)]

#[path = "../it/indexed_folder.rs"]
mod indexed_folder;
#[path = "../it/local_model.rs"]
mod local_model;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../it/support.rs"]
mod support;

#[test]
fn a_file_opens_an_indexed_folder() {
    let server = std::env::var("MILVUS_URL");
    let server = server.expect("MILVUS_URL names a server: run `cargo xtask integration milvus`");
    let store = format!("{}/{}", server.replacen("http", "milvus", 1), indexed_folder::NAME);
    indexed_folder::check(&store, &format!("  kind: milvus\n  uri: {server}"));
}
