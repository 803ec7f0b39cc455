//! Tests that need a server at `CHROMA_URL`; the module `faults` also needs `STORE_ENGINE`.
//! `cargo xtask integration chroma` sets both variables and runs these tests. Without the
//! variables, they fail and say so.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is a failed test with a line number, in helpers too"
)]

mod conformance;
mod documents;
#[path = "../../../textsearch-qdrant/tests/server/engine.rs"]
mod engine;
mod faults;
#[path = "../../../textsearch-pgvector/tests/server/kills.rs"]
mod kills;
mod searches;
mod text_filters;
mod vector_conformance;

use textsearch_chroma::{
    CHROMA_URL, ChromaConfig, ChromaStore, Result,
    http::{HttpClient, HttpRequest, HttpSettings},
};

fn config() -> ChromaConfig {
    let is_set = std::env::var_os(CHROMA_URL).is_some();
    assert!(is_set, "CHROMA_URL names no server: run `cargo xtask integration chroma`");
    ChromaConfig::from_env().unwrap()
}

/// Records of one request, which the server stores together.
const BATCH: usize = 500;

/// Requests are sent once, so that failures are visible.
fn config_at(url: &str) -> ChromaConfig {
    let http = HttpSettings::default().with_max_attempts(1).with_max_body_bytes(1 << 28);
    ChromaConfig::new(url).with_http_settings(http)
}

async fn engine_store(url: &str) -> Result<ChromaStore> {
    ChromaStore::new(config_at(url))
}

async fn store() -> Result<ChromaStore> {
    ChromaStore::new(config())
}

/// Creates the tenant and the database, unless they exist.
async fn create_database(config: &ChromaConfig) {
    let client = HttpClient::new("test", HttpSettings::default().with_proxy(false)).unwrap();
    let tenants = format!("{}/api/v2/tenants", config.url);
    let databases = format!("{tenants}/{}/databases", config.tenant);
    for (url, name) in [(tenants, &config.tenant), (databases, &config.database)] {
        let request = HttpRequest::post(url.parse().unwrap());
        let request = request.with_json(&serde_json::json!({ "name": name }));
        // A conflict says that it exists.
        if let Err(error) = client.send(request).await {
            assert!(error.message().contains("409"), "{error}");
        }
    }
}
