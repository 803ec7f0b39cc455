//! Prints the steps of a run as they finish, and saves the run.

use std::{
    collections::HashMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use textsearch_core::{BoxError, async_trait};
use textsearch_plan::{Plan, PlanEvent, PlanObserver, PlanState};

use super::saved::SavedRun;
use crate::messages;

pub(super) struct Follower {
    steps: usize,
    saved: Option<SavedRun>,
    is_saved: AtomicBool,
    /// When each running step started.
    started: Mutex<HashMap<String, Instant>>,
}

impl Follower {
    pub(super) fn new(plan: &Plan, saved: Option<SavedRun>) -> Self {
        let steps = plan.steps.len();
        Self { steps, saved, is_saved: AtomicBool::new(false), started: Mutex::default() }
    }

    fn start(&self, step: &str) {
        let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        started.insert(step.to_owned(), Instant::now());
    }

    fn time_of(&self, step: &str) -> Duration {
        let started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        started.get(step).map(Instant::elapsed).unwrap_or_default()
    }

    fn print(&self, event: &PlanEvent<'_>, done: usize) {
        let steps = self.steps;
        match event {
            PlanEvent::StepStarted { step, .. } => self.start(step),
            PlanEvent::StepFinished { step, .. } => {
                let time = self.time_of(step);
                messages::say(&format!("{done} of {steps}: `{step}` finished in {time:.1?}"));
            }
            PlanEvent::StepSkipped { step, .. } => {
                messages::say(&format!("{done} of {steps}: `{step}` skipped"));
            }
            PlanEvent::StepFailed { step, error, .. } => {
                messages::say(&format!("{done} of {steps}: `{step}` failed: {error}"));
            }
            _ => {}
        }
    }
}

#[async_trait]
impl PlanObserver for Follower {
    async fn on_event(&self, event: &PlanEvent<'_>, state: &PlanState) -> Result<(), BoxError> {
        if let Some(saved) = &self.saved {
            // The first event comes before any call: the plan itself is worth saving.
            let is_first = !self.is_saved.swap(true, Ordering::Relaxed);
            if is_first || matches!(event, PlanEvent::CallFinished { .. }) {
                saved.write(state)?;
            }
        }
        self.print(event, state.plan.steps.len() - state.unfinished().count());
        Ok(())
    }
}
