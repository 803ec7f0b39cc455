//! Names the missing feature of a kind.

use std::sync::Arc;

use textsearch_core::Result;
#[cfg(not(feature = "local-embeddings"))]
use textsearch_core::vector::EmbeddingGenerator;
#[cfg(not(feature = "local-embeddings"))]
use textsearch_mlindex::EmbeddingsContext;

const MISSING: &str = "a kind that this build lacks";

#[cfg(not(feature = "stores"))]
pub(super) async fn index(
    context: textsearch_mlindex::IndexContext,
) -> Result<Arc<dyn textsearch_core::TextSearch>> {
    let with = "a build with the feature `stores`: cargo install --path crates/textsearch-cli --features stores";
    Err(context.settings.invalid("kind", MISSING, with))
}

#[cfg(not(feature = "local-embeddings"))]
pub(super) async fn hugging_face(
    context: EmbeddingsContext,
) -> Result<Arc<dyn EmbeddingGenerator>> {
    let with = "a build with the feature `local-embeddings`: cargo install --path crates/textsearch-cli \
                --features local-embeddings";
    Err(context.settings.invalid("kind", MISSING, with))
}
