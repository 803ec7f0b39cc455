//! Names the missing feature of a kind.

use std::sync::Arc;

use textsearch_core::Result;
#[cfg(not(feature = "qdrant"))]
use textsearch_core::TextSearch;
#[cfg(not(all(feature = "ask", feature = "local-embeddings")))]
use textsearch_core::vector::EmbeddingGenerator;
#[cfg(not(all(feature = "ask", feature = "local-embeddings")))]
use textsearch_mlindex::EmbeddingsContext;
#[cfg(not(feature = "qdrant"))]
use textsearch_mlindex::IndexContext;

const MISSING: &str = "a kind that this build lacks";

#[cfg(not(feature = "qdrant"))]
pub(super) async fn qdrant(context: IndexContext) -> Result<Arc<dyn TextSearch>> {
    let with = "a build with the feature `qdrant`: cargo install --path crates/textsearch-cli --features qdrant";
    Err(context.settings.invalid("kind", MISSING, with))
}

#[cfg(not(feature = "ask"))]
pub(super) async fn open_ai(context: EmbeddingsContext) -> Result<Arc<dyn EmbeddingGenerator>> {
    Err(context.settings.invalid("kind", MISSING, "a build with the feature `ask`"))
}

#[cfg(not(feature = "local-embeddings"))]
pub(super) async fn hugging_face(
    context: EmbeddingsContext,
) -> Result<Arc<dyn EmbeddingGenerator>> {
    let with = "a build with the feature `local-embeddings`: cargo install --path crates/textsearch-cli \
                --features local-embeddings";
    Err(context.settings.invalid("kind", MISSING, with))
}
