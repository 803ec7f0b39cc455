//! Why a run stopped.

use std::error::Error;

use textsearch_core::BoxError;
use textsearch_kernel::KernelError;

use crate::{PlanError, PlanLimits, PlanState, error::note, limits::Limit};

pub(super) struct Failure {
    pub(super) cause: Cause,
    /// The step that failed; `None` for the run as a whole, or the plan's result.
    pub(super) step: Option<String>,
    /// In a loop, the position of the item.
    pub(super) item: Option<usize>,
    /// Whether the step's call ran without a result that the run keeps.
    pub(super) dropped: bool,
}

pub(super) enum Cause {
    Limit(Limit),
    /// The call failed, perhaps as often as the limit allows.
    Call(Box<KernelError>, Option<Limit>),
    /// A value or a result has this mistake.
    Value(String),
    State(String),
    Observer(BoxError),
}

/// All failures of a run.
#[derive(Default)]
pub(super) struct Failures {
    /// The first, or the first that says more.
    main: Option<Failure>,
    /// The first limit that the run reached, or the first that dropped a result, and whether it did: a
    /// resume may reach it again.
    reached: Option<(Limit, bool)>,
    /// The steps with calls that ran and whose results were dropped: a resume repeats the calls.
    dropped: Vec<String>,
}

impl Failure {
    pub(super) const fn of_run(cause: Cause) -> Self {
        Self { cause, step: None, item: None, dropped: false }
    }

    pub(super) const fn name(&self) -> &'static str {
        match &self.cause {
            Cause::Limit(_) => "limit_exceeded",
            Cause::Call(error, _) => error.name(),
            Cause::Value(_) if self.dropped => "invalid_result",
            Cause::Value(_) => "invalid_argument",
            Cause::State(_) => "invalid_state",
            Cause::Observer(_) => "observer_failed",
        }
    }

    const fn limit(&self) -> Option<Limit> {
        match self.cause {
            Cause::Limit(limit) => Some(limit),
            Cause::Call(_, limit) => limit,
            _ => None,
        }
    }

    /// A limit that dropped a result says more than another, and a failed step more still: it is often
    /// why the calls or the time were used up.
    fn weight(&self) -> u8 {
        match self.cause {
            Cause::Limit(_) => u8::from(self.dropped),
            _ => 2,
        }
    }

    /// Returns the message for the observer; `None` for the observer's own failure.
    pub(super) fn message(&self, limits: &PlanLimits) -> Option<String> {
        let message = match &self.cause {
            Cause::Limit(limit) => {
                let (name, value) = limit.within(limits);
                format!("reached `{name}` ({value})")
            }
            Cause::Call(error, _) => with_causes(error),
            Cause::Value(message) | Cause::State(message) => message.clone(),
            Cause::Observer(_) => return None,
        };
        let dropped = if self.dropped { self.step.as_slice() } else { &[] };
        Some(message + &note(dropped))
    }
}

impl Failures {
    pub(super) const fn is_empty(&self) -> bool {
        self.main.is_none()
    }

    pub(super) fn add(&mut self, failure: Failure) {
        if let Some(limit) = failure.limit()
            && self.reached.is_none_or(|(_, dropped)| failure.dropped && !dropped)
        {
            self.reached = Some((limit, failure.dropped));
        }
        if let Some(step) = failure.step.as_ref().filter(|_| failure.dropped)
            && !self.dropped.contains(step)
        {
            self.dropped.push(step.clone());
        }
        // The observer's failure hides none before it.
        let is_observers = matches!(failure.cause, Cause::Observer(_));
        let hides = |main: &Failure| !is_observers && main.weight() < failure.weight();
        if self.main.as_ref().is_none_or(hides) {
            self.main = Some(failure);
        }
    }

    pub(super) fn into_error(self, state: PlanState, limits: &PlanLimits) -> PlanError {
        let state = Box::new(state);
        let dropped = self.dropped;
        // Only the time ends a run without a failure.
        let main = self.main.unwrap_or(Failure::of_run(Cause::Limit(Limit::Time)));
        let (message, source) = match main.cause {
            Cause::Limit(limit) => {
                let (limit, value) = limit.within(limits);
                return PlanError::LimitExceeded { limit, value, step: main.step, dropped, state };
            }
            Cause::State(message) => return PlanError::InvalidState { message },
            Cause::Observer(source) => {
                return PlanError::ObserverFailed { source, dropped, state };
            }
            Cause::Call(error, _) => (error.to_string(), Some(error)),
            Cause::Value(message) => (message, None),
        };
        let reached = self.reached.map(|(limit, _)| limit.within(limits).0);
        let step = main.step.unwrap_or_default();
        PlanError::StepFailed { step, item: main.item, message, source, reached, dropped, state }
    }
}

fn with_causes(error: &KernelError) -> String {
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
