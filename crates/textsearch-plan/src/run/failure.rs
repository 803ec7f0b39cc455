//! Why a run stopped.

use std::error::Error;

use textsearch_core::BoxError;

use crate::{
    PlanError, PlanLimits, PlanState, StepError,
    error::{note, seconds},
    scan::Exceeded,
};

pub(super) enum Failure {
    Step {
        step: String,
        item: Option<usize>,
        source: Box<StepError>,
        /// A limit that the run reached as well.
        reached: Option<Limit>,
    },
    /// The step reached the limit; `None` for the run as a whole, or the plan's result.
    Limit(Limit, Option<String>),
    /// The step's call ran, and its result exceeds the limit.
    Dropped(Limit, String),
    InvalidState(String),
    Observer(BoxError),
}

/// All failures of a run.
#[derive(Default)]
pub(super) struct Failures {
    /// The first, or the first that says more. A limit that dropped a result says more than another,
    /// and a failed step more still: it is often why the calls or the time were used up.
    main: Option<Failure>,
    /// The first limit that the run reached, or the first that dropped a result, and whether it did: a
    /// resume may reach it again.
    reached: Option<(Limit, bool)>,
    /// The steps with calls that ran and whose results were dropped: a resume repeats the calls.
    dropped: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit {
    Calls,
    /// A result or the arguments of a call.
    ResultBytes,
    TotalBytes,
    ScannedBytes,
    Time,
}

impl Failure {
    pub(super) fn of(exceeded: Exceeded, step: Option<&str>) -> Self {
        let limit = match exceeded {
            Exceeded::Bytes => Limit::ResultBytes,
            Exceeded::Scans => Limit::ScannedBytes,
            Exceeded::Time => return Self::Limit(Limit::Time, None),
        };
        Self::Limit(limit, step.map(str::to_owned))
    }

    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Step { source, .. } => match &**source {
                StepError::Call(error) => error.name(),
                StepError::Value { .. } => "invalid_argument",
                StepError::Result { .. } => "invalid_result",
            },
            Self::Observer(_) => "observer_failed",
            Self::InvalidState(_) => "invalid_state",
            Self::Limit(..) | Self::Dropped(..) => "limit_exceeded",
        }
    }

    pub(super) fn with_reached(mut self, limit: Limit) -> Self {
        if let Self::Step { reached, .. } = &mut self {
            *reached = Some(limit);
        }
        self
    }

    const fn limit(&self) -> Option<Limit> {
        match self {
            Self::Limit(limit, _) | Self::Dropped(limit, _) => Some(*limit),
            Self::Step { reached, .. } => *reached,
            _ => None,
        }
    }

    /// Returns the step whose call ran without a result that the run keeps.
    fn dropped(&self) -> Option<&str> {
        match self {
            Self::Dropped(_, step) => Some(step),
            Self::Step { step, source, .. } if matches!(**source, StepError::Result { .. }) => {
                Some(step)
            }
            _ => None,
        }
    }

    /// Returns the message for the observer; `None` for the observer's own failure.
    pub(super) fn message(&self, limits: &PlanLimits) -> Option<String> {
        match self {
            Self::Step { source, .. } => Some(with_causes(source)),
            Self::Limit(limit, _) => {
                let (name, value) = limit.within(limits);
                Some(format!("reached `{name}` ({value})"))
            }
            Self::Dropped(limit, step) => {
                let (name, value) = limit.within(limits);
                Some(format!("reached `{name}` ({value}){}", note(std::slice::from_ref(step))))
            }
            Self::InvalidState(message) => Some(message.clone()),
            Self::Observer(_) => None,
        }
    }
}

impl Failures {
    pub(super) const fn is_empty(&self) -> bool {
        self.main.is_none()
    }

    pub(super) fn add(&mut self, failure: Failure) {
        let is_drop = matches!(failure, Failure::Dropped(..));
        if self.reached.is_none_or(|(_, dropped)| is_drop && !dropped) {
            self.reached = failure.limit().map(|limit| (limit, is_drop)).or(self.reached);
        }
        if let Some(step) = failure.dropped()
            && !self.dropped.iter().any(|known| known == step)
        {
            self.dropped.push(step.to_owned());
        }
        let is_step = matches!(failure, Failure::Step { .. });
        let is_replaced = match &self.main {
            None => true,
            Some(Failure::Limit(..)) => is_drop || is_step,
            Some(Failure::Dropped(..)) => is_step,
            Some(_) => false,
        };
        if is_replaced {
            self.main = Some(failure);
        }
    }

    pub(super) fn into_error(self, state: PlanState, limits: &PlanLimits) -> PlanError {
        let (state, dropped) = (Box::new(state), self.dropped);
        // Only the time ends a run without a failure.
        match self.main.unwrap_or(Failure::Limit(Limit::Time, None)) {
            Failure::Step { step, item, source, .. } => {
                let reached = self.reached.map(|(limit, _)| limit.within(limits));
                PlanError::StepFailed { step, item, source, reached, dropped, state }
            }
            Failure::Limit(limit, step) => {
                let (limit, value) = limit.within(limits);
                PlanError::LimitExceeded { limit, value, step, dropped, state }
            }
            Failure::Dropped(limit, step) => {
                let (limit, value) = limit.within(limits);
                PlanError::LimitExceeded { limit, value, step: Some(step), dropped, state }
            }
            Failure::InvalidState(message) => PlanError::InvalidState { message },
            Failure::Observer(source) => PlanError::ObserverFailed { source, dropped, state },
        }
    }
}

impl Limit {
    /// Returns the name of the field of `limits`, and its value.
    fn within(self, limits: &PlanLimits) -> (&'static str, String) {
        match self {
            Self::Calls => ("max_calls", limits.max_calls.to_string()),
            Self::ResultBytes => ("max_result_bytes", limits.max_result_bytes.to_string()),
            Self::TotalBytes => ("max_total_bytes", limits.max_total_bytes.to_string()),
            Self::ScannedBytes => ("max_scanned_bytes", limits.max_scanned_bytes.to_string()),
            Self::Time => ("max_time", seconds(limits.max_time)),
        }
    }
}

fn with_causes(error: &StepError) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let message = error.to_string();
        // Some messages repeat their cause.
        if !text.contains(&message) {
            text = format!("{text}: {message}");
        }
        cause = error.source();
    }
    text
}
