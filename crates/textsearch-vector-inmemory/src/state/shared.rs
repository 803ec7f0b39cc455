//! A collection with many readers and one writer at a time.

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use textsearch_core::Result;

use super::State;

/// A reader takes a snapshot and works on it without a lock. A writer prepares its change while
/// readers continue. It blocks new readers only while it applies a batch that was already checked.
pub(crate) struct SharedState {
    /// Held by the writer from reading the state until changing it.
    writer: Mutex<()>,
    state: RwLock<Arc<State>>,
    /// Held while the graphs are brought up to date.
    #[cfg(feature = "hnsw")]
    linking: Arc<futures_util::lock::Mutex<()>>,
}

impl SharedState {
    pub(crate) fn new(state: State) -> Self {
        Self {
            writer: Mutex::new(()),
            state: RwLock::new(Arc::new(state)),
            #[cfg(feature = "hnsw")]
            linking: Arc::default(),
        }
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
