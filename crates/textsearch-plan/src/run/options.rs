//! Settings of a run.

use std::{fmt, sync::Arc, time::Duration};

use textsearch_kernel::{KernelError, function::FunctionMetadata};

use super::PlanObserver;

type Retry = dyn Fn(&FailedAttempt<'_>) -> Option<Duration> + Send + Sync;

/// Settings of a run: by default, no retries, no observer, and no auto function filter is skipped.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct RunOptions {
    pub(super) retry: Option<Arc<Retry>>,
    pub(super) observer: Option<Arc<dyn PlanObserver>>,
    pub(super) skips_auto_filters: bool,
}

/// A failed call, for a decision whether to repeat it.
#[derive(Debug)]
#[non_exhaustive]
pub struct FailedAttempt<'a> {
    /// The identifier of the step.
    pub step: &'a str,
    /// The function that was called. Repeat a call of a function that
    /// [changes nothing](FunctionMetadata::read_only) at will.
    pub function: &'a FunctionMetadata,
    /// The number of attempts so far, at least 1.
    pub attempt: usize,
    /// The error.
    pub error: &'a KernelError,
}

impl RunOptions {
    /// Creates options without retries and observer.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the policy for failed calls: after how long to repeat the call, or `None` to fail.
    /// Repeated calls count towards [`max_calls`](crate::PlanLimits::max_calls).
    ///
    /// ```
    /// use std::time::Duration;
    /// use textsearch_plan::RunOptions;
    ///
    /// let options = RunOptions::new().with_retry(|failed| {
    ///     let is_temporary = failed.error.search_error()?.kind().is_retryable();
    ///     let is_harmless = failed.function.read_only == Some(true);
    ///     (is_temporary && is_harmless && failed.attempt < 3).then_some(Duration::from_secs(1))
    /// });
    /// # let _ = options;
    /// ```
    #[must_use]
    pub fn with_retry(
        mut self,
        policy: impl Fn(&FailedAttempt<'_>) -> Option<Duration> + Send + Sync + 'static,
    ) -> Self {
        self.retry = Some(Arc::new(policy));
        self
    }

    /// Sets the observer, to show progress and to save the state.
    #[must_use]
    pub fn with_observer(mut self, observer: impl PlanObserver + 'static) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// Sets whether a run that counts as a model's may use a kernel with auto function filters
    /// ([`Kernel::add_auto_function_filter`](textsearch_kernel::Kernel::add_auto_function_filter)).
    /// They don't see the steps of plans, so such a run fails by default: a filter that asks a person
    /// would be skipped. False by default.
    #[must_use]
    pub fn with_auto_filters_skipped(mut self, enabled: bool) -> Self {
        self.skips_auto_filters = enabled;
        self
    }
}

impl fmt::Debug for RunOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("RunOptions").finish_non_exhaustive()
    }
}
