//! A collection with many readers and one writer at a time.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError, RwLock, TryLockError,
    atomic::{AtomicBool, Ordering},
};

use textsearch_core::Result;

use super::State;
use crate::{
    disk::{Entry, Journal},
    schema::Schema,
};

/// A reader takes a snapshot and works on it without a lock. A writer prepares its change while
/// readers continue. It blocks new readers only while it applies a batch that was already checked.
pub(crate) struct SharedState {
    /// Held by the writer from reading the state until changing it.
    writer: Mutex<()>,
    state: RwLock<Arc<State>>,
    /// Set if the collection is on disk.
    journal: Option<Arc<Journal>>,
    /// Set if the last refresh failed or found no collection: the state must not be searched.
    is_outdated: AtomicBool,
    /// Held while the graphs are brought up to date.
    #[cfg(feature = "hnsw")]
    linking: Arc<futures_util::lock::Mutex<()>>,
}

impl SharedState {
    pub(crate) fn new(state: State) -> Self {
        Self {
            writer: Mutex::new(()),
            state: RwLock::new(Arc::new(state)),
            journal: None,
            is_outdated: AtomicBool::new(false),
            #[cfg(feature = "hnsw")]
            linking: Arc::default(),
        }
    }

    pub(crate) fn with_journal(state: State, journal: Journal) -> Self {
        Self { journal: Some(Arc::new(journal)), ..Self::new(state) }
    }

    /// The returned state never changes.
    pub(crate) fn snapshot(&self) -> Arc<State> {
        Arc::clone(&self.state.read().unwrap_or_else(PoisonError::into_inner))
    }

    #[cfg(feature = "hnsw")]
    pub(crate) fn linking(&self) -> &Arc<futures_util::lock::Mutex<()>> {
        &self.linking
    }

    /// Applies the change that `plan` returns, if any. No other change happens in between. An error
    /// of `plan` changes nothing.
    pub(crate) fn change<A: FnOnce(&mut State)>(
        &self,
        plan: impl FnOnce(&State) -> Result<Option<A>>,
    ) -> Result<()> {
        let _only_writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let snapshot = self.snapshot();
        let apply = plan(&snapshot)?;
        // Release it first, or `make_mut` would copy the state.
        drop(snapshot);
        if let Some(apply) = apply {
            let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
            apply(Arc::make_mut(&mut state));
        }
        Ok(())
    }
}

/// Collections on disk. The functions do nothing for one in memory.
impl SharedState {
    /// Writes a change to disk, in the plan of the change.
    pub(crate) fn log(&self, entry: impl FnOnce() -> Result<Entry>) -> Result<()> {
        self.journal.as_ref().map_or(Ok(()), |journal| journal.append(&entry()?))
    }

    pub(crate) fn journal(&self) -> Option<&Arc<Journal>> {
        self.journal.as_ref()
    }

    /// Moves the records in memory to disk if they are many. Returns whether they were.
    pub(crate) fn seal_if_full(&self) -> Result<bool> {
        let Some(journal) = &self.journal else { return Ok(false) };
        self.replace(|state| journal.seal_if_full(state))
    }

    /// Shortens the log, so that the collection opens fast.
    pub(crate) fn close(&self) -> Result<()> {
        let Some(journal) = &self.journal else { return Ok(()) };
        self.replace(|state| journal.seal_if_long(state)).map(drop)
    }

    /// Returns the state under another definition, in the plan of a change.
    pub(crate) fn redefined(&self, state: &State, schema: &Arc<Schema>) -> Result<State> {
        match &self.journal {
            Some(journal) => journal.redefine(state, schema),
            None => state.under(Arc::clone(schema)),
        }
    }

    /// Takes over what another process wrote, unless another search just does. Returns `false` if
    /// the collection was removed.
    pub(crate) fn refresh(&self, name: &str) -> Result<bool> {
        let Some(journal) = &self.journal else { return Ok(true) };
        let only_writer = match self.writer.try_lock() {
            Ok(only_writer) => only_writer,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) if !self.is_outdated.load(Ordering::Acquire) => {
                return Ok(true);
            }
            Err(TryLockError::WouldBlock) => {
                self.writer.lock().unwrap_or_else(PoisonError::into_inner)
            }
        };
        let mut is_there = false;
        let result = self.replace_locked(&only_writer, |state| {
            let refreshed = journal.refreshed(name, state)?;
            is_there = refreshed.is_some();
            Ok(refreshed.flatten())
        });
        self.is_outdated.store(!is_there, Ordering::Release);
        result.map(|_| is_there)
    }

    /// After this, nothing is written to the folder.
    pub(crate) fn abandon(&self) {
        if let Some(journal) = &self.journal {
            journal.abandon();
        }
    }

    /// Replaces the state by the one that `plan` returns, and returns whether there is one. No
    /// other change happens in between.
    pub(crate) fn replace(
        &self,
        plan: impl FnOnce(&State) -> Result<Option<State>>,
    ) -> Result<bool> {
        let only_writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        self.replace_locked(&only_writer, plan)
    }

    fn replace_locked(
        &self,
        _only_writer: &MutexGuard<'_, ()>,
        plan: impl FnOnce(&State) -> Result<Option<State>>,
    ) -> Result<bool> {
        let Some(newer) = plan(&self.snapshot())? else { return Ok(false) };
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let older = std::mem::replace(&mut *state, Arc::new(newer));
        // Drop it outside the lock: freeing many records takes time.
        drop(state);
        drop(older);
        Ok(true)
    }
}
