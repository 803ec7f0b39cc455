//! The conformance suite for vector stores, on a store whose vectors all have a graph.

use std::sync::Arc;

use async_trait::async_trait;
use textsearch_conformance::vector::{VectorCapabilities, VectorFeature};
use textsearch_core::{
    Result,
    vector::{IndexKind, RecordDefinition, VectorCollection, VectorField, VectorStore},
};
use textsearch_vector_inmemory::InMemoryVectorStore;

struct WithGraphs(InMemoryVectorStore);

#[async_trait]
impl VectorStore for WithGraphs {
    fn name(&self) -> &str {
        self.0.name()
    }

    async fn collection_names(&self) -> Result<Vec<String>> {
        self.0.collection_names().await
    }

    fn stored_collection(
        &self,
        name: &str,
        mut definition: RecordDefinition,
    ) -> Result<Arc<dyn VectorCollection>> {
        let with_graph = |field: VectorField| field.with_index(IndexKind::hnsw());
        definition.vectors = definition.vectors.into_iter().map(with_graph).collect();
        self.0.stored_collection(name, definition)
    }
}

textsearch_conformance::vector_suite!(
    || async { Ok(WithGraphs(InMemoryVectorStore::new())) },
    VectorCapabilities::default().without(VectorFeature::Persistence),
);
