//! A store in a folder.

use std::{fmt, num::NonZero, path::Path, sync::Arc};

use async_trait::async_trait;
use textsearch_core::{
    Result,
    vector::{RecordDefinition, VectorCollection, VectorStore},
};

use crate::{
    collection::InMemoryCollection,
    collections::Collections,
    disk::{Disk, Root, check_exact},
    error::CONNECTOR,
    schema::check_definition,
    threads::Threads,
};

/// A vector store in a folder, for more records than fit in memory. Clones are handles to the same
/// store.
///
/// One process writes, any number of processes read meanwhile; there is no server. Memory holds the
/// 8-bit copies of vectors (400 MB for a million of 384 dimensions), what searches and changes read
/// of keys, columns and text lengths, and the newest records. Searches find the same records as in
/// [`InMemoryVectorStore`](crate::InMemoryVectorStore), with the same scores.
///
/// # Durability
///
/// An upsert or a deletion is on disk when it returns. A killed process loses nothing that was
/// acknowledged, and a batch is stored whole or not at all. A damaged file is an error when it is
/// read: every part has a checksum. A log that is cut off loses its last changes without an error.
///
/// # Blocking
///
/// Searches read files on the calling task or the threads of the store. A change runs on a thread of
/// its own, which waits for the disk; it goes on if its future is dropped.
///
/// # Example
///
/// ```
/// use serde_json::json;
/// use textsearch_core::vector::{DataField, RecordDefinition, StoredRecord, VectorSearchOptions, VectorStoreExt};
/// use textsearch_vector_inmemory::DiskVectorStore;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = std::env::temp_dir().join(format!("textsearch-disk-{}", std::process::id()));
/// let definition = RecordDefinition::new("id").with_data(DataField::string("text").full_text_in("en"));
/// let store = DiskVectorStore::open(&folder)?;
/// let notes = store.dynamic_collection("notes", definition.clone())?;
/// notes.ensure_exists().await?;
///
/// let data = json!({ "id": "1", "text": "Readers never wait for writers." });
/// let data = data.as_object().cloned().unwrap_or_default();
/// notes.upsert(vec![StoredRecord::new(data, notes.definition())?]).await?;
///
/// // Usually in another process:
/// let reader = DiskVectorStore::open_read_only(&folder)?.dynamic_collection("notes", definition)?;
/// let results = reader.full_text_search("waiting readers", &VectorSearchOptions::top(3)).await?;
/// assert_eq!(results.into_vec().await?.len(), 1);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct DiskVectorStore {
    disk: Arc<Disk>,
    threads: Arc<Threads>,
}

impl DiskVectorStore {
    /// Opens the store in the folder at `path` to read and write, and creates it if it is missing. A
    /// new store gets a `.gitignore` file, which keeps its files out of repositories.
    ///
    /// # Errors
    ///
    /// Returns [`Backend`](textsearch_core::ErrorKind::Backend) if the folder cannot be written, or
    /// if another process, or another store of this process, writes to it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Ok(Self::from_disk(Arc::new(Disk::open(path.as_ref())?)))
    }

    /// Opens the store in the folder at `path` only to read. Another process may write to it
    /// meanwhile: each search sees the changes that were acknowledged before. While one search takes
    /// them over, others don't wait and see the state before.
    ///
    /// # Errors
    ///
    /// Returns [`Backend`](textsearch_core::ErrorKind::Backend) if there is no such folder. Changes
    /// of the opened store return the same. So do searches of a collection with vectors that was
    /// deleted and created again meanwhile: they may be of another model, so open the store again.
    pub fn open_read_only(path: impl AsRef<Path>) -> Result<Self> {
        Ok(Self::from_disk(Arc::new(Disk::open_read_only(path.as_ref())?)))
    }

    /// Returns whether the folder at `path` holds a store, whatever else is in it.
    ///
    /// # Errors
    ///
    /// Returns [`Backend`](textsearch_core::ErrorKind::Backend) if the folder cannot be read.
    pub fn is_store(path: impl AsRef<Path>) -> Result<bool> {
        Root::is_store(path.as_ref())
    }

    /// Sets how many threads run large vector searches. Default: one per processor core. With one
    /// thread, searches run on the calling task.
    ///
    /// Collections taken from the store before keep their threads.
    #[must_use]
    pub fn with_threads(mut self, threads: NonZero<usize>) -> Self {
        self.threads = Arc::new(Threads::new(threads));
        self
    }

    pub(crate) fn from_disk(disk: Arc<Disk>) -> Self {
        Self { disk, threads: Arc::default() }
    }
}

#[async_trait]
impl VectorStore for DiskVectorStore {
    fn name(&self) -> &str {
        CONNECTOR
    }

    async fn collection_names(&self) -> Result<Vec<String>> {
        self.disk.names()
    }

    fn stored_collection(
        &self,
        name: &str,
        definition: RecordDefinition,
    ) -> Result<Arc<dyn VectorCollection>> {
        check_exact(&definition)?;
        check_definition(name, &definition)?;
        let collections = Collections::Disk(Arc::clone(&self.disk));
        let threads = Arc::clone(&self.threads);
        Ok(Arc::new(InMemoryCollection::new(collections, threads, name, definition)))
    }
}

impl fmt::Debug for DiskVectorStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("DiskVectorStore").field("path", &self.disk.path()).finish()
    }
}
