//! The kinds of indexes and models that `--mlindex` opens.

#[cfg(feature = "azure-search")]
mod acs;
#[cfg(feature = "chroma")]
mod chroma;
#[cfg(any(feature = "azure-search", feature = "chroma", feature = "milvus", feature = "pinecone"))]
mod documents;
#[cfg(feature = "local-embeddings")]
mod hugging_face;
#[cfg(feature = "milvus")]
mod milvus;
#[cfg(not(all(
    feature = "ask",
    feature = "azure-search",
    feature = "chroma",
    feature = "local-embeddings",
    feature = "milvus",
    feature = "pgvector",
    feature = "pinecone",
    feature = "qdrant"
)))]
mod not_compiled;
#[cfg(feature = "ask")]
mod open_ai;
#[cfg(feature = "pgvector")]
mod pgvector;
#[cfg(feature = "pinecone")]
mod pinecone;
#[cfg(feature = "qdrant")]
mod qdrant;

use std::{path::Path, sync::Arc};

use anyhow::{Context as _, Result};
use textsearch_core::{ErrorKind, TextSearch};
use textsearch_mlindex::{MlIndex, MlIndexRegistry};

use crate::errors::usage;

pub(crate) async fn open(path: &Path) -> Result<Arc<dyn TextSearch>> {
    let cannot = || format!("the MLIndex file `{}` cannot be opened", path.display());
    let file = MlIndex::from_path(path).with_context(cannot)?;
    let opened = registry()?.open(&file).await;
    let opened = opened.map_err(|error| match error.kind() {
        // No request was sent, so the key is missing, not wrong.
        ErrorKind::Authentication if error.connector() == "mlindex" => usage(error.message()),
        _ => error.into(),
    });
    opened.with_context(cannot)
}

/// Registers a kind of index, or the error for a build without its feature.
macro_rules! index {
    ($registry:ident, $kind:literal, $feature:literal, $open:path) => {
        #[cfg(feature = $feature)]
        $registry.register_index($kind, $open)?;
        #[cfg(not(feature = $feature))]
        $registry.register_index($kind, |context| not_compiled::index(context, $feature))?;
    };
}

fn registry() -> Result<MlIndexRegistry> {
    let mut registry = MlIndexRegistry::new();
    index!(registry, "acs", "azure-search", acs::open);
    index!(registry, "chroma", "chroma", chroma::open);
    index!(registry, "milvus", "milvus", milvus::open);
    index!(registry, "pgvector", "pgvector", pgvector::open);
    index!(registry, "pinecone", "pinecone", pinecone::open);
    index!(registry, "qdrant", "qdrant", qdrant::open);
    #[cfg(feature = "ask")]
    registry.register_embeddings("open_ai", open_ai::open)?;
    #[cfg(not(feature = "ask"))]
    registry.register_embeddings("open_ai", not_compiled::open_ai)?;
    #[cfg(feature = "ask")]
    registry.register_embeddings("azure_open_ai", open_ai::open_azure)?;
    #[cfg(not(feature = "ask"))]
    registry.register_embeddings("azure_open_ai", not_compiled::open_ai)?;
    #[cfg(feature = "local-embeddings")]
    registry.register_embeddings("hugging_face", hugging_face::open)?;
    #[cfg(not(feature = "local-embeddings"))]
    registry.register_embeddings("hugging_face", not_compiled::hugging_face)?;
    Ok(registry)
}
