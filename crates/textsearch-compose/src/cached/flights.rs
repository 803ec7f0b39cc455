//! Searches in flight, which several callers await.

use std::{
    panic::AssertUnwindSafe,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use foldhash::HashMap;
use futures_util::{
    FutureExt,
    future::{BoxFuture, Shared, WeakShared},
};
use textsearch_core::Result;

use super::{answer::Answer, key::Key};

/// The work of one search. It goes on as long as a caller awaits it. `None` after a panic.
pub(super) type Flight = Shared<BoxFuture<'static, Option<Result<Arc<Answer>>>>>;
type WeakFlight = WeakShared<BoxFuture<'static, Option<Result<Arc<Answer>>>>>;

#[derive(Default)]
pub(super) struct Flights {
    flying: Mutex<HashMap<Arc<Key>, (u64, WeakFlight)>>,
    numbers: AtomicU64,
}

/// The outcome of [`Flights::join`].
pub(super) enum Joined {
    Flight(Flight),
    Landed(Arc<Answer>),
}

impl Flights {
    /// Joins the flight of `key`, or else takes what `kept` returns, or else starts `search`.
    pub(super) fn join<W: Future<Output = Result<Arc<Answer>>> + Send + 'static>(
        self: &Arc<Self>,
        key: &Arc<Key>,
        kept: impl FnOnce() -> Option<Arc<Answer>>,
        search: impl FnOnce() -> W,
    ) -> Joined {
        let mut flying = self.flying.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(flight) = flying.get(key).and_then(|(_, flight)| flight.upgrade()) {
            return Joined::Flight(flight);
        }
        // A flight may have landed after the caller's first look.
        if let Some(answer) = kept() {
            return Joined::Landed(answer);
        }
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let landing = Landing { flights: Arc::clone(self), key: Arc::clone(key), number };
        let work = AssertUnwindSafe(search()).catch_unwind();
        let flight = async move {
            let _landing = landing;
            work.await.ok()
        };
        let flight = flight.boxed().shared();
        if let Some(weak) = flight.downgrade() {
            flying.insert(Arc::clone(key), (number, weak));
        }
        Joined::Flight(flight)
    }
}

#[cfg(test)]
impl Flights {
    pub(super) fn count(&self) -> usize {
        self.flying.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

/// Removes the flight from the list when it ends or its last caller drops it.
struct Landing {
    flights: Arc<Flights>,
    key: Arc<Key>,
    number: u64,
}

impl Drop for Landing {
    fn drop(&mut self) {
        let mut flying = self.flights.flying.lock().unwrap_or_else(PoisonError::into_inner);
        // Another flight may have started since.
        if flying.get(&self.key).is_some_and(|(number, _)| *number == self.number) {
            flying.remove(&self.key);
        }
    }
}
