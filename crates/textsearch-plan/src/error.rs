//! Errors of runs.

use textsearch_core::BoxError;
use textsearch_kernel::{KernelError, function::ReadError};

use crate::{
    InvalidPlan, PlanState,
    text::{excerpt, listed},
};

/// An error of a plan.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The plan has mistakes.
    #[error(transparent)]
    Invalid(#[from] InvalidPlan),
    /// An input is missing, unknown or does not fit its schema.
    #[error("the plan cannot start: the input `{input}` {message}")]
    #[non_exhaustive]
    InvalidInput {
        /// The input.
        input: String,
        /// The mistake.
        message: String,
    },
    /// The saved state can't be resumed.
    #[error("the plan cannot resume: {message}")]
    #[non_exhaustive]
    InvalidState {
        /// Why not.
        message: String,
    },
    /// A step failed. If several did, this is the first, even after a reached limit; an observer learns of
    /// [each](crate::PlanEvent::StepFailed).
    #[error("{}: {message}{}{}; {}", named(step, *item), also(*reached), note(dropped), report(state))]
    #[non_exhaustive]
    StepFailed {
        /// The identifier of the step.
        step: String,
        /// In a loop, the position of the item.
        item: Option<usize>,
        /// Why.
        message: String,
        /// The error of the call, or of the filter that refused it. `None` if a value or a result has a
        /// mistake.
        source: Option<Box<KernelError>>,
        /// A limit that the run reached as well, a field of [`PlanLimits`](crate::PlanLimits): the first
        /// that dropped a result, or the first. A resume may reach it again.
        reached: Option<&'static str>,
        /// The steps with calls that ran and whose results were dropped. A resume repeats the calls.
        dropped: Vec<String>,
        /// What ran. Calls that were running at the same time have finished, unless the time was over.
        state: Box<PlanState>,
    },
    /// The run reached a limit.
    #[error("the plan reached `{limit}` ({value}){}{}; {}", at(step.as_deref()), note(dropped), report(state))]
    #[non_exhaustive]
    LimitExceeded {
        /// The limit, a field of [`PlanLimits`](crate::PlanLimits).
        limit: &'static str,
        /// Its value.
        value: String,
        /// The step that reached it, if it was one.
        step: Option<String>,
        /// The steps with calls that ran and whose results were dropped. A resume repeats the calls.
        dropped: Vec<String>,
        /// What ran.
        state: Box<PlanState>,
    },
    /// The run counts as a model's, and the kernel has
    /// [filters](textsearch_kernel::chat::AutoFunctionInvocationFilter) around a model's calls that
    /// don't see the steps of plans. Nothing ran.
    #[error(
        "the plan cannot run: the kernel's auto function filters don't see the steps of a model's plan; ask for approvals in \
         a function filter (`Kernel::add_function_filter`), then set `RunOptions::with_auto_filters_skipped`"
    )]
    SkippedFilters,
    /// The observer failed, so the run was stopped.
    #[error("the observer of the plan failed: {source}{}; {}", note(dropped), report(state))]
    #[non_exhaustive]
    ObserverFailed {
        /// The observer's error.
        source: BoxError,
        /// The steps with calls that ran and whose results were dropped. A resume repeats the calls.
        dropped: Vec<String>,
        /// What ran.
        state: Box<PlanState>,
    },
    /// The result can't be read as the wanted type.
    #[error("the result of the plan cannot be read: {0}")]
    WrongType(ReadError),
    /// The model wrote no plan that can run.
    #[error("the model wrote no plan that can run, in {attempts} attempts: {problem}")]
    #[non_exhaustive]
    NoPlan {
        /// The number of attempts.
        attempts: usize,
        /// The mistakes of the last one.
        problem: String,
    },
    /// A setting can't be used.
    #[error("the planner cannot work: {message}")]
    #[non_exhaustive]
    InvalidSetting {
        /// The mistake, and how to correct it.
        message: String,
    },
    /// The kernel failed, for example because the model can't be reached.
    #[error(transparent)]
    Kernel(#[from] KernelError),
}

impl PlanError {
    /// Returns what ran before the error, to [resume](crate::CheckedPlan::resume).
    pub fn state(&self) -> Option<&PlanState> {
        match self {
            Self::StepFailed { state, .. }
            | Self::LimitExceeded { state, .. }
            | Self::ObserverFailed { state, .. } => Some(state),
            _ => None,
        }
    }

    /// Returns the short, stable name of the variant, used as `error.type` in spans.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "invalid_plan",
            Self::InvalidInput { .. } => "invalid_input",
            Self::InvalidState { .. } => "invalid_state",
            Self::StepFailed { .. } => "step_failed",
            Self::LimitExceeded { .. } => "limit_exceeded",
            Self::SkippedFilters => "skipped_filters",
            Self::ObserverFailed { .. } => "observer_failed",
            Self::WrongType(_) => "wrong_type",
            Self::NoPlan { .. } => "no_plan",
            Self::InvalidSetting { .. } => "invalid_setting",
            Self::Kernel(error) => error.name(),
        }
    }

    pub(crate) fn invalid_input(input: &str, message: impl Into<String>) -> Self {
        Self::InvalidInput { input: excerpt(input), message: message.into() }
    }

    pub(crate) fn invalid_state(message: impl Into<String>) -> Self {
        Self::InvalidState { message: message.into() }
    }
}

fn named(step: &str, item: Option<usize>) -> String {
    match item {
        Some(item) => format!("step `{step}`, item {item}"),
        None => format!("step `{step}`"),
    }
}

fn at(step: Option<&str>) -> String {
    step.map(|step| format!(" at step `{step}`")).unwrap_or_default()
}

/// Says whose results were dropped. A loop may have dropped several.
pub(crate) fn note(dropped: &[String]) -> String {
    match listed(dropped.iter().map(String::as_str)) {
        none if none.is_empty() => none,
        steps => {
            format!("; some results of {steps} were dropped, and a resume repeats those calls")
        }
    }
}

fn also(reached: Option<&str>) -> String {
    reached.map(|limit| format!("; the plan also reached `{limit}`")).unwrap_or_default()
}

fn report(state: &PlanState) -> String {
    let finished = match listed(state.finished()) {
        none if none.is_empty() => "no step finished".to_owned(),
        some => format!("finished: {some}"),
    };
    match listed(state.unfinished()) {
        none if none.is_empty() => finished,
        some => format!("{finished}; not finished: {some}"),
    }
}
