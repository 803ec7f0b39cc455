//! Why a run stopped.

use textsearch_core::BoxError;

use crate::{PlanError, PlanLimits, PlanState, StepError, error::seconds};

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
    OutOfTime,
    Observer(BoxError),
}

impl Failure {
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Step { source: StepError::Call(error), .. } => error.name(),
            Self::Step { source: StepError::Value { .. }, .. } => "invalid_argument",
            Self::Observer(_) => "observer_failed",
            Self::Calls { .. } | Self::TooLarge { .. } | Self::Total { .. } | Self::OutOfTime => {
                "limit_exceeded"
            }
        }
    }

    pub(super) fn into_error(self, state: PlanState, limits: &PlanLimits) -> PlanError {
        let state = Box::new(state);
        let (limit, value, step) = match self {
            Self::Step { step, item, source } => {
                return PlanError::StepFailed { step, item, source: Box::new(source), state };
            }
            Self::Observer(source) => return PlanError::ObserverFailed { source, state },
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
