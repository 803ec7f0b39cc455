//! A store on a Chroma server: `chroma://HOST:PORT/COLLECTION`, or `chromas://` with TLS.

use anyhow::Result;
use textsearch_chroma::{CHROMA_API_KEY, ChromaConfig, ChromaStore};
use textsearch_core::vector::IndexKind;
use textsearch_documents::ingest::DocumentIndex;

use super::host::HostKind;

pub(super) static KIND: HostKind = HostKind {
    tls_scheme: "chromas",
    // Of `chroma run`.
    default_port: 8000,
    key: CHROMA_API_KEY,
    example: "chroma://localhost:8000/docs",
    open,
};

/// Key, tenant and database are in the variables of the connector.
fn open(url: String, collection: &str) -> Result<DocumentIndex> {
    let mut config = ChromaConfig::from_env()?;
    config.url = url;
    let index = DocumentIndex::new(ChromaStore::new(config)?, collection);
    // Chroma has neither full text nor exact search.
    Ok(index.with_full_text(false).with_vector_index(IndexKind::hnsw()))
}
