//! The kinds of indexes and models that `--mlindex` opens.

#[cfg(feature = "local-embeddings")]
mod hugging_face;
#[cfg(not(all(feature = "ask", feature = "local-embeddings", feature = "qdrant")))]
mod not_compiled;
#[cfg(feature = "ask")]
mod open_ai;
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

fn registry() -> Result<MlIndexRegistry> {
    let mut registry = MlIndexRegistry::new();
    #[cfg(feature = "qdrant")]
    registry.register_index("qdrant", qdrant::open)?;
    #[cfg(not(feature = "qdrant"))]
    registry.register_index("qdrant", not_compiled::qdrant)?;
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
