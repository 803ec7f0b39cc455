//! State that all connections of a scripted model share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicUsize};

use super::{ModelRequest, ModelScript, Violation, check::Checker};

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) script: ModelScript,
    pub(super) checker: Checker,
    pub(super) turns: AtomicUsize,
    pub(super) hung_up: Arc<AtomicUsize>,
    pub(super) requests: Mutex<Vec<ModelRequest>>,
    pub(super) violations: Mutex<Vec<Violation>>,
}

impl Shared {
    pub(super) fn new(script: ModelScript) -> Self {
        let checker = Checker::new(&script.settings.extra_fields);
        Self {
            script,
            checker,
            turns: AtomicUsize::new(0),
            hung_up: Arc::default(),
            requests: Mutex::default(),
            violations: Mutex::default(),
        }
    }

    /// Returns the request's number.
    pub(super) fn record(&self, request: &ModelRequest) -> usize {
        let mut requests = locked(&self.requests);
        requests.push(request.clone());
        requests.len() - 1
    }

    pub(super) fn complain(&self, violations: &[Violation]) {
        locked(&self.violations).extend_from_slice(violations);
    }
}

/// A value stays readable after a script panicked.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
