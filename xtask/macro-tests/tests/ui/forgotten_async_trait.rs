//! Implementations of object-safe traits need `#[async_trait]`.

use std::sync::Arc;

use textsearch_core::{
    Result,
    vector::{
        EmbeddingGenerator, EmbeddingSettings, Embeddings, RecordDefinition, VectorCollection,
        VectorStore,
    },
};

struct Store;

impl VectorStore for Store {
    fn name(&self) -> &str {
        "store"
    }

    async fn collection_names(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn stored_collection(
        &self,
        _name: &str,
        _definition: RecordDefinition,
    ) -> Result<Arc<dyn VectorCollection>> {
        todo!()
    }
}

struct Model;

impl EmbeddingGenerator for Model {
    fn model_id(&self) -> &str {
        "model"
    }

    fn dimensions(&self) -> Option<usize> {
        None
    }

    async fn generate(&self, _: &[String], _: &EmbeddingSettings) -> Result<Embeddings> {
        todo!()
    }
}

fn main() {}
