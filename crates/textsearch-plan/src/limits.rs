//! Limits.

use std::time::Duration;

/// How large a plan may be, and how much a run may do.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlanLimits {
    /// The maximum number of steps; 50 by default.
    pub max_steps: usize,
    /// The maximum size of the plan, about its length as JSON; 64 KiB by default.
    pub max_plan_bytes: usize,
    /// The maximum number of calls in a run, with retries and the calls of loops; 200 by default. A
    /// loop's list may not have more items either, even if a condition drops most.
    pub max_calls: usize,
    /// The maximum time of a run; 5 minutes by default. The running calls are dropped after it.
    pub max_time: Duration,
    /// The maximum size of a step's result, and of the arguments of a call, about their length as
    /// JSON; 1 MiB by default.
    pub max_result_bytes: usize,
    /// The maximum size of all results and inputs of a run; 16 MiB by default.
    pub max_total_bytes: usize,
    /// The maximum size of all values that the wildcards, slices and filters of references go through
    /// in a run; 64 MiB by default. Each comparison of a filter counts the value again.
    pub max_scanned_bytes: usize,
    /// The maximum number of calls at the same time, at least 1; 8 by default.
    pub concurrent_calls: usize,
}

impl Default for PlanLimits {
    fn default() -> Self {
        Self {
            max_steps: 50,
            max_plan_bytes: 64 << 10,
            max_calls: 200,
            max_time: Duration::from_secs(300),
            max_result_bytes: 1 << 20,
            max_total_bytes: 16 << 20,
            max_scanned_bytes: 64 << 20,
            concurrent_calls: 8,
        }
    }
}

impl PlanLimits {
    /// Creates the default limits.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the maximum number of steps.
    #[must_use]
    pub fn with_max_steps(mut self, steps: usize) -> Self {
        self.max_steps = steps;
        self
    }

    /// Sets the maximum size of the plan.
    #[must_use]
    pub fn with_max_plan_bytes(mut self, bytes: usize) -> Self {
        self.max_plan_bytes = bytes;
        self
    }

    /// Sets the maximum number of calls in a run.
    #[must_use]
    pub fn with_max_calls(mut self, calls: usize) -> Self {
        self.max_calls = calls;
        self
    }

    /// Sets the maximum time of a run.
    #[must_use]
    pub fn with_max_time(mut self, time: Duration) -> Self {
        self.max_time = time;
        self
    }

    /// Sets the maximum size of a step's result and of the arguments of a call.
    #[must_use]
    pub fn with_max_result_bytes(mut self, bytes: usize) -> Self {
        self.max_result_bytes = bytes;
        self
    }

    /// Sets the maximum size of all results and inputs of a run.
    #[must_use]
    pub fn with_max_total_bytes(mut self, bytes: usize) -> Self {
        self.max_total_bytes = bytes;
        self
    }

    /// Sets the maximum size of all values that the wildcards, slices and filters of references go
    /// through in a run.
    #[must_use]
    pub fn with_max_scanned_bytes(mut self, bytes: usize) -> Self {
        self.max_scanned_bytes = bytes;
        self
    }

    /// Sets the maximum number of calls at the same time. 0 counts as 1.
    #[must_use]
    pub fn with_concurrent_calls(mut self, calls: usize) -> Self {
        self.concurrent_calls = calls.max(1);
        self
    }
}
