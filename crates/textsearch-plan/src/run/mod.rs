//! Runs plans.

mod call;
mod engine;
mod failure;
mod observer;
mod options;
mod prepare;
mod progress;
mod shared;
mod values;

pub use observer::{PlanEvent, PlanObserver};
pub use options::{FailedAttempt, RunOptions};
pub(crate) use values::check_input;

use std::{borrow::Cow, fmt, sync::atomic::Ordering, time::Instant};

use serde::de::DeserializeOwned;
use serde_json::Value;
use textsearch_kernel::{Kernel, KernelArguments, KernelFunction, function::read_value};
use tokio::sync::Notify;
use tracing::{Instrument, Span, field};

use self::{
    engine::drive,
    failure::{Cause, Failure, Failures},
    progress::Progress,
    shared::Shared,
};
use crate::{
    CheckedPlan, InvalidPlan, PlanError, PlanState, ProblemKind, check::Report, limits::Limit,
    reference::Root,
};

/// The outcome of a run.
///
/// `Debug` shows no values.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct PlanOutcome {
    /// The value that the plan returns. References to skipped steps are null.
    pub value: Value,
    /// Everything that ran, with all results.
    pub state: PlanState,
}

impl PlanOutcome {
    /// Reads the plan's value as a `T`.
    ///
    /// # Errors
    ///
    /// Returns [`WrongType`](PlanError::WrongType) if the value is no `T`; it names the wrong part.
    pub fn result<T: DeserializeOwned>(&self) -> Result<T, PlanError> {
        read_value(&self.value).map_err(PlanError::WrongType)
    }
}

impl fmt::Debug for PlanOutcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PlanOutcome").field("state", &self.state).finish_non_exhaustive()
    }
}

