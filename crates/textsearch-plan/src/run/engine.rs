//! Starts each step once its references have values, and collects the results.

use std::{collections::VecDeque, sync::atomic::Ordering};

use futures_util::{StreamExt, stream::FuturesUnordered};
use serde_json::Value;
use tracing::{Instrument, Span, field};

use super::{
    PlanEvent, PlanProgress,
    book::{Book, Progress, Running},
    call::{CallFailure, Unit, call},
    failure::{Failure, Failures, Limit},
    shared::Shared,
};
use crate::{
    StepError,
    check::CheckedStep,
    scan::Turn,
    template::{DEEPEST_RESULT, is_too_deep, weigh, weigh_all},
};

/// Runs the steps. Adds each failure to `failures` at once, because the calls that are still running
/// may outlast the run's time.
pub(super) async fn drive(shared: &Shared<'_>, book: &mut Book, failures: &mut Failures) {
    let mut engine = Engine::new(shared, book, failures);
    let mut running = FuturesUnordered::new();
    loop {
        engine.start_ready().await;
        while engine.failures.is_empty()
            && running.len() < shared.limits.concurrent_calls.max(1)
            && let Some(unit) = engine.queue.pop_front()
        {
            match engine.arguments(unit).await {
                Ok(Some((function, arguments, span))) => {
                    let id = engine.book.id(unit.place).to_owned();
                    let called =
                        async move { (unit, call(shared, &id, function, arguments).await) };
                    running.push(called.instrument(span));
                }
                Ok(None) => {}
                Err(failure) => engine.fail(unit, failure).await,
            }
        }
        let Some((unit, result)) = running.next().await else { return };
        engine.finish(unit, result).await;
        if let Err(over) = engine.give_way().await {
            return engine.failures.add(over);
        }
    }
}

pub(super) struct Engine<'a, 'b> {
    pub(super) shared: &'a Shared<'a>,
    pub(super) book: &'b mut Book,
    /// For each step, the number of steps that it still waits for.
    waits: Vec<usize>,
    /// Steps that wait for nothing.
    ready: VecDeque<usize>,
    queue: VecDeque<Unit>,
    failures: &'b mut Failures,
    turn: Turn,
}

impl<'a, 'b> Engine<'a, 'b> {
    fn new(shared: &'a Shared<'a>, book: &'b mut Book, failures: &'b mut Failures) -> Self {
        let waits =
            |step: &CheckedStep| step.needs.iter().filter(|one| !book.is_done(**one)).count();
        let waits: Vec<usize> = shared.compiled.steps.iter().map(waits).collect();
        let is_ready = |(place, waits): (usize, &usize)| {
            (*waits == 0 && !book.is_done(place)).then_some(place)
        };
        let ready = waits.iter().enumerate().filter_map(is_ready).collect();
        Self { shared, book, waits, ready, queue: VecDeque::new(), failures, turn: Turn::default() }
    }

    pub(super) async fn give_way(&mut self) -> Result<(), Failure> {
        self.shared.check_time()?;
        self.turn.give_way().await;
        Ok(())
    }

    async fn start_ready(&mut self) {
        while self.failures.is_empty()
            && let Some(place) = self.ready.pop_front()
        {
            let unit = Unit { place, item: None };
            let started = match self.give_way().await {
                Ok(()) => self.start_in_span(place).await,
                over => over,
            };
            if let Err(failure) = started {
                self.fail(unit, failure).await;
            }
        }
    }

    async fn start_in_span(&mut self, place: usize) -> Result<(), Failure> {
        let span = self.span(place);
        let started = self.start(place, &span).await;
        if let Err(failure) = &started
            && self.book.running(place).is_none()
        {
            span.record("error.type", failure.name());
        }
        started
    }

    async fn start(&mut self, place: usize, span: &Span) -> Result<(), Failure> {
        let Some(step) = self.shared.compiled.steps.get(place) else { return Ok(()) };
        let is_cut_off = step.needs.iter().any(|needed| self.book.is_skipped(*needed));
        if is_cut_off || (step.for_each.is_none() && !self.holds(place, step, None).await?) {
            self.put(place, Progress::Skipped);
            self.release(place);
            return self.tell(PlanEvent::StepSkipped { step: self.book.id(place) }).await;
        }
        let items = match &step.for_each {
            Some(list) => Some(self.items(place, list).await?),
            None => None,
        };
        let units = self.units(place, step, items.as_deref()).await?;
        let results = match self.book.steps.get_mut(place) {
            Some(Progress::Waiting(results)) => std::mem::take(results),
            _ => return Ok(()),
        };
        let calls = self.shared.calls.load(Ordering::Relaxed);
        let calls = calls.saturating_add(self.queue.len()).saturating_add(units.len());
        let open = units.len();
        let mut left = self.shared.limits.max_result_bytes;
        // The state was checked when it was read.
        let _ = weigh_all(results.values(), &mut left);
        let running = Running { items, results, open, left, span: span.clone() };
        self.put(place, Progress::Running(running));
        if calls > self.shared.limits.max_calls {
            return Err(Failure::Limit(Limit::Calls, Some(self.book.id(place).to_owned())));
        }
        self.queue.extend(units);
        let step = self.book.id(place);
        self.tell(PlanEvent::StepStarted { step, calls: open }).await?;
        if open > 0 {
            return Ok(());
        }
        self.collect(place);
        self.close(place).await
    }

