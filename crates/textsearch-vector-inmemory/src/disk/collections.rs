//! The collections of the folder.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use textsearch_core::Result;

use super::{journal::Journal, merge, root::Root};
use crate::{schema::Schema, state::SharedState};

/// The collections of the folder. They are opened when they are first used.
pub(crate) struct Disk {
    root: Arc<Root>,
    /// Held while a collection is opened, created or removed.
    opening: Mutex<()>,
    open: Mutex<BTreeMap<String, Arc<SharedState>>>,
}

impl Disk {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        Ok(Self::new(Root::open(path)?))
    }

    pub(crate) fn open_read_only(path: &Path) -> Result<Self> {
        Ok(Self::new(Root::open_read_only(path)?))
    }

    /// Makes a segment of so many records.
    #[cfg(test)]
    pub(crate) fn open_with(path: &Path, records: usize) -> Result<Self> {
        let mut root = Root::open(path)?;
        root.full.records = records;
        Ok(Self::new(root))
    }

    fn new(root: Root) -> Self {
        Self { root: Arc::new(root), opening: Mutex::new(()), open: Mutex::default() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.root.path()
    }

    /// Sorted by name.
    pub(crate) fn names(&self) -> Result<Vec<String>> {
        self.root.collections()
    }

    /// Returns `None` if there is no such collection. A reader takes over what was written since.
    pub(crate) fn get(&self, name: &str) -> Result<Option<Arc<SharedState>>> {
        let Some(cell) = self.known(name) else { return self.load(name) };
        // The cell stays after a removal: it tells a new collection of the same name from the old one.
        let is_there = !self.root.is_read_only() || cell.refresh(name)?;
        Ok(is_there.then_some(cell))
    }

    /// Returns the collection, and whether it existed.
    pub(crate) fn get_or_create(
        &self,
        name: &str,
        schema: &Arc<Schema>,
    ) -> Result<(Arc<SharedState>, bool)> {
        if let Some(cell) = self.get(name)? {
            return Ok((cell, true));
        }
        self.root.check_writable()?;
        let _opening = lock(&self.opening);
        if let Some(cell) = self.known(name) {
            return Ok((cell, true));
        }
        let (state, journal) = Journal::create(&self.root, &self.root.folder(name), schema)?;
        Ok((self.keep(name, SharedState::with_journal(state, journal)), false))
    }

    pub(crate) fn remove(&self, name: &str) -> Result<()> {
        self.root.check_writable()?;
        match self.get(name) {
            Ok(None) => return Ok(()),
            Ok(Some(cell)) => cell.abandon(),
            // A damaged collection can be removed, too.
            Err(_) => {}
        }
        let _opening = lock(&self.opening);
        // Its files are closed, unless a search still reads them.
        lock(&self.open).remove(name);
        self.root.remove(name)
    }

    fn known(&self, name: &str) -> Option<Arc<SharedState>> {
        lock(&self.open).get(name).cloned()
    }

    /// Reads the files of a collection, unless another call has opened it meanwhile.
    fn load(&self, name: &str) -> Result<Option<Arc<SharedState>>> {
        let _opening = lock(&self.opening);
        if let Some(cell) = self.known(name) {
            return Ok(Some(cell));
        }
        let opened = Journal::open(&self.root, &self.root.folder(name), name)?;
        let opened = opened.map(|(state, journal)| SharedState::with_journal(state, journal));
        Ok(opened.map(|cell| self.keep(name, cell)))
    }

    fn keep(&self, name: &str, cell: SharedState) -> Arc<SharedState> {
        let cell = Arc::new(cell);
        if let (Some(journal), false) = (cell.journal(), self.root.is_read_only()) {
            merge::start(&cell, journal);
        }
        lock(&self.open).insert(name.to_owned(), Arc::clone(&cell));
        cell
    }
}

impl Drop for Disk {
    /// Stops what runs in the background, so that the folder can be opened again.
    fn drop(&mut self) {
        self.root.close();
        for cell in lock(&self.open).values() {
            // Otherwise the log is read when the store is opened again: nothing is lost.
            let _ignored = cell.close();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
