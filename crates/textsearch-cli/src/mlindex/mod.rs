//! The kinds of indexes and models that `--mlindex` opens.

#[cfg(feature = "stores")]
mod acs;
#[cfg(feature = "stores")]
mod chroma;
#[cfg(feature = "stores")]
mod documents;
#[cfg(feature = "local-embeddings")]
mod hugging_face;
#[cfg(feature = "stores")]
mod milvus;
#[cfg(not(all(feature = "stores", feature = "local-embeddings")))]
mod not_compiled;
mod open_ai;
#[cfg(feature = "stores")]
mod pgvector;
#[cfg(feature = "stores")]
mod pinecone;
#[cfg(feature = "stores")]
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

/// Registers a kind of index, or the error for a build without stores on servers.
macro_rules! index {
    ($registry:ident, $kind:literal, $open:path) => {
        #[cfg(feature = "stores")]
        $registry.register_index($kind, $open)?;
        #[cfg(not(feature = "stores"))]
        $registry.register_index($kind, not_compiled::index)?;
    };
}

fn registry() -> Result<MlIndexRegistry> {
    let mut registry = MlIndexRegistry::new();
    index!(registry, "acs", acs::open);
    index!(registry, "chroma", chroma::open);
    index!(registry, "milvus", milvus::open);
    index!(registry, "pgvector", pgvector::open);
    index!(registry, "pinecone", pinecone::open);
    index!(registry, "qdrant", qdrant::open);
    registry.register_embeddings("open_ai", open_ai::open)?;
    registry.register_embeddings("azure_open_ai", open_ai::open_azure)?;
    #[cfg(feature = "local-embeddings")]
    registry.register_embeddings("hugging_face", hugging_face::open)?;
    #[cfg(not(feature = "local-embeddings"))]
    registry.register_embeddings("hugging_face", not_compiled::hugging_face)?;
    Ok(registry)
}
