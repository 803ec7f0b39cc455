//! End-to-end tests of the program.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a panic in a test's helper is a failed test with a line number"
)]

#[cfg(feature = "ask")]
mod ask;
#[cfg(feature = "azure-search")]
mod azure_search;
#[cfg(feature = "azure-search")]
#[allow(dead_code, reason = "its own tests use the rest")]
#[path = "../../../textsearch-azure-ai-search/tests/it/service/mod.rs"]
mod azure_search_stand_in;
mod capabilities;
#[cfg(unix)]
mod changing_folder;
mod crash;
#[cfg(feature = "ask")]
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
#[cfg(feature = "mcp")]
mod mcp;
mod mlindex;
#[cfg(not(feature = "ask"))]
mod no_ask;
#[cfg(not(feature = "mcp"))]
mod no_mcp;
#[cfg(not(feature = "plan"))]
mod no_plan;
#[cfg(not(feature = "serve"))]
mod no_serve;
#[cfg(not(feature = "web"))]
mod no_web;
#[cfg(feature = "web")]
mod page;
#[cfg(all(feature = "ask", feature = "pinecone"))]
mod pinecone;
#[cfg(all(feature = "ask", feature = "pinecone"))]
#[allow(dead_code, reason = "its own tests use the rest")]
#[path = "../../../textsearch-pinecone/tests/it/stand_in/mod.rs"]
mod pinecone_stand_in;
#[cfg(feature = "plan")]
mod plan;
mod prompt;
#[cfg(target_os = "linux")]
mod pseudo_terminal;
#[cfg(feature = "ask")]
mod rerank;
#[cfg(feature = "serve")]
mod retrieval_plugin;
mod search;
#[cfg(feature = "serve")]
mod serve;
#[cfg(all(unix, feature = "serve"))]
mod serve_load;
#[cfg(feature = "web")]
mod server;
mod support;
mod usage;
#[cfg(feature = "web")]
mod web;
