//! State that all calls of a run share.

use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use textsearch_kernel::{Kernel, KernelFunction};
use tokio::sync::Notify;

use super::{
    RunOptions,
    failure::{Failure, Limit},
};
use crate::{PlanLimits, check::Compiled, scan::Scan, template::Budget};

pub(super) struct Shared<'a> {
    pub(super) kernel: &'a Kernel,
    /// The kernel's functions, one for each step.
    pub(super) functions: Vec<KernelFunction>,
    pub(super) options: &'a RunOptions,
    pub(super) limits: &'a PlanLimits,
    pub(super) compiled: &'a Compiled,
    pub(super) calls: AtomicUsize,
    /// The bytes that references may still go through.
    pub(super) scans: AtomicUsize,
    /// Whether the run ends when the running calls have finished.
    pub(super) has_failed: AtomicBool,
    /// Ends the pauses before repeated calls.
    pub(super) failed: Notify,
    pub(super) begun: Instant,
}

impl Shared<'_> {
    pub(super) fn budget(&self) -> Budget<'_> {
        let scan = Scan::new(&self.scans, self.begun, self.limits.max_time);
        Budget::new(self.limits.max_result_bytes, scan)
    }

    pub(super) fn fail(&self) {
        self.has_failed.store(true, Ordering::Relaxed);
        self.failed.notify_waiters();
    }

    /// Returns after `pause`, or as soon as the run fails.
    pub(super) async fn pause(&self, pause: Duration) {
        let failed = self.failed.notified();
        if !self.has_failed() {
            let _ = tokio::time::timeout(pause, failed).await;
        }
    }

    pub(super) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    pub(super) fn check_time(&self) -> Result<(), Failure> {
        let is_over = self.begun.elapsed() >= self.limits.max_time;
        if is_over { Err(Failure::Limit(Limit::Time, None)) } else { Ok(()) }
    }
}
