//! The collections of a store, by name.

use std::{
    collections::BTreeMap,
    sync::{Arc, PoisonError, RwLock},
};

use crate::state::SharedState;

#[derive(Clone, Default)]
pub(crate) struct Collections(Arc<RwLock<BTreeMap<String, Arc<SharedState>>>>);

impl Collections {
    pub(crate) fn get(&self, name: &str) -> Option<Arc<SharedState>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// Returns the collection, and whether it existed. Otherwise `make` creates it.
    pub(crate) fn get_or_insert(
        &self,
        name: &str,
        make: impl FnOnce() -> SharedState,
    ) -> (Arc<SharedState>, bool) {
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
        // Drop it outside the lock: freeing a large collection takes time.
        drop(removed);
    }

    /// Sorted by name.
    pub(crate) fn all(&self) -> Vec<(String, Arc<SharedState>)> {
        let collections = self.0.read().unwrap_or_else(PoisonError::into_inner);
        collections.iter().map(|(name, cell)| (name.clone(), Arc::clone(cell))).collect()
    }
}

impl From<BTreeMap<String, Arc<SharedState>>> for Collections {
    fn from(collections: BTreeMap<String, Arc<SharedState>>) -> Self {
        Self(Arc::new(RwLock::new(collections)))
    }
}
