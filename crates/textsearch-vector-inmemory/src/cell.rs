//! A collection that many read while one writes.

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use textsearch_core::Result;

use crate::state::State;

/// The current state of a collection.
///
/// A reader takes the state as it is and works on it without a lock. A writer makes its change ready beside the
/// readers; only the change itself, which is a batch that was checked before, keeps new readers waiting.
pub(crate) struct Cell {
    /// Held by the one writer, from looking at the state to changing it.
    writer: Mutex<()>,
    state: RwLock<Arc<State>>,
    /// Held by the one who brings the graphs up to date.
    #[cfg(feature = "hnsw")]
    linking: Arc<futures_util::lock::Mutex<()>>,
}

impl Cell {
    pub(crate) fn new(state: State) -> Self {
        Self {
            writer: Mutex::new(()),
            state: RwLock::new(Arc::new(state)),
            #[cfg(feature = "hnsw")]
            linking: Arc::default(),
        }
    }

    /// The state at this moment; it never changes.
    pub(crate) fn snapshot(&self) -> Arc<State> {
        Arc::clone(&self.state.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The turn of bringing the graphs up to date.
    #[cfg(feature = "hnsw")]
    pub(crate) fn linking(&self) -> &Arc<futures_util::lock::Mutex<()>> {
        &self.linking
    }

    /// Changes the state by what `plan` returns, if anything; no other change comes between the two.
    ///
    /// # Errors
    ///
    /// That of `plan`; nothing is changed then.
    pub(crate) fn change<A: FnOnce(&mut State)>(
        &self,
        plan: impl FnOnce(&State) -> Result<Option<A>>,
    ) -> Result<()> {
        let _only_writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let snapshot = self.snapshot();
        let apply = plan(&snapshot)?;
        // Or else the change would copy what this very function still holds.
        drop(snapshot);
        if let Some(apply) = apply {
            let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
            apply(Arc::make_mut(&mut state));
        }
        Ok(())
    }
}
