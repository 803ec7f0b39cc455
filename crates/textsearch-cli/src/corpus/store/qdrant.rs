//! A store on a Qdrant server: `qdrant://HOST:PORT/COLLECTION`, or `qdrants://` with TLS.

use anyhow::Result;
use textsearch_core::secret::{Secret, variable};
use textsearch_documents::ingest::DocumentIndex;
use textsearch_qdrant::{QDRANT_API_KEY, QdrantConfig, QdrantStore};

use super::host::HostKind;

pub(super) static KIND: HostKind = HostKind {
    tls_scheme: "qdrants",
    // Of the gRPC interface.
    default_port: 6334,
    key: QDRANT_API_KEY,
    example: "qdrant://localhost:6334/docs",
    open,
};

fn open(url: String, collection: &str) -> Result<DocumentIndex> {
    let mut config = QdrantConfig::new(url);
    config.api_key = variable("qdrant", QDRANT_API_KEY)?.map(Secret::from);
    Ok(DocumentIndex::new(QdrantStore::new(config)?, collection))
}
