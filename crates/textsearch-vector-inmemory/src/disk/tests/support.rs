//! A store in a temporary folder, and helpers.

use std::{
    collections::BTreeMap,
    fs,
    future::{Ready, ready},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, Weak},
};

use async_trait::async_trait;
use tempfile::TempDir;
use textsearch_core::{
    Result,
    vector::{RecordDefinition, VectorCollection, VectorStore},
};

use crate::{DiskVectorStore, disk::Disk};

/// The folder is removed with the last store and function that hold it.
pub(super) struct TemporaryStore {
    store: DiskVectorStore,
    _folder: Arc<TempDir>,
}

impl TemporaryStore {
    /// Returns a function that opens the same store each time.
    pub(super) fn opening(records: usize) -> impl Fn() -> Ready<Result<Self>> + Clone {
        let folder = Arc::new(tempfile::tempdir().unwrap());
        let open: Arc<Mutex<Weak<Disk>>> = Arc::default();
        move || {
            let mut open = open.lock().unwrap();
            let known = open.upgrade();
            let disk =
                known.unwrap_or_else(|| Arc::new(Disk::open_with(folder.path(), records).unwrap()));
            *open = Arc::downgrade(&disk);
            let store = DiskVectorStore::from_disk(disk);
            ready(Ok(Self { store, _folder: Arc::clone(&folder) }))
        }
    }
}

#[async_trait]
impl VectorStore for TemporaryStore {
    fn name(&self) -> &str {
        self.store.name()
    }

    async fn collection_names(&self) -> Result<Vec<String>> {
        self.store.collection_names().await
    }

    fn stored_collection(
        &self,
        name: &str,
        definition: RecordDefinition,
    ) -> Result<Arc<dyn VectorCollection>> {
        self.store.stored_collection(name, definition)
    }
}

pub(super) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

pub(super) fn store(folder: &Path, records: usize) -> DiskVectorStore {
    DiskVectorStore::from_disk(Arc::new(Disk::open_with(folder, records).unwrap()))
}

/// The bytes of the files of the collection `docs`.
pub(super) fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(folder.join("collection-docs")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}
