//! The collections of a store, by name.

use std::{
    collections::BTreeMap,
    sync::{Arc, PoisonError, RwLock},
};

use textsearch_core::Result;

use crate::{
    disk::Disk,
    schema::Schema,
    state::{SharedState, State},
};

#[derive(Clone)]
pub(crate) enum Collections {
    Memory(Arc<RwLock<BTreeMap<String, Arc<SharedState>>>>),
    Disk(Arc<Disk>),
}

impl Collections {
    /// # Errors
    ///
    /// Returns an error if files cannot be read, as do the functions below.
    pub(crate) fn get(&self, name: &str) -> Result<Option<Arc<SharedState>>> {
        match self {
            Self::Memory(collections) => {
                Ok(collections.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned())
            }
            Self::Disk(disk) => disk.get(name),
        }
    }

    /// Returns the collection, and whether it existed.
    pub(crate) fn get_or_create(
        &self,
        name: &str,
        schema: &Arc<Schema>,
    ) -> Result<(Arc<SharedState>, bool)> {
        let collections = match self {
            Self::Memory(collections) => collections,
            Self::Disk(disk) => return disk.get_or_create(name, schema),
        };
        let mut collections = collections.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(cell) = collections.get(name) {
            return Ok((Arc::clone(cell), true));
        }
        let cell = Arc::new(SharedState::new(State::new(Arc::clone(schema))));
        collections.insert(name.to_owned(), Arc::clone(&cell));
        Ok((cell, false))
    }

    pub(crate) fn remove(&self, name: &str) -> Result<()> {
        match self {
            Self::Memory(collections) => {
                let removed =
                    collections.write().unwrap_or_else(PoisonError::into_inner).remove(name);
                // Drop it outside the lock: freeing a large collection takes time.
                drop(removed);
                Ok(())
            }
            Self::Disk(disk) => disk.remove(name),
        }
    }

    /// Those in memory, sorted by name.
    pub(crate) fn all(&self) -> Vec<(String, Arc<SharedState>)> {
        let Self::Memory(collections) = self else { return Vec::new() };
        let collections = collections.read().unwrap_or_else(PoisonError::into_inner);
        collections.iter().map(|(name, cell)| (name.clone(), Arc::clone(cell))).collect()
    }
}

impl Default for Collections {
    fn default() -> Self {
        Self::from(BTreeMap::new())
    }
}

impl From<BTreeMap<String, Arc<SharedState>>> for Collections {
    fn from(collections: BTreeMap<String, Arc<SharedState>>) -> Self {
        Self::Memory(Arc::new(RwLock::new(collections)))
    }
}
