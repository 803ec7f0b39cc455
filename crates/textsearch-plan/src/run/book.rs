//! The state of a run in progress.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Map, Value};
use tracing::Span;

use super::values;
use crate::{
    CheckedPlan, Plan, PlanError, PlanState, StepState,
    check::Compiled,
    reference::Root,
    state::VERSION,
    template::{is_too_deep, weigh_all},
    text::excerpt,
};

pub(super) struct Book {
    plan: Arc<Plan>,
    compiled: Arc<Compiled>,
    inputs: Map<String, Value>,
    pub(super) steps: Vec<Progress>,
    /// The calls whose results are kept.
    pub(super) calls: usize,
    pub(super) is_for_model: bool,
    /// The unused part of `max_total_bytes`.
    pub(super) left: usize,
    /// `max_result_bytes`.
    max: usize,
}

pub(super) enum Progress {
    /// With the results of a loop that was interrupted.
    Waiting(BTreeMap<usize, Value>),
    Running(Running),
    Finished(Value),
    Skipped,
}

pub(super) struct Running {
    /// The items of a loop.
    pub(super) items: Option<Vec<Value>>,
    /// By the item's position; 0 without a loop.
    pub(super) results: BTreeMap<usize, Value>,
    /// The number of calls that have not finished.
    pub(super) open: usize,
    /// The unused part of `max_result_bytes`.
    pub(super) left: usize,
    pub(super) span: Span,
}

impl Book {
    pub(super) fn begin(plan: &CheckedPlan, inputs: Map<String, Value>) -> Result<Self, PlanError> {
        let steps = plan.plan.steps.iter().map(|_| Progress::Waiting(BTreeMap::new())).collect();
        let mut left = plan.limits.max_total_bytes;
        if weigh_all(inputs.values(), &mut left).is_none() {
            let max = plan.limits.max_total_bytes;
            let name = inputs.keys().next().map_or("", String::as_str);
            return Err(PlanError::invalid_input(
                name,
                format!("and the others exceed `max_total_bytes` ({max})"),
            ));
        }
        let (is_for_model, max) = (plan.is_for_model, plan.limits.max_result_bytes);
        let (plan, compiled) = (Arc::clone(&plan.plan), Arc::clone(&plan.compiled));
        Ok(Self { plan, compiled, inputs, steps, calls: 0, is_for_model, left, max })
    }

    pub(super) fn resume(plan: &CheckedPlan, state: PlanState) -> Result<Self, PlanError> {
        if *state.plan != *plan.plan {
            let message = "its state is that of another plan; check that plan and resume it";
            return Err(PlanError::invalid_state(message));
        }
        values::check(&plan.plan, &state.inputs)?;
        let mut book = Self::begin(plan, state.inputs)?;
        book.calls = state.calls;
        book.is_for_model |= state.is_for_model;
        for (id, state) in state.steps {
            let Some(place) = book.compiled.places.get(&id).copied() else {
                let message = format!("its state has the unknown step `{}`", excerpt(&id));
                return Err(PlanError::invalid_state(message));
            };
            book.restore(place, &id, state)?;
        }
        Ok(book)
    }

    fn restore(&mut self, place: usize, id: &str, state: StepState) -> Result<(), PlanError> {
        let is_loop = self.compiled.steps.get(place).is_some_and(|step| step.for_each.is_some());
        let progress = match state {
            StepState::Finished(value) => {
                match value.as_array().filter(|_| is_loop) {
                    Some(items) => self.take(id, items)?,
                    None => self.take(id, [&value])?,
                }
                Progress::Finished(value)
            }
            StepState::Skipped => Progress::Skipped,
            StepState::Partial(results) if is_loop => {
                self.take(id, results.values())?;
                Progress::Waiting(results)
            }
            StepState::Partial(_) => {
                let message = format!("its state has items of step `{id}`, which is no loop");
                return Err(PlanError::invalid_state(message));
            }
        };
        if let Some(step) = self.steps.get_mut(place) {
            *step = progress;
        }
        Ok(())
    }

