//! Why a run stopped.

use std::error::Error;

use textsearch_core::BoxError;

use crate::{
    PlanError, PlanLimits, PlanState, StepError,
    error::{DROPPED, seconds},
    scan::Exceeded,
};

pub(super) enum Failure {
    Step {
        step: String,
        item: Option<usize>,
        source: Box<StepError>,
        /// A limit that the run reached as well.
        reached: Option<Box<Reached>>,
    },
    /// The step reached the limit; `None` for the run as a whole, or the plan's result.
    Limit(Limit, Option<String>),
    /// The step's call ran, and its result exceeds the limit.
    Dropped(Limit, String),
    InvalidState(String),
    Observer(BoxError),
}

pub(super) struct Reached {
    limit: Limit,
    /// The step whose result was dropped because of the limit.
    dropped: Option<String>,
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

    /// Keeps the first failure, or a step's rather than a limit: a failed step is often why the calls
    /// or the time were used up. The limit stays with it, since a resume may reach it again, and so does
    /// a dropped result, since a resume repeats its call.
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            // A call ran: that matters more than other limits.
            (step @ Self::Step { .. }, Self::Dropped(limit, place)) if !step.has_dropped() => {
                step.with(Reached { limit, dropped: Some(place) })
            }
            (Self::Limit(limit @ (Limit::Calls | Limit::Time), _), step @ Self::Step { .. })
            | (step @ Self::Step { reached: None, .. }, Self::Limit(limit, _)) => {
                step.with_reached(limit)
            }
            (Self::Limit(..), dropped @ Self::Dropped(..)) => dropped,
            (first, _) => first,
        }
    }

    fn has_dropped(&self) -> bool {
        matches!(self, Self::Step { reached: Some(reached), .. } if reached.dropped.is_some())
    }

    pub(super) fn with_reached(self, limit: Limit) -> Self {
        self.with(Reached { limit, dropped: None })
    }

    fn with(mut self, also: Reached) -> Self {
        if let Self::Step { reached, .. } = &mut self {
            *reached = Some(Box::new(also));
        }
        self
    }

    /// Returns the message for the observer; `None` for the observer's own failure.
    pub(super) fn message(&self, limits: &PlanLimits) -> Option<String> {
        match self {
            Self::Step { source, .. } => Some(with_causes(source)),
            Self::Limit(limit, _) => {
                let (name, value) = limit.within(limits);
                Some(format!("reached `{name}` ({value})"))
            }
            Self::Dropped(limit, _) => {
                let (name, value) = limit.within(limits);
                Some(format!("reached `{name}` ({value}){DROPPED}"))
            }
            Self::InvalidState(message) => Some(message.clone()),
            Self::Observer(_) => None,
        }
    }

    pub(super) fn into_error(self, state: PlanState, limits: &PlanLimits) -> PlanError {
        let state = Box::new(state);
        match self {
            Self::Step { step, item, source, reached } => PlanError::StepFailed {
                step,
                item,
                source,
                reached: reached.as_ref().map(|reached| reached.limit.within(limits)),
                dropped: reached.and_then(|reached| reached.dropped),
                state,
            },
            Self::Limit(limit, step) => {
                let (limit, value) = limit.within(limits);
                PlanError::LimitExceeded { limit, value, step, is_dropped: false, state }
            }
            Self::Dropped(limit, step) => {
                let (limit, value) = limit.within(limits);
                let step = Some(step);
                PlanError::LimitExceeded { limit, value, step, is_dropped: true, state }
            }
            Self::InvalidState(message) => PlanError::InvalidState { message },
            Self::Observer(source) => PlanError::ObserverFailed { source, state },
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
