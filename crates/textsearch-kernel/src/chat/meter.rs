//! Counts and limits the usage of a run and the runs within it.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use textsearch_core::chat::Usage;

/// The maximum length of all calls, for a run and the runs within it.
pub(super) const MAX_RUN_BYTES: usize = 2 * 1024 * 1024;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(super) requests: usize,
    pub(super) calls: usize,
    pub(super) time: Duration,
}

/// Adds the usage of a run to the enclosing runs.
#[derive(Clone)]
pub(crate) struct Meter {
    own: Arc<Counters>,
    around: Option<Arc<Meter>>,
}

struct Counters {
    usage: Mutex<Usage>,
    requests: AtomicUsize,
    calls: AtomicUsize,
    // In bytes.
    arguments: AtomicUsize,
    limits: Limits,
    begun: Instant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NextRequest {
    Any,
    Last,
}

/// The setting whose limit an enclosing run has used up, and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spent(pub(super) &'static str, pub(super) u64);

impl Meter {
    pub(crate) fn within(around: Option<Self>, limits: Limits) -> Self {
        let own = Counters {
            usage: Mutex::default(),
            requests: AtomicUsize::new(0),
            calls: AtomicUsize::new(0),
            arguments: AtomicUsize::new(0),
            limits,
            begun: Instant::now(),
        };
        Self { own: Arc::new(own), around: around.map(Arc::new) }
    }

    pub(super) fn is_nested(&self) -> bool {
        self.around.is_some()
    }

    pub(super) fn add(&self, usage: Usage) {
        for counters in self.all() {
            *counters.usage.lock().unwrap_or_else(PoisonError::into_inner) += usage;
        }
    }

    pub(super) fn total(&self) -> Usage {
        *self.own.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A run reserves one request for itself: it can still answer, without functions, however many
    /// requests the runs within it make.
    pub(super) fn request(&self) -> Result<NextRequest, Spent> {
        let runs_around = || self.all().skip(1);
        for (position, counters) in runs_around().enumerate() {
            if let Err(spent) = counters.take_request_within() {
                runs_around().take(position).for_each(Counters::return_request);
                return Err(spent);
            }
        }
        let before = self.own.requests.fetch_add(1, Ordering::Relaxed);
        let is_last = before.saturating_add(1) >= self.own.limits.requests;
        let is_last = is_last || self.own.calls_or_time_spent().is_some();
        Ok(if is_last { NextRequest::Last } else { NextRequest::Any })
    }

    pub(super) fn call(&self) -> bool {
        self.take(1, |counters| (&counters.calls, counters.limits.calls))
    }

    /// Returns whether the run has room for calls of this length.
    pub(super) fn arguments(&self, bytes: usize) -> bool {
        self.take(bytes, |counters| (&counters.arguments, MAX_RUN_BYTES))
    }

    /// Takes `count` from the run and all runs around it, or from none. `counter` returns a counter
    /// and its limit.
    fn take(&self, count: usize, counter: impl Fn(&Counters) -> (&AtomicUsize, usize)) -> bool {
        for (position, counters) in self.all().enumerate() {
            let (taken, limit) = counter(counters);
            if !take(taken, count, limit) {
                for counters in self.all().take(position) {
                    counter(counters).0.fetch_sub(count, Ordering::Relaxed);
                }
                return false;
            }
        }
        true
    }

    fn all(&self) -> impl Iterator<Item = &Counters> {
        let meters = std::iter::successors(Some(self), |meter| meter.around.as_deref());
        meters.map(|meter| meter.own.as_ref())
    }
}

impl Counters {
    fn take_request_within(&self) -> Result<(), Spent> {
        if let Some(spent) = self.calls_or_time_spent() {
            return Err(spent);
        }
        if take(&self.requests, 1, self.limits.requests.saturating_sub(1)) {
            return Ok(());
        }
        Err(Spent("max_total_requests", to_u64(self.limits.requests)))
    }

    fn return_request(&self) {
        self.requests.fetch_sub(1, Ordering::Relaxed);
    }

    fn calls_or_time_spent(&self) -> Option<Spent> {
        let Limits { calls, time, .. } = self.limits;
        if self.calls.load(Ordering::Relaxed) >= calls {
            return Some(Spent("max_total_calls", to_u64(calls)));
        }
        (self.begun.elapsed() >= time).then_some(Spent("max_total_seconds", time.as_secs()))
    }
}

fn take(counter: &AtomicUsize, count: usize, limit: usize) -> bool {
    let more = |taken: usize| taken.checked_add(count).filter(|sum| *sum <= limit);
    counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
}

fn to_u64(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(requests: usize, calls: usize) -> Limits {
        Limits { requests, calls, time: Duration::from_secs(60) }
    }

    #[test]
    fn nested_runs_leave_the_last_request_to_the_outer_run() {
        let outer = Meter::within(None, limits(3, 9));
        assert_eq!(outer.request(), Ok(NextRequest::Any));
        let inner = || Meter::within(Some(outer.clone()), limits(9, 9));
        assert_eq!(inner().request(), Ok(NextRequest::Any));
        assert_eq!(inner().request(), Err(Spent("max_total_requests", 3)));
        assert_eq!(outer.request(), Ok(NextRequest::Last));
    }

    #[test]
    fn middle_runs_do_not_count_refusals_of_the_outer_run() {
        let outer = Meter::within(None, limits(1, 0));
        let middle = Meter::within(Some(outer), limits(9, 9));
        let inner = Meter::within(Some(middle.clone()), limits(9, 9));
        assert!(!inner.call());
        assert_eq!(inner.request(), Err(Spent("max_total_calls", 0)));
        assert_eq!(middle.own.calls.load(Ordering::Relaxed), 0);
        assert_eq!(middle.own.requests.load(Ordering::Relaxed), 0);
    }
}
