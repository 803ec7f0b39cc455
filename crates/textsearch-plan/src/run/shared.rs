//! State that all calls of a run share.

use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use textsearch_kernel::{Kernel, KernelFunction};
use tokio::sync::Notify;

use super::{
    RunOptions,
    failure::{Cause, Failure},
};
use crate::{
    PlanLimits,
    budget::Budget,
    check::{CheckedStep, Compiled},
    limits::Limit,
};

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

#[expect(clippy::indexing_slicing, reason = "places are those of the plan's steps")]
impl Shared<'_> {
    pub(super) fn step(&self, place: usize) -> &CheckedStep {
        &self.compiled.steps[place]
    }

    pub(super) fn function(&self, place: usize) -> &KernelFunction {
        &self.functions[place]
    }

    pub(super) fn budget(&self) -> Budget<'_> {
        let PlanLimits { max_result_bytes, max_time, .. } = *self.limits;
        Budget::new(max_result_bytes, &self.scans, self.begun, max_time)
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
        if self.begun.elapsed() < self.limits.max_time {
            return Ok(());
        }
        Err(Failure::of_run(Cause::Limit(Limit::Time)))
    }
}
