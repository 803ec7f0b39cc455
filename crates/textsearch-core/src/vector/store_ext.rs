//! What callers do with any store.

use super::{
    Collection, EmbeddingGenerator, EmbeddingStore, RecordDefinition, VectorRecord, VectorStore,
};
use crate::Result;

/// Methods of every store, for callers.
pub trait VectorStoreExt: VectorStore {
    /// Returns a handle on the collection `name` with records of type `R`.
    ///
    /// # Errors
    ///
    /// Errors of [`stored_collection`](VectorStore::stored_collection).
    fn collection<R: VectorRecord>(&self, name: &str) -> Result<Collection<R>> {
        Ok(Collection::from_arc(self.stored_collection(name, R::definition())?))
    }

    /// Returns a handle on the collection `name` with records of this `definition`.
    ///
    /// # Errors
    ///
    /// Errors of [`stored_collection`](VectorStore::stored_collection).
    fn dynamic_collection(&self, name: &str, definition: RecordDefinition) -> Result<Collection> {
        Ok(Collection::from_arc(self.stored_collection(name, definition)?))
    }

    /// Wraps the store so that `generator` embeds records and queries that have no vector.
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
