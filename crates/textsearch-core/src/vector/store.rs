//! A store of collections.

use std::sync::Arc;

use async_trait::async_trait;

use super::{
    Collection, EmbeddingGenerator, EmbeddingStore, RecordDefinition, VectorCollection,
    VectorRecord,
};
use crate::Result;

/// A store of collections: what a backend implements.
#[async_trait]
pub trait VectorStore: Send + Sync {
    /// The short name of the connector, such as `inmemory`: it appears in errors and spans.
    fn name(&self) -> &str;

    /// The names of the collections that exist, in alphabetical order.
    ///
    /// # Errors
    ///
    /// Any kind that a store which cannot be reached answers with.
    async fn collection_names(&self) -> Result<Vec<String>>;

    /// A handle on the collection called `name`, whose records look as `definition` says; nothing is created yet.
    ///
    /// # Errors
    ///
    /// [`InvalidOptions`](crate::ErrorKind::InvalidOptions) where the name is empty; where the definition makes no sense, as
    /// [`RecordDefinition::validate`] says; or where the backend cannot hold such records.
    fn stored_collection(
        &self,
        name: &str,
        definition: RecordDefinition,
    ) -> Result<Arc<dyn VectorCollection>>;
}

/// What every store can do on top: for callers, not for implementors.
pub trait VectorStoreExt: VectorStore {
    /// A handle on the collection called `name`, with records of a type of the user's own.
    ///
    /// # Errors
    ///
    /// Those of [`stored_collection`](VectorStore::stored_collection).
    fn collection<R: VectorRecord>(&self, name: &str) -> Result<Collection<R>> {
        Ok(Collection::of(self.stored_collection(name, R::definition())?))
    }

    /// A handle on the collection called `name`, whose records look as `definition` says.
    ///
    /// # Errors
    ///
    /// Those of [`stored_collection`](VectorStore::stored_collection).
    fn dynamic_collection(&self, name: &str, definition: RecordDefinition) -> Result<Collection> {
        Ok(Collection::of(self.stored_collection(name, definition)?))
    }

    /// The same store, whose collections make embeddings with `generator` where a record or a query comes without.
    fn with_embedding_generator(
        self,
        generator: impl EmbeddingGenerator + 'static,
    ) -> EmbeddingStore<Self>
    where
        Self: Sized,
    {
        EmbeddingStore::new(self, generator)
    }
}

impl<S: VectorStore + ?Sized> VectorStoreExt for S {}

#[async_trait]
impl<S: VectorStore + ?Sized> VectorStore for Arc<S> {
    fn name(&self) -> &str {
        (**self).name()
    }

    async fn collection_names(&self) -> Result<Vec<String>> {
        (**self).collection_names().await
    }

    fn stored_collection(
        &self,
        name: &str,
        definition: RecordDefinition,
    ) -> Result<Arc<dyn VectorCollection>> {
        (**self).stored_collection(name, definition)
    }
}
