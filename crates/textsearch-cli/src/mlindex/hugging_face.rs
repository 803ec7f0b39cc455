//! The kind `hugging_face`, from a folder next to the file.

use std::sync::Arc;

use textsearch_core::{Result, vector::EmbeddingGenerator};
use textsearch_embeddings_local::{LocalEmbeddings, LocalEmbeddingsConfig};
use textsearch_mlindex::EmbeddingsContext;

pub(super) async fn open(context: EmbeddingsContext) -> Result<Arc<dyn EmbeddingGenerator>> {
    let config = LocalEmbeddingsConfig::new(context.model_folder()?);
    Ok(Arc::new(LocalEmbeddings::new(config)?))
}
