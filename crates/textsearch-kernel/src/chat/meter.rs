//! What the requests of a run cost, also those that functions make within it.

use std::sync::{Arc, Mutex, PoisonError};

use textsearch_core::chat::Usage;

/// Counts the cost of a run, and counts it for the runs around it as well.
#[derive(Clone, Default)]
pub(crate) struct Meter {
    total: Arc<Mutex<Usage>>,
    around: Option<Arc<Meter>>,
}

impl Meter {
    /// A meter at zero, within the run that `around` counts.
    pub(crate) fn within(around: Option<Self>) -> Self {
        Self { total: Arc::default(), around: around.map(Arc::new) }
    }

    pub(super) fn add(&self, usage: Usage) {
        let meters = std::iter::successors(Some(self), |meter| meter.around.as_deref());
        for meter in meters {
            *meter.total.lock().unwrap_or_else(PoisonError::into_inner) += usage;
        }
    }

    pub(super) fn total(&self) -> Usage {
        *self.total.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