impl CheckedPlan {
    /// Runs the plan with `inputs`: calls each step's function of `kernel`, through its function
    /// filters, as soon as the steps that it refers to have finished.
    ///
    /// # Behavior
    ///
    /// - Steps that don't wait for each other run at the same time.
    /// - Arguments are checked against the parameter's schema once more, now that the values exist.
    ///   A text is never read as a number.
    /// - If a step fails, no further call starts. Calls that are running finish, so that the error
    ///   can say what ran.
    /// - Dropping the future stops the running calls.
    /// - A panic of a function unwinds through this call, and the state is lost. Catch panics inside
    ///   the function, or resume from the state that an observer saved last.
    /// - The run has a span `plan`, and each step a span `step`, without values.
    ///
    /// # Errors
    ///
    /// - [`InvalidInput`](PlanError::InvalidInput) before anything runs.
    /// - [`Invalid`](PlanError::Invalid) before anything runs if `kernel` lacks a function of the plan,
    ///   or its metadata has changed since the check.
    /// - [`SkippedFilters`](PlanError::SkippedFilters) before anything runs if the calls count as a
    ///   model's, and `kernel` has auto function filters, which don't see them.
    /// - [`StepFailed`](PlanError::StepFailed) and [`LimitExceeded`](PlanError::LimitExceeded), with
    ///   the state so far.
    ///
    /// ```
    /// use serde_json::json;
    /// use textsearch_kernel::{Kernel, KernelArguments, KernelFunction, KernelPlugin};
    /// use textsearch_plan::{Plan, PlanChecker, Step};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Number {
    ///     number: u32,
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let double = KernelFunction::from_fn("Double", "Doubles a number.", |number: Number| async move {
    ///     Ok::<_, std::fmt::Error>(number.number * 2)
    /// })?;
    /// let mut kernel = Kernel::new();
    /// kernel.add_plugin(KernelPlugin::new("Math", "", [double])?)?;
    ///
    /// let once = Step::new("once", "Math.Double").with_argument("number", "$.inputs.number");
    /// let twice = Step::new("twice", "Math.Double").with_argument("number", "$.steps.once.result");
    /// let plan = Plan::new("$.steps.twice.result")
    ///     .with_input("number", json!({ "type": "integer" }))
    ///     .with_step(once)
    ///     .with_step(twice);
    /// let plan = PlanChecker::new(&kernel).check(plan)?;
    /// let outcome = plan.run(&kernel, KernelArguments::new().with("number", 3)).await?;
    /// assert_eq!(outcome.result::<u32>()?, 12);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn run(
        &self,
        kernel: &Kernel,
        inputs: KernelArguments,
    ) -> Result<PlanOutcome, PlanError> {
        self.run_with(kernel, inputs, &RunOptions::default()).await
    }

    /// Like [`run`](Self::run), with retries and an observer.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run`](Self::run), and
    /// [`ObserverFailed`](PlanError::ObserverFailed).
    pub async fn run_with(
        &self,
        kernel: &Kernel,
        inputs: KernelArguments,
        options: &RunOptions,
    ) -> Result<PlanOutcome, PlanError> {
        let progress = Progress::begin(self, values::inputs(&self.plan, &inputs)?)?;
        self.go_on(kernel, progress, options).await
    }

    /// Continues a run from its saved `state`. Finished steps and items don't run again; a call that was
    /// running when the program stopped does. If the state belongs to a plan that a model wrote, or
    /// that ran inside a model's call, the calls count as a model's, whatever this plan says.
    ///
    /// Resume only states from storage that you trust: a forged state decides what the steps return.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run_with`](Self::run_with), and
    /// [`InvalidState`](PlanError::InvalidState) if the state belongs to another plan.
    pub async fn resume(
        &self,
        kernel: &Kernel,
        state: PlanState,
        options: &RunOptions,
    ) -> Result<PlanOutcome, PlanError> {
        let progress = Progress::resume(self, state)?;
        self.go_on(kernel, progress, options).await
    }

    async fn go_on(
        &self,
        kernel: &Kernel,
        mut progress: Progress,
        options: &RunOptions,
    ) -> Result<PlanOutcome, PlanError> {
        let span = tracing::info_span!(
            "plan",
            otel.kind = "internal",
            textsearch.plan.steps = integer(self.plan.steps.len()),
            textsearch.plan.calls = field::Empty,
            error.type = field::Empty,
        );
        // The kernel of a model's call: a resume with another kernel must ask for approvals too.
        progress.state.is_for_model |= kernel.is_for_model();
        let is_for_model = progress.state.is_for_model;
        let may_skip = options.skips_auto_filters || !kernel.has_auto_function_filters();
        if is_for_model && !may_skip {
            return Err(PlanError::SkippedFilters);
        }
        let kernel =
            if is_for_model { Cow::Owned(kernel.for_model()) } else { Cow::Borrowed(kernel) };
        let functions = self.functions_of(&kernel)?;
        let shared = Shared {
            kernel: &kernel,
            functions,
            options,
            limits: &self.limits,
            compiled: &self.compiled,
            calls: progress.state.calls.into(),
            scans: self.limits.max_scanned_bytes.into(),
            has_failed: false.into(),
            failed: Notify::new(),
            begun: Instant::now(),
        };
        let mut failures = Failures::default();
        let running = async {
            drive(&shared, &mut progress, &mut failures).await;
            if !failures.is_empty() {
                return None;
            }
            result(&shared, &progress).map_err(|failure| failures.add(failure)).ok()
        };
        let running = running.instrument(span.clone());
        let ended = tokio::time::timeout(self.limits.max_time, running).await;
        if ended.is_err() {
            failures.add(Failure::of_run(Cause::Limit(Limit::Time)));
        }
        let state = progress.state;
        let outcome = match ended.ok().flatten() {
            Some(value) => Ok(PlanOutcome { value, state }),
            None => Err(failures.into_error(state, &self.limits)),
        };
        record(&span, &shared, &outcome);
        outcome
    }

    /// Returns the kernel's own functions, one for each step. The plan was checked against their
    /// metadata.
    fn functions_of(&self, kernel: &Kernel) -> Result<Vec<KernelFunction>, InvalidPlan> {
        let mut report = Report::default();
        let mut functions = Vec::with_capacity(self.plan.steps.len());
        for (step, checked) in self.plan.steps.iter().zip(&self.compiled.steps) {
            let metadata = checked.function.metadata();
            let message = match kernel.function(metadata.plugin_name.as_deref(), &metadata.name) {
                Some(own)
                    if std::ptr::eq(own.metadata(), metadata) || own.metadata() == metadata =>
                {
                    functions.push(own.clone());
                    continue;
                }
                Some(_) => "differs from the one that was checked; check the plan again",
                None => "is not in this kernel; add its plugin",
            };
            report.add(ProblemKind::UnknownFunction, Some(&step.id), "function", message);
        }
        if report.is_empty() { Ok(functions) } else { Err(report.into_error()) }
    }
}

fn result(shared: &Shared<'_>, progress: &Progress) -> Result<Value, Failure> {
    let root = |root: &Root| progress.value(root, None);
    let value = shared.compiled.result.build(&root, &mut shared.budget());
    let value = value.map_err(|limit| Failure::of_run(Cause::Limit(limit)))?;
    shared.check_time()?;
    Ok(value)
}

fn record(span: &Span, shared: &Shared<'_>, outcome: &Result<PlanOutcome, PlanError>) {
    if span.is_disabled() {
        return;
    }
    span.record("textsearch.plan.calls", integer(shared.calls.load(Ordering::Relaxed)));
    if let Err(error) = outcome {
        span.record("error.type", error.name());
    }
}

/// Exporters write an unsigned integer as a text.
fn integer(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
