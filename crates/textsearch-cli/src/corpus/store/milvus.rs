//! A store on a Milvus server: `milvus://HOST:PORT/COLLECTION`, or `milvuss://` with TLS.

use anyhow::Result;
use textsearch_documents::ingest::DocumentIndex;
use textsearch_milvus::{MILVUS_TOKEN, MilvusConfig, MilvusStore};

use super::host::HostKind;

pub(super) static KIND: HostKind = HostKind {
    tls_scheme: "milvuss",
    // Of the gRPC interface.
    default_port: 19530,
    key: MILVUS_TOKEN,
    example: "milvus://localhost:19530/docs",
    open,
};

/// Token, database and consistency level are in the variables of the connector.
fn open(url: String, collection: &str) -> Result<DocumentIndex> {
    let config = MilvusConfig::from_env_with_url(url)?;
    Ok(DocumentIndex::new(MilvusStore::new(config)?, collection))
}
