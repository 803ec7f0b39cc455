//! The store: collections by name.

use std::{
    collections::BTreeMap,
    fmt,
    num::NonZero,
    sync::{Arc, PoisonError, RwLock},
};

use async_trait::async_trait;
use textsearch_core::{
    Result,
    vector::{RecordDefinition, StoredRecord, VectorCollection, VectorStore},
};

use crate::{
    cell::Cell, collection::InMemoryCollection, error::CONNECTOR, schema::check_definition,
    threads::Threads,
};

/// A store of collections in the memory of this process.
///
/// Clones are handles on the same store. Searches are exact. Those of more than some 10,000 vectors run on threads of the
/// store, which the first of them starts, as many as the processor has cores; smaller ones, full text and upserts, but for
/// the linking of approximate indexes, run on the task that asks. Dropping the future of a search stops it.
///
/// A vector field may have up to 65,536 dimensions.
///
/// With the feature `hnsw` a vector field may have an approximate index,
/// [`IndexKind::Hnsw`](textsearch_core::vector::IndexKind::Hnsw), which finds nearly all of the nearest in a fraction of the
/// time; without the feature such a definition is refused, and so is one of fewer than 2 or more than 512 `connections`,
/// or of none or more than 65,536 candidates in `ef_construction` or `ef_search`.
///
/// An upsert that leaves many records out of such an index links them before it returns, on as many threads again.
/// Dropping its future stops that, and nothing is linked where the system refuses these threads; either way the records
/// stay stored and are found all the same, since searches compare with them one by one, and the next change of the
/// collection links them.
///
/// ```
/// use serde_json::json;
/// use textsearch_core::vector::{DataField, RecordDefinition, StoredRecord, VectorSearchOptions, VectorStore};
/// use textsearch_vector_inmemory::InMemoryVectorStore;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_core::Result<()> {
/// let definition = RecordDefinition::new("id").with_data(DataField::string("text").full_text_in("en"));
/// let notes = InMemoryVectorStore::new().stored_collection("notes", definition)?;
/// notes.ensure_exists().await?;
///
/// let data = json!({ "id": "1", "text": "Readers never wait for writers." });
/// let data = data.as_object().cloned().unwrap_or_default();
/// notes.upsert(vec![StoredRecord::new(data, notes.definition())?]).await?;
///
/// let found = notes.full_text_search("waiting readers", &VectorSearchOptions::top(3)).await?;
/// assert_eq!(found.into_vec().await?.len(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct InMemoryVectorStore {
    collections: Collections,
    threads: Arc<Threads>,
}

/// The collections of a store, shared by its clones and by the handles on its collections.
#[derive(Clone, Default)]
pub(crate) struct Collections(Arc<RwLock<BTreeMap<String, Arc<Cell>>>>);

impl InMemoryVectorStore {
    /// A store without collections.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets large vector searches run on `threads` threads; with one, all run on the task that asks. As many build
    /// approximate indexes. Collections that were taken from the store before keep the threads that they had.
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

    /// The store that holds `collections`.
    pub(crate) fn from_collections(
        collections: BTreeMap<String, Arc<Cell>>,
        threads: Threads,
    ) -> Self {
        let collections = Collections(Arc::new(RwLock::new(collections)));
        Self { collections, threads: Arc::new(threads) }
    }

    #[cfg(feature = "hnsw")]
    pub(crate) fn threads(&self) -> &Threads {
        &self.threads
    }

    /// Every collection with its name, in the order of the names.
    pub(crate) fn all(&self) -> Vec<(String, Arc<Cell>)> {
        let collections = self.collections.0.read().unwrap_or_else(PoisonError::into_inner);
        collections.iter().map(|(name, cell)| (name.clone(), Arc::clone(cell))).collect()
    }
}

impl Collections {
    pub(crate) fn get(&self, name: &str) -> Option<Arc<Cell>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// The collection called `name`, made by `make` if there is none, and whether it was there before.
    pub(crate) fn get_or_insert(
        &self,
        name: &str,
        make: impl FnOnce() -> Cell,
    ) -> (Arc<Cell>, bool) {
        let mut collections = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(cell) = collections.get(name) {
            return (Arc::clone(cell), true);
        }
        let cell = Arc::new(make());
        collections.insert(name.to_owned(), Arc::clone(&cell));
        (cell, false)
    }

    pub(crate) fn remove(&self, name: &str) {
        let removed = self.0.write().unwrap_or_else(PoisonError::into_inner).remove(name);
        // Dropped here and not under the lock: a large collection takes its time.
        drop(removed);
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
    ) -> Result<Arc<dyn VectorCollection<StoredRecord>>> {
        check_definition(name, &definition)?;
        let (collections, threads) = (self.collections.clone(), Arc::clone(&self.threads));
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