    /// Checks restored results against the same limits as results of calls.
    fn take<'v>(
        &mut self,
        id: &str,
        results: impl IntoIterator<Item = &'v Value> + Clone,
    ) -> Result<(), PlanError> {
        if results.clone().into_iter().any(is_too_deep) {
            let message = format!("the result of step `{id}` is nested too deep");
            return Err(PlanError::invalid_state(message));
        }
        let before = self.left;
        if weigh_all(results, &mut self.left).is_none() {
            return Err(PlanError::invalid_state("its results exceed `max_total_bytes`"));
        }
        if before - self.left > self.max {
            let message = format!("the result of step `{id}` exceeds `max_result_bytes`");
            return Err(PlanError::invalid_state(message));
        }
        Ok(())
    }

    pub(super) fn id(&self, place: usize) -> &str {
        self.plan.steps.get(place).map_or("", |step| step.id.as_str())
    }

    pub(super) fn value<'v>(&'v self, root: &Root, item: Option<&'v Value>) -> Option<&'v Value> {
        match root {
            Root::Item => item,
            Root::Input(name) => self.inputs.get(name),
            Root::Step(id) => match self.steps.get(*self.compiled.places.get(id)?)? {
                Progress::Finished(value) => Some(value),
                _ => None,
            },
        }
    }

    pub(super) fn is_done(&self, place: usize) -> bool {
        matches!(self.steps.get(place), Some(Progress::Finished(_) | Progress::Skipped))
    }

    pub(super) fn is_skipped(&self, place: usize) -> bool {
        matches!(self.steps.get(place), Some(Progress::Skipped))
    }

    pub(super) fn done(&self) -> usize {
        (0..self.steps.len()).filter(|place| self.is_done(*place)).count()
    }

    pub(super) fn running(&mut self, place: usize) -> Option<&mut Running> {
        match self.steps.get_mut(place) {
            Some(Progress::Running(running)) => Some(running),
            _ => None,
        }
    }

    pub(super) fn state(&self) -> PlanState {
        let steps = self.steps.iter().enumerate();
        let steps = steps.filter_map(|(place, step)| {
            let is_loop =
                self.compiled.steps.get(place).is_some_and(|step| step.for_each.is_some());
            Some((self.id(place).to_owned(), step.clone_state(is_loop)?))
        });
        PlanState {
            version: VERSION,
            plan: Arc::clone(&self.plan),
            inputs: self.inputs.clone(),
            steps: steps.collect(),
            calls: self.calls,
            is_for_model: self.is_for_model,
        }
    }

    pub(super) fn into_state(self) -> PlanState {
        let Self { plan, compiled, inputs, steps, calls, is_for_model, .. } = self;
        let ids = plan.steps.iter().map(|step| step.id.clone());
        let steps = ids.zip(steps).zip(&compiled.steps).filter_map(|((id, step), checked)| {
            Some((id, step.into_state(checked.for_each.is_some())?))
        });
        let steps = steps.collect();
        PlanState { version: VERSION, plan, inputs, steps, calls, is_for_model }
    }
}

impl Progress {
    fn clone_state(&self, is_loop: bool) -> Option<StepState> {
        let copy = match self {
            Self::Finished(value) => Self::Finished(value.clone()),
            Self::Skipped => Self::Skipped,
            Self::Waiting(results) | Self::Running(Running { results, .. }) => {
                Self::Waiting(results.clone())
            }
        };
        copy.into_state(is_loop)
    }

    fn into_state(self, is_loop: bool) -> Option<StepState> {
        match self {
            Self::Finished(value) => Some(StepState::Finished(value)),
            Self::Skipped => Some(StepState::Skipped),
            Self::Waiting(results) | Self::Running(Running { results, .. }) => {
                (is_loop && !results.is_empty()).then_some(StepState::Partial(results))
            }
        }
    }
}
