//! Limits.

use std::time::Duration;

/// How large a plan may be, and how much a run may do.
///
/// ```
/// let mut limits = textsearch_plan::PlanLimits::default();
/// limits.max_calls = 50;
/// ```
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
    /// in a run; 64 MiB by default. Each comparison of a filter counts the item again, and 32 bytes.
    pub max_scanned_bytes: usize,
    /// The maximum number of calls at the same time; 8 by default. 0 counts as 1.
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

/// A limit that a run reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Limit {
    Calls,
    /// A result or the arguments of a call.
    ResultBytes,
    TotalBytes,
    ScannedBytes,
    Time,
}

impl Limit {
    /// Returns the name of the field of `limits`, and its value.
    pub(crate) fn within(self, limits: &PlanLimits) -> (&'static str, String) {
        match self {
            Self::Calls => ("max_calls", limits.max_calls.to_string()),
            Self::ResultBytes => ("max_result_bytes", limits.max_result_bytes.to_string()),
            Self::TotalBytes => ("max_total_bytes", limits.max_total_bytes.to_string()),
            Self::ScannedBytes => ("max_scanned_bytes", limits.max_scanned_bytes.to_string()),
            Self::Time => ("max_time", format!("{} s", limits.max_time.as_secs_f64())),
        }
    }
}
