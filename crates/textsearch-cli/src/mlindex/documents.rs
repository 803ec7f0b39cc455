//! Indexes that `textsearch index` wrote. Their catalog describes the records, which their servers
//! don't.

use std::sync::Arc;

use textsearch_core::{
    Result, TextSearch,
    vector::{IndexKind, VectorStore},
};
use textsearch_documents::ingest::{DocumentIndex, IngestError};
use textsearch_mlindex::IndexContext;

/// What a store can do.
pub(super) struct Abilities {
    pub(super) full_text: bool,
    pub(super) vector_index: IndexKind,
}

impl Abilities {
    /// Neither full text nor exact search.
    #[cfg(any(feature = "chroma", feature = "pinecone"))]
    pub(super) fn approximate_vectors() -> Self {
        Self { full_text: false, vector_index: IndexKind::hnsw() }
    }

    #[cfg(any(feature = "azure-search", feature = "milvus"))]
    pub(super) fn all() -> Self {
        Self { full_text: true, vector_index: IndexKind::Exact }
    }
}

pub(super) async fn open(
    context: &IndexContext,
    store: impl VectorStore + Clone + 'static,
    abilities: Abilities,
) -> Result<Arc<dyn TextSearch>> {
    let name = context.settings.required_index()?;
    let catalog = DocumentIndex::new(store.clone(), name).catalog().await;
    let unknown = || {
        let found = "the name of an index without a catalog";
        context.settings.invalid("index", found, "an index that `textsearch index` wrote")
    };
    let catalog = catalog.map_err(|error| match error {
        IngestError::Backend(error) => error,
        _ => unknown(),
    })?;
    let schema = catalog.ok_or_else(unknown)?.schema().with_full_text(abilities.full_text);
    let known = schema.with_index(abilities.vector_index).definition()?;
    context.text_search(&store, known)
}
