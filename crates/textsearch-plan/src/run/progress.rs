//! The state of a run in progress.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Map, Value};
use tracing::Span;

use super::values;
use crate::{
    CheckedPlan, PlanError, PlanState, StepState,
    limits::Limit,
    reference::Root,
    size::{is_too_deep, size, weigh},
    state::VERSION,
    text::excerpt,
};

pub(super) struct Progress {
    /// The results so far. A loop adds one per item.
    pub(super) state: PlanState,
    /// By the step's position.
    running: Vec<Option<Running>>,
    /// The unused part of `max_total_bytes`.
    left: usize,
    max_result_bytes: usize,
}

/// A step that has started.
pub(super) struct Running {
    /// The items of a loop.
    pub(super) items: Option<Vec<Value>>,
    pub(super) span: Span,
    /// The number of calls that have not finished.
    open: usize,
    /// The unused part of `max_result_bytes`.
    left: usize,
}

/// One call of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unit {
    pub(super) place: usize,
    /// In a loop, the position of the item.
    pub(super) item: Option<usize>,
}

impl Progress {
    pub(super) fn begin(plan: &CheckedPlan, inputs: Map<String, Value>) -> Result<Self, PlanError> {
        let max = plan.limits.max_total_bytes;
        let mut left = max;
        if inputs.values().try_for_each(|value| weigh(value, &mut left)).is_none() {
            let name = inputs.keys().next().map_or("", String::as_str);
            let message = format!("and the others exceed `max_total_bytes` ({max})");
            return Err(PlanError::invalid_input(name, message));
        }
        let state = PlanState {
            version: VERSION,
            plan: Arc::clone(&plan.plan),
            inputs,
            steps: BTreeMap::new(),
            calls: 0,
            is_for_model: plan.is_for_model,
        };
        let running = plan.plan.steps.iter().map(|_| None).collect();
        Ok(Self { state, running, left, max_result_bytes: plan.limits.max_result_bytes })
    }

    pub(super) fn resume(plan: &CheckedPlan, state: PlanState) -> Result<Self, PlanError> {
        if *state.plan != *plan.plan {
            let message = "its state is that of another plan; check that plan and resume it";
            return Err(PlanError::invalid_state(message));
        }
        values::check(&plan.plan, &state.inputs)?;
        let mut progress = Self::begin(plan, state.inputs)?;
        for (id, step) in &state.steps {
            let planned = plan.plan.steps.iter().find(|planned| planned.id == *id);
            let Some(planned) = planned else {
                let message = format!("its state has the unknown step `{}`", excerpt(id));
                return Err(PlanError::invalid_state(message));
            };
            progress
                .weigh_restored(id, step, planned.for_each.is_some())
                .map_err(PlanError::invalid_state)?;
        }
        progress.state.steps = state.steps;
        progress.state.calls = state.calls;
        progress.state.is_for_model |= state.is_for_model;
        Ok(progress)
    }

    /// Checks restored results against the same limits as results of calls.
    fn weigh_restored(&mut self, id: &str, step: &StepState, is_loop: bool) -> Result<(), String> {
        let results: Vec<&Value> = match step {
            StepState::Skipped => Vec::new(),
            StepState::Finished(Value::Array(items)) if is_loop => items.iter().collect(),
            StepState::Finished(value) => vec![value],
            StepState::Partial(results) if is_loop => results.values().collect(),
            StepState::Partial(_) => {
                return Err(format!("its state has items of step `{id}`, which is no loop"));
            }
        };
        if results.iter().any(|value| is_too_deep(value)) {
            return Err(format!("the result of step `{id}` is nested too deep"));
        }
        let before = self.left;
        if results.iter().try_for_each(|value| weigh(value, &mut self.left)).is_none() {
            return Err("its results exceed `max_total_bytes`".to_owned());
        }
        if before - self.left > self.max_result_bytes {
            return Err(format!("the result of step `{id}` exceeds `max_result_bytes`"));
        }
        Ok(())
    }

    pub(super) fn id(&self, place: usize) -> &str {
        self.state.plan.steps.get(place).map_or("", |step| step.id.as_str())
    }

    fn step(&self, place: usize) -> Option<&StepState> {
        self.state.steps.get(self.id(place))
    }

    pub(super) fn value<'v>(&'v self, root: &Root, item: Option<&'v Value>) -> Option<&'v Value> {
        match root {
            Root::Item => item,
            Root::Input(name) => self.state.inputs.get(name),
            Root::Step(id) => match self.state.steps.get(id)? {
                StepState::Finished(value) => Some(value),
                StepState::Skipped | StepState::Partial(_) => None,
            },
        }
    }

    pub(super) fn is_done(&self, place: usize) -> bool {
        matches!(self.step(place), Some(StepState::Finished(_) | StepState::Skipped))
    }

    pub(super) fn is_skipped(&self, place: usize) -> bool {
        matches!(self.step(place), Some(StepState::Skipped))
    }

    /// Returns the results of a loop so far, by the item's position.
    pub(super) fn results(&self, place: usize) -> Option<&BTreeMap<usize, Value>> {
        match self.step(place) {
            Some(StepState::Partial(results)) => Some(results),
            _ => None,
        }
    }

    pub(super) fn running(&self, place: usize) -> Option<&Running> {
        self.running.get(place)?.as_ref()
    }

    pub(super) fn skip(&mut self, place: usize) {
        self.state.steps.insert(self.id(place).to_owned(), StepState::Skipped);
    }

    /// Starts a step with `open` calls. A loop may have results from before.
    pub(super) fn start(
        &mut self,
        place: usize,
        items: Option<Vec<Value>>,
        open: usize,
        span: Span,
    ) {
        let kept: usize =
            self.results(place).into_iter().flat_map(BTreeMap::values).map(size).sum();
        let left = self.max_result_bytes.saturating_sub(kept);
        if let Some(running) = self.running.get_mut(place) {
            *running = Some(Running { items, span, open, left });
        }
    }

    /// Keeps the result of a call, unless it exceeds a limit. Returns whether it was the step's last
    /// call.
    pub(super) fn keep(&mut self, unit: Unit, value: Value) -> Result<bool, Limit> {
        let Some(Some(running)) = self.running.get_mut(unit.place) else { return Ok(false) };
        let size = size(&value);
        let left = running.left.checked_sub(size).ok_or(Limit::ResultBytes)?;
        self.left = self.left.checked_sub(size).ok_or(Limit::TotalBytes)?;
        running.left = left;
        running.open = running.open.saturating_sub(1);
        let is_last = running.open == 0;
        self.state.calls = self.state.calls.saturating_add(1);
        let id = self.id(unit.place).to_owned();
        let Some(position) = unit.item else {
            self.state.steps.insert(id, StepState::Finished(value));
            return Ok(is_last);
        };
        let step = self.state.steps.entry(id);
        if let StepState::Partial(results) =
            step.or_insert_with(|| StepState::Partial(BTreeMap::new()))
        {
            results.insert(position, value);
        }
        Ok(is_last)
    }

    /// Ends a step without open calls. The results of a loop become its result.
    pub(super) fn finish(&mut self, place: usize) {
        let running = self.running.get_mut(place).and_then(Option::take);
        if running.is_none_or(|running| running.items.is_none()) {
            return;
        }
        let id = self.id(place).to_owned();
        let results = match self.state.steps.remove(&id) {
            Some(StepState::Partial(results)) => results.into_values().collect(),
            _ => Vec::new(),
        };
        self.state.steps.insert(id, StepState::Finished(Value::Array(results)));
    }
}
