//! The store: collections by name.

use std::{collections::BTreeMap, fmt, num::NonZero, sync::Arc};

use async_trait::async_trait;
use textsearch_core::{
    Result,
    vector::{RecordDefinition, VectorCollection, VectorStore},
};

use crate::{
    collection::InMemoryCollection, collections::Collections, error::CONNECTOR,
    schema::check_definition, state::SharedState, threads::Threads,
};

/// A vector store in the memory of this process. Clones are handles to the same store.
///
/// Searches are exact, unless a vector field has an approximate index.
///
/// # Threads
///
/// Searches of more than about 10,000 vectors run on the store's threads. The first such search
/// starts them, one per processor core by default. Smaller searches, full-text searches and upserts
/// run on the calling task. Dropping the future of a search stops it.
///
/// # Limits
///
/// A vector has at most 65,536 dimensions. An approximate index has 2 to 512 `connections`, and 1
/// to 65,536 candidates in `ef_construction` and `ef_search`. Other definitions are rejected.
///
/// # Approximate indexes
///
/// With the feature `hnsw`, a vector field can have an approximate index,
/// [`IndexKind::Hnsw`](textsearch_core::vector::IndexKind::Hnsw), which finds nearly all of the
/// nearest vectors in a fraction of the time. Without the feature, such definitions are rejected.
///
/// An upsert that leaves many records unlinked links them before it returns, on as many additional
/// threads. If the system cannot start the threads, or if the upsert's future is dropped, searches
/// compare the unlinked records themselves. The next change of the collection links them.
///
/// # Example
///
/// ```
/// use serde_json::json;
/// use textsearch_core::vector::{DataField, RecordDefinition, StoredRecord, VectorSearchOptions, VectorStoreExt};
/// use textsearch_vector_inmemory::InMemoryVectorStore;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_core::Result<()> {
/// let definition = RecordDefinition::new("id").with_data(DataField::string("text").full_text_in("en"));
/// let notes = InMemoryVectorStore::new().dynamic_collection("notes", definition)?;
/// notes.ensure_exists().await?;
///
/// let data = json!({ "id": "1", "text": "Readers never wait for writers." });
/// let data = data.as_object().cloned().unwrap_or_default();
/// notes.upsert(vec![StoredRecord::new(data, notes.definition())?]).await?;
///
/// let results = notes.full_text_search("waiting readers", &VectorSearchOptions::top(3)).await?;
/// assert_eq!(results.into_vec().await?.len(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct InMemoryVectorStore {
    collections: Collections,
    threads: Arc<Threads>,
}

impl InMemoryVectorStore {
    /// Creates an empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how many threads run large vector searches, and how many build approximate indexes.
    /// Default: one per processor core. With one thread, searches run on the calling task.
    ///
    /// Collections taken from the store before keep their threads.
    ///
    /// ```
    /// use std::num::NonZero;
    /// use textsearch_vector_inmemory::InMemoryVectorStore;
    ///
    /// let store = InMemoryVectorStore::new().with_threads(NonZero::<usize>::MIN);
    /// # drop(store);
    /// ```
    #[must_use]
    pub fn with_threads(mut self, threads: NonZero<usize>) -> Self {
        self.threads = Arc::new(Threads::new(threads));
        self
    }

    pub(crate) fn from_collections(
        collections: BTreeMap<String, Arc<SharedState>>,
        threads: Threads,
    ) -> Self {
        Self { collections: collections.into(), threads: Arc::new(threads) }
    }

    #[cfg(feature = "hnsw")]
    pub(crate) fn threads(&self) -> &Threads {
        &self.threads
    }

    /// Sorted by name.
    pub(crate) fn all(&self) -> Vec<(String, Arc<SharedState>)> {
        self.collections.all()
    }
}

#[async_trait]
impl VectorStore for InMemoryVectorStore {
    fn name(&self) -> &str {
        CONNECTOR
    }

    async fn collection_names(&self) -> Result<Vec<String>> {
        Ok(self.all().into_iter().map(|(name, _)| name).collect())
    }

    fn stored_collection(
        &self,
        name: &str,
        definition: RecordDefinition,
    ) -> Result<Arc<dyn VectorCollection>> {
        check_definition(name, &definition)?;
        let collections = self.collections.clone();
        let threads = Arc::clone(&self.threads);
        Ok(Arc::new(InMemoryCollection::new(collections, threads, name, definition)))
    }
}

impl fmt::Debug for InMemoryVectorStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.all().into_iter().map(|(name, _)| name);
        formatter
            .debug_struct("InMemoryVectorStore")
            .field("collections", &names.collect::<Vec<_>>())
            .finish()
    }
}
