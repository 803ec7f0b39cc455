//! Names the missing feature of a kind.

use std::sync::Arc;

use textsearch_core::Result;
#[cfg(not(all(feature = "ask", feature = "local-embeddings")))]
use textsearch_core::vector::EmbeddingGenerator;
#[cfg(not(all(feature = "ask", feature = "local-embeddings")))]
use textsearch_mlindex::EmbeddingsContext;

const MISSING: &str = "a kind that this build lacks";

#[cfg(not(all(
    feature = "azure-search",
    feature = "chroma",
    feature = "milvus",
    feature = "pgvector",
    feature = "pinecone",
    feature = "qdrant"
)))]
pub(super) async fn index(
    context: textsearch_mlindex::IndexContext,
    feature: &str,
) -> Result<Arc<dyn textsearch_core::TextSearch>> {
    let with = format!(
        "a build with the feature `{feature}`: cargo install --path crates/textsearch-cli --features {feature}"
    );
    Err(context.settings.invalid("kind", MISSING, &with))
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
