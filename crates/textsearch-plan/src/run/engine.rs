//! Starts each step once its references have values, and collects the results.

use std::{
    collections::VecDeque,
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use futures_util::{StreamExt, stream::FuturesUnordered};
use serde_json::Value;
use tracing::{Instrument, Span, field};

use super::{
    PlanEvent,
    call::call,
    failure::{Cause, Failure, Failures},
    prepare::Values,
    progress::{Progress, Unit},
    shared::Shared,
};
use crate::{
    limits::Limit,
    size::{DEEPEST_RESULT, is_too_deep},
};

/// The time after which other tasks get a turn.
const TURN: Duration = Duration::from_millis(1);

/// Runs the steps. Adds each failure to `failures` at once, because the calls that are still running
/// may outlast the run's time.
pub(super) async fn drive(shared: &Shared<'_>, progress: &mut Progress, failures: &mut Failures) {
    let mut engine = Engine::new(shared, progress, failures);
    let mut running = FuturesUnordered::new();
    loop {
        engine.start_ready().await;
        while engine.failures.is_empty()
            && running.len() < shared.limits.concurrent_calls.max(1)
            && let Some(unit) = engine.queue.pop_front()
        {
            let prepared = match engine.give_way().await {
                Ok(()) => engine.values(unit).arguments(),
                Err(over) => Err(over),
            };
            match prepared {
                Ok((function, arguments, span)) => {
                    let id = engine.progress.id(unit.place).to_owned();
                    let called =
                        async move { (unit, call(shared, &id, function, arguments).await) };
                    running.push(called.instrument(span));
                }
                Err(failure) => engine.fail(unit, failure).await,
            }
        }
        let Some((unit, result)) = running.next().await else { return };
        if let Err(failure) = engine.take(unit, result).await {
            engine.fail(unit, failure).await;
        }
        if let Err(over) = engine.give_way().await {
            return engine.failures.add(over);
        }
    }
}

struct Engine<'a, 'b> {
    shared: &'a Shared<'a>,
    progress: &'b mut Progress,
    /// For each step, the number of steps that it still waits for.
    waits: Vec<usize>,
    /// Steps that wait for nothing.
    ready: VecDeque<usize>,
    queue: VecDeque<Unit>,
    failures: &'b mut Failures,
    /// When other tasks had a turn.
    turn: Instant,
}

impl<'a, 'b> Engine<'a, 'b> {
    fn new(shared: &'a Shared<'a>, progress: &'b mut Progress, failures: &'b mut Failures) -> Self {
        let steps = shared.compiled.steps.iter();
        let open =
            |needs: &[usize]| needs.iter().filter(|place| !progress.is_done(**place)).count();
        let waits: Vec<usize> = steps.map(|step| open(&step.needs)).collect();
        let places = waits.iter().enumerate().filter(|(_, waits)| **waits == 0);
        let ready = places.map(|(place, _)| place).filter(|place| !progress.is_done(*place));
        let ready = ready.collect();
        let queue = VecDeque::new();
        Self { shared, progress, waits, ready, queue, failures, turn: Instant::now() }
    }

    fn values(&self, unit: Unit) -> Values<'a, '_> {
        Values::new(self.shared, self.progress, unit)
    }

    /// Work that never waits would keep the time limits of the run and of its caller from firing.
    async fn give_way(&mut self) -> Result<(), Failure> {
        self.shared.check_time()?;
        if self.turn.elapsed() >= TURN {
            tokio::task::yield_now().await;
            self.turn = Instant::now();
        }
        Ok(())
    }

    async fn start_ready(&mut self) {
        while self.failures.is_empty()
            && let Some(place) = self.ready.pop_front()
        {
            let span = self.span(place);
            let started = match self.give_way().await {
                Ok(()) => self.start(place, &span).await,
                over => over,
            };
            if let Err(failure) = started {
                if self.progress.running(place).is_none() {
                    span.record("error.type", failure.name());
                }
                self.fail(Unit { place, item: None }, failure).await;
            }
        }
    }

    async fn start(&mut self, place: usize, span: &Span) -> Result<(), Failure> {
        let unit = Unit { place, item: None };
        let step = self.shared.step(place);
        let is_cut_off = step.needs.iter().any(|needed| self.progress.is_skipped(*needed));
        if is_cut_off || (step.for_each.is_none() && !self.values(unit).hold()?) {
            self.progress.skip(place);
            self.release(place);
            return self.tell(PlanEvent::StepSkipped { step: self.progress.id(place) }).await;
        }
        let items = self.values(unit).items()?;
        let units = match &items {
            Some(items) => self.units(place, items).await?,
            None => vec![unit],
        };
        let calls = self.shared.calls.load(Ordering::Relaxed);
        let calls = calls.saturating_add(self.queue.len()).saturating_add(units.len());
        let open = units.len();
        self.progress.start(place, items, open, span.clone());
        if calls > self.shared.limits.max_calls {
            return Err(self.failure(unit, Cause::Limit(Limit::Calls)));
        }
        self.queue.extend(units);
        let step = self.progress.id(place);
        self.tell(PlanEvent::StepStarted { step, calls: open }).await?;
        if open > 0 {
            return Ok(());
        }
        self.progress.finish(place);
        self.close(place).await
    }

    /// The calls that are left of a loop.
    async fn units(&mut self, place: usize, items: &[Value]) -> Result<Vec<Unit>, Failure> {
        let results = self.progress.results(place);
        if let Some((position, _)) = results.and_then(|results| results.last_key_value())
            && *position >= items.len()
        {
            let id = self.progress.id(place);
            let count = items.len();
            return Err(Failure::of_run(Cause::State(format!(
                "its state has item {position} of step `{id}`, whose list has {count} items"
            ))));
        }
        let mut units = Vec::new();
        for (position, item) in items.iter().enumerate() {
            let unit = Unit { place, item: Some(position) };
            let results = self.progress.results(place);
            let is_kept = results.is_some_and(|results| results.contains_key(&position));
            if !is_kept && self.values(unit).with_item(item).hold()? {
                units.push(unit);
            }
            self.give_way().await?;
        }
        Ok(units)
    }

    /// Takes the result of a call.
    async fn take(&mut self, unit: Unit, result: Result<Value, Cause>) -> Result<(), Failure> {
        let value = result.map_err(|cause| self.failure(unit, cause))?;
        let dropped = |cause| Failure { dropped: true, ..self.failure(unit, cause) };
        if is_too_deep(&value) {
            let message = format!("the result is nested more than {DEEPEST_RESULT} levels deep");
            return Err(dropped(Cause::Value(message)));
        }
        let kept = self.progress.keep(unit, value);
        let is_last = kept.map_err(|limit| Failure {
            dropped: true,
            ..self.failure(unit, Cause::Limit(limit))
        })?;
        // The observer's state has the result already: only loops have partial results.
        if is_last {
            self.progress.finish(unit.place);
        }
        let step = self.progress.id(unit.place);
        self.tell(PlanEvent::CallFinished { step, item: unit.item }).await?;
        if is_last { self.close(unit.place).await } else { Ok(()) }
    }

    async fn close(&mut self, place: usize) -> Result<(), Failure> {
        self.release(place);
        self.tell(PlanEvent::StepFinished { step: self.progress.id(place) }).await
    }

    /// Makes the steps ready that waited for this one alone.
    fn release(&mut self, place: usize) {
        let followers = self.shared.compiled.steps.iter().zip(&mut self.waits).enumerate();
        for (follower, (_, waits)) in followers.filter(|(_, (step, _))| step.needs.contains(&place))
        {
            *waits = waits.saturating_sub(1);
            if *waits == 0 && !self.progress.is_done(follower) {
                self.ready.push_back(follower);
            }
        }
    }

    /// Reports the failure to the observer, and adds it to the run's.
    async fn fail(&mut self, unit: Unit, failure: Failure) {
        if let Some(running) = self.progress.running(unit.place) {
            running.span.record("error.type", failure.name());
        }
        self.shared.fail();
        let observer = self.shared.options.observer.as_ref();
        let message = observer.and_then(|_| failure.message(self.shared.limits));
        self.failures.add(failure);
        if let Some(error) = message.as_deref() {
            let step = self.progress.id(unit.place);
            // The run fails already.
            let _ = self.tell(PlanEvent::StepFailed { step, item: unit.item, error }).await;
        }
    }

    fn failure(&self, unit: Unit, cause: Cause) -> Failure {
        self.values(unit).failure(cause)
    }

    async fn tell(&self, event: PlanEvent<'_>) -> Result<(), Failure> {
        let Some(observer) = &self.shared.options.observer else { return Ok(()) };
        let told = observer.on_event(&event, &self.progress.state).await;
        told.map_err(|error| Failure::of_run(Cause::Observer(error)))
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
            let id = self.progress.id(place);
            span.record("otel.name", field::display(format_args!("step {id}")));
            span.record("textsearch.plan.step", id);
        }
        span
    }
}
