//! Why a run stopped.

use textsearch_core::BoxError;

use crate::{PlanError, PlanLimits, PlanState, StepError, error::seconds, template::Exceeded};

pub(super) enum Failure {
    Step {
        step: String,
        item: Option<usize>,
        source: StepError,
    },
    Calls {
        step: String,
    },
    /// A result or the arguments of a call.
    TooLarge {
        step: Option<String>,
    },
    Total {
        step: String,
    },
    /// References of the step, or of the plan's result, went through too much.
    Scans {
        step: Option<String>,
    },
    InvalidState(String),
    OutOfTime,
    Observer(BoxError),
}

impl Failure {
    pub(super) fn of(exceeded: Exceeded, step: Option<&str>) -> Self {
        let step = step.map(str::to_owned);
        match exceeded {
            Exceeded::Bytes => Self::TooLarge { step },
            Exceeded::Scans => Self::Scans { step },
        }
    }

    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Step { source: StepError::Call(error), .. } => error.name(),
            Self::Step { source: StepError::Value { .. }, .. } => "invalid_argument",
            Self::Observer(_) => "observer_failed",
            Self::InvalidState(_) => "invalid_state",
            Self::Calls { .. }
            | Self::TooLarge { .. }
            | Self::Total { .. }
            | Self::Scans { .. }
            | Self::OutOfTime => "limit_exceeded",
        }
    }

    pub(super) fn into_error(self, state: PlanState, limits: &PlanLimits) -> PlanError {
        let state = Box::new(state);
        let (limit, value, step) = match self {
            Self::Step { step, item, source } => {
                return PlanError::StepFailed { step, item, source: Box::new(source), state };
            }
            Self::Observer(source) => return PlanError::ObserverFailed { source, state },
            Self::InvalidState(message) => return PlanError::InvalidState { message },
            Self::Scans { step } => {
                ("max_scanned_bytes", limits.max_scanned_bytes.to_string(), step)
            }
            Self::Calls { step } => ("max_calls", limits.max_calls.to_string(), Some(step)),
            Self::TooLarge { step } => {
                ("max_result_bytes", limits.max_result_bytes.to_string(), step)
            }
            Self::Total { step } => {
                ("max_total_bytes", limits.max_total_bytes.to_string(), Some(step))
            }
            Self::OutOfTime => ("max_time", seconds(limits.max_time), None),
        };
        PlanError::LimitExceeded { limit, value, step, state }
    }
}
