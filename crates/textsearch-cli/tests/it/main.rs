//! End-to-end tests of the program.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a panic in a test's helper is a failed test with a line number"
)]

mod ask;
#[cfg(feature = "stores")]
mod azure_search;
#[cfg(feature = "stores")]
#[allow(dead_code, reason = "its own tests use the rest")]
#[path = "../../../textsearch-azure-ai-search/tests/it/service/mod.rs"]
mod azure_search_stand_in;
#[cfg(unix)]
mod changing_folder;
mod chat;
mod doctor;
mod embeddings;
mod eval;
#[cfg(unix)]
mod full_disk;
mod index;
mod json_lines;
mod kinds;
#[cfg(feature = "local-embeddings")]
mod local_embeddings;
#[cfg(feature = "local-embeddings")]
mod local_model;
mod manual;
mod mcp;
mod mlindex;
mod packaging;
mod page;
#[cfg(feature = "stores")]
mod pinecone;
#[cfg(feature = "stores")]
#[allow(dead_code, reason = "its own tests use the rest")]
#[path = "../../../textsearch-pinecone/tests/it/stand_in/mod.rs"]
mod pinecone_stand_in;
mod plan;
mod prompt;
#[cfg(target_os = "linux")]
mod pseudo_terminal;
mod read;
mod rerank;
mod retrieval_plugin;
mod search;
mod serve;
#[cfg(unix)]
mod serve_load;
mod server;
mod settings;
mod site;
mod support;
mod usage;
#[cfg(target_os = "linux")]
mod watch;
mod web;