    async fn finish(&mut self, unit: Unit, result: Result<Value, CallFailure>) {
        let finished = match result {
            Ok(value) => self.keep(unit, value).await,
            Err(CallFailure::NoCalls(None)) => {
                let step = self.book.id(unit.place).to_owned();
                Err(Failure::Limit(Limit::Calls, Some(step)))
            }
            Err(CallFailure::NoCalls(Some(error))) => {
                Err(self.failure_of(unit, StepError::Call(error)).with_reached(Limit::Calls))
            }
            Err(CallFailure::Failed(error)) => Err(self.failure_of(unit, StepError::Call(error))),
        };
        if let Err(failure) = finished {
            self.fail(unit, failure).await;
        }
    }

    async fn keep(&mut self, unit: Unit, value: Value) -> Result<(), Failure> {
        let step = || self.book.id(unit.place).to_owned();
        if is_too_deep(&value) {
            let message = format!("is nested more than {DEEPEST_RESULT} levels deep");
            return Err(self.failure_of(unit, StepError::Result { message }));
        }
        let mut left = self.book.left;
        if weigh(&value, &mut left).is_none() {
            // Prefers the limit of one result to that of the whole run.
            let is_large =
                weigh(&value, &mut self.shared.limits.max_result_bytes.clone()).is_none();
            let limit = if is_large { Limit::ResultBytes } else { Limit::TotalBytes };
            return Err(Failure::Dropped(limit, step()));
        }
        let size = self.book.left - left;
        let id = step();
        let Some(running) = self.book.running(unit.place) else { return Ok(()) };
        running.left = match running.left.checked_sub(size) {
            Some(left) => left,
            None => return Err(Failure::Dropped(Limit::ResultBytes, id)),
        };
        running.results.insert(unit.item.unwrap_or(0), value);
        running.open = running.open.saturating_sub(1);
        let is_last = running.open == 0;
        self.book.left = left;
        self.book.calls = self.book.calls.saturating_add(1);
        // The observer's state has the result already: only loops have partial results.
        if is_last {
            self.collect(unit.place);
        }
        let step = self.book.id(unit.place);
        self.tell(PlanEvent::CallFinished { step, item: unit.item }).await?;
        if is_last { self.close(unit.place).await } else { Ok(()) }
    }

    /// Makes the results of the calls the step's result.
    fn collect(&mut self, place: usize) {
        let Some(running) = self.book.running(place) else { return };
        let is_loop = running.items.is_some();
        let mut results = std::mem::take(&mut running.results).into_values();
        let value = if is_loop { results.collect() } else { results.next().unwrap_or_default() };
        self.put(place, Progress::Finished(value));
    }

    async fn close(&mut self, place: usize) -> Result<(), Failure> {
        self.release(place);
        self.tell(PlanEvent::StepFinished { step: self.book.id(place) }).await
    }

    fn release(&mut self, place: usize) {
        for follower in self.shared.compiled.followers.get(place).into_iter().flatten() {
            if let Some(waits) = self.waits.get_mut(*follower) {
                *waits = waits.saturating_sub(1);
                if *waits == 0 && !self.book.is_done(*follower) {
                    self.ready.push_back(*follower);
                }
            }
        }
    }

    /// Reports the failure to the observer, and adds it to the run's.
    async fn fail(&mut self, unit: Unit, failure: Failure) {
        if let Some(running) = self.book.running(unit.place) {
            running.span.record("error.type", failure.name());
        }
        self.shared.fail();
        let observer = self.shared.options.observer.as_ref();
        let message = observer.and_then(|_| failure.message(self.shared.limits));
        self.failures.add(failure);
        if let Some(error) = message.as_deref() {
            let step = self.book.id(unit.place);
            // The run fails already.
            let _ = self.tell(PlanEvent::StepFailed { step, item: unit.item, error }).await;
        }
    }

    pub(super) fn failure_of(&self, unit: Unit, source: StepError) -> Failure {
        let step = self.book.id(unit.place).to_owned();
        Failure::Step { step, item: unit.item, source: Box::new(source), reached: None }
    }

    async fn tell(&self, event: PlanEvent<'_>) -> Result<(), Failure> {
        let Some(observer) = &self.shared.options.observer else { return Ok(()) };
        let progress = PlanProgress { book: &*self.book };
        observer.on_event(&event, &progress).await.map_err(Failure::Observer)
    }

    fn put(&mut self, place: usize, progress: Progress) {
        if let Some(step) = self.book.steps.get_mut(place) {
            *step = progress;
        }
    }

    fn span(&self, place: usize) -> Span {
        let span = tracing::info_span!(
            "step",
            otel.name = field::Empty,
            otel.kind = "internal",
            textsearch.plan.step = field::Empty,
            error.type = field::Empty,
        );
        if !span.is_disabled() {
            let id = self.book.id(place);
            span.record("otel.name", field::display(format_args!("step {id}")));
            span.record("textsearch.plan.step", id);
        }
        span
    }
}
