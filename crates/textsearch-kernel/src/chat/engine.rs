//! The loop: ask the model, run its calls, send the results, repeat.

mod repairs;

use std::{collections::HashMap, pin::pin, sync::Arc};

use futures_util::StreamExt;
use textsearch_core::{
    Error, ErrorKind,
    chat::{
        ChatHistory, ChatMessage, ChatOptions, ChatResponse, ChatUpdate, FinishReason, ToolCall,
        ToolResult,
    },
    telemetry, yield_now,
};

use super::{
    CallRecord, ChatEnd, ChatEvents, ChatOutcome, ChatRun, Meter,
    argument_limits::{self, Overlong},
    calls::{Identity, Round, Step, plan},
    dropped_calls,
    events::Sink,
    grounded::Grounded,
    identifiers,
    meter::{NextRequest, Spent},
    settings::Plan,
    span, tool_message,
};
use crate::{Kernel, KernelError, Result};

pub(super) struct Engine {
    /// Nested one level deeper than the caller's, to run calls of the model.
    kernel: Kernel,
    meter: Meter,
    plan: Plan,
    events: Sink,
    history: Arc<ChatHistory>,
    grounded: Grounded,
    // Without the history, which filters may hold on to.
    run: ChatRun,
    answered: HashMap<Identity, usize>,
    // Result messages sent to the model, by position.
    messages: HashMap<usize, ToolResult>,
    // Whether the budget is used up, so that the last request offered no functions.
    is_spent: bool,
}

/// Why a run ended without an answer.
enum Stop {
    Spent(Spent),
    Failed(Error),
}

/// Updates of one answer to read before yielding to other tasks.
const UPDATES_AT_ONCE: usize = 64;

impl Engine {
    pub(super) fn new(
        (kernel, meter): (Kernel, Meter),
        plan: Plan,
        history: ChatHistory,
        mut grounded: Grounded,
    ) -> Result<Self> {
        let sources = grounded.take_sources();
        Ok(Self {
            kernel: kernel.nested()?.for_model(),
            meter,
            plan,
            events: Sink::default(),
            history: Arc::new(history),
            grounded,
            run: ChatRun { sources, ..ChatRun::default() },
            answered: HashMap::new(),
            messages: HashMap::new(),
            is_spent: false,
        })
    }

    pub(super) fn into_events(mut self) -> ChatEvents {
        self.events = Sink::read();
        ChatEvents::new(self.events.clone(), self.run())
    }

    pub(super) async fn run(mut self) -> Result<ChatOutcome> {
        self.ground().await?;
        match self.answer().await {
            Ok((response, end)) => Ok(self.outcome(response, end)),
            Err(stop) => Err(self.stopped(stop)),
        }
    }

    async fn ground(&mut self) -> Result<()> {
        let providers = &self.plan.providers;
        let sources = &mut self.run.sources;
        let finding = pin!(self.grounded.find(providers, &self.history, sources));
        telemetry::recording_content(self.kernel.records_content(), finding).await
    }

    async fn answer(&mut self) -> Result<(ChatResponse, ChatEnd), Stop> {
        loop {
            // The caller's timeout fires only if this future yields, and the model and its
            // functions might never wait.
            if self.run.rounds > 0 || self.meter.is_nested() {
                yield_now().await;
            }
            match self.meter.request() {
                Ok(next) => self.is_spent = next == NextRequest::Last,
                Err(spent) => return Err(Stop::Spent(spent)),
            }
            self.run.rounds += 1;
            let mut response = self.ask().await.map_err(Stop::Failed)?;
            self.meter.add(response.usage.unwrap_or_default());
            let dropped = self.drop_calls(&mut response.message);
            identifiers::tell_apart(&mut response.message);
            let overlong = self.shorten_overlong(&mut response.message);
            let calls: Vec<ToolCall> = response.message.tool_calls().cloned().collect();
            let Some(end) = self.end_after(&response, &calls) else {
                let asked = calls.len() + dropped;
                if self.run_calls(response.message.clone(), (&calls, asked, &overlong)).await {
                    return Ok((response, ChatEnd::EndedByFilter));
                }
                continue;
            };
            self.push(response.message.clone());
            if end != ChatEnd::CallsReturned {
                self.leave_out(&calls);
            }
            return Ok((response, end));
        }
    }

    /// Keeps calls that the caller will run.
    fn drop_calls(&mut self, message: &mut ChatMessage) -> usize {
        if self.returns_calls() {
            return 0;
        }
        let max = self.plan.behavior.options.max_calls_per_round;
        let dropped = dropped_calls::drop_excess(message, max);
        self.run.dropped_calls += dropped;
        dropped
    }

    /// Keeps calls that the caller will run.
    fn shorten_overlong(&self, message: &mut ChatMessage) -> Overlong {
        if self.returns_calls() {
            Overlong::new()
        } else {
            argument_limits::shorten_overlong(message, &self.meter)
        }
    }

    fn is_last(&self) -> bool {
        self.is_spent || self.run.rounds > self.plan.behavior.options.max_rounds
    }

    fn offers(&self) -> bool {
        !self.is_spent && self.plan.offers_in(self.run.rounds)
    }

    fn returns_calls(&self) -> bool {
        !self.plan.behavior.options.auto_invoke && self.offers()
    }

    fn end_after(&self, response: &ChatResponse, calls: &[ToolCall]) -> Option<ChatEnd> {
        let end = if !(self.is_last() && self.plan.may_call()) {
            ChatEnd::Answered
        } else if self.run.rounds > self.plan.behavior.options.max_rounds {
            ChatEnd::RoundsExhausted
        } else {
            ChatEnd::BudgetSpent
        };
        if calls.is_empty() {
            return Some(end);
        }
        // A truncated answer may request calls that the model didn't intend.
        let is_whole = !matches!(
            response.finish_reason,
            FinishReason::Length
                | FinishReason::ContentFilter
                | FinishReason::Refusal
                | FinishReason::Other(_)
        );
        if end != ChatEnd::Answered || !is_whole {
            return Some(end);
        }
        if !self.offers() {
            return Some(ChatEnd::UnofferedCalls);
        }
        self.returns_calls().then_some(ChatEnd::CallsReturned)
    }

    fn leave_out(&mut self, calls: &[ToolCall]) {
        for call in calls {
            let record = CallRecord::new(call, self.run.rounds);
            self.events.call_finished(&record);
            self.record(record);
        }
    }

    async fn run_calls(
        &mut self,
        mut message: ChatMessage,
        (calls, asked, overlong): (&[ToolCall], usize, &Overlong),
    ) -> bool {
        let Plan { offered, behavior, .. } = &self.plan;
        let options = &behavior.options;
        let steps = plan((calls, asked, overlong), offered, options, &self.answered, &self.meter);
        dropped_calls::shorten_failed(&mut message, |index| {
            matches!(steps.get(index), Some(Step::Fail(_)))
        });
        Arc::make_mut(&mut self.history).push(message);
        let round = Round {
            kernel: &self.kernel,
            history: &self.history,
            events: &self.events,
            number: self.run.rounds,
            calls,
            asked,
        };
        let ran = round.run(&steps, options).await;
        let has_ended = ran.iter().flatten().any(|record| record.ended_run);
        let first = self.run.calls.len();
        for ((call, step), ran) in calls.iter().zip(steps).zip(ran) {
            self.finish(call, step, ran, first);
        }
        has_ended
    }

    /// `first` is the position of the round's first call.
    fn finish(&mut self, call: &ToolCall, step: Step, ran: Option<CallRecord>, first: usize) {
        let is_told_already = ran.is_some();
        let mut record = ran.unwrap_or_else(|| CallRecord::new(call, self.run.rounds));
        match step {
            Step::Run(identity, _) if record.result.is_ok() => {
                self.answered.insert(identity, self.run.calls.len());
            }
            Step::Run(..) => {}
            Step::Fail(error) => record.result = Err(error),
            Step::Repeat(identity, position) => self.repeat(&mut record, identity, position),
            Step::Double(identity, index) => self.repeat(&mut record, identity, first + index),
        }
        if !is_told_already {
            self.events.call_finished(&record);
        }
        self.record(record);
    }

    fn repeat(&self, record: &mut CallRecord, (_, arguments): Identity, position: usize) {
        if let Some(earlier) = self.run.calls.get(position) {
            record.arguments = arguments;
            record.result = earlier.result.clone();
            record.repeats = Some(position);
        }
    }

    fn record(&mut self, record: CallRecord) {
        let earlier = record.repeats.and_then(|position| self.messages.get(&position));
        let result: ToolResult = match (&record.result, earlier) {
            (Ok(_), Some(earlier)) => tool_message::repeated(&record.call, earlier),
            (Ok(value), None) => {
                let options = &self.plan.behavior.options;
                let result =
                    tool_message::result(&record.call, value, options, &mut self.run.sources);
                if !options.allow_repeated_calls {
                    self.messages.insert(self.run.calls.len(), result.clone());
                }
                result
            }
            (Err(error), _) => tool_message::failure(&record.call, error),
        };
        self.run.calls.push(record);
        self.push(ChatMessage::tool_result(result));
    }

    fn push(&mut self, message: ChatMessage) {
        Arc::make_mut(&mut self.history).push(message);
    }

    async fn ask(&self) -> Result<ChatResponse, Error> {
        let options = if self.is_spent {
            self.plan.last_options()
        } else {
            self.plan.options_of(self.run.rounds)
        };
        let service = self.plan.service.as_ref();
        let history = self.grounded.with_context(&self.history);
        let asking = self.exchange(&history, options);
        span::in_span(service, options, &history, self.kernel.records_content(), asking).await
    }

    async fn exchange(
        &self,
        history: &ChatHistory,
        options: &ChatOptions,
    ) -> Result<ChatResponse, Error> {
        let service = &self.plan.service;
        if !self.events.is_read() {
            return service.complete(history, options).await;
        }
        let mut updates = service.stream(history, options).await?;
        let mut taken: usize = 0;
        while let Some(update) = StreamExt::next(&mut updates).await {
            match update? {
                ChatUpdate::Finished(response) => return Ok(*response),
                update => self.events.update(update),
            }
            taken += 1;
            if taken.is_multiple_of(UPDATES_AT_ONCE) {
                yield_now().await;
            }
        }
        let message = "the answer ended before it was complete";
        Err(Error::new(ErrorKind::Unavailable, service.name().to_owned(), message))
    }

    fn into_run(mut self) -> (String, ChatRun) {
        self.run.history = Arc::unwrap_or_clone(self.history);
        self.run.usage = self.meter.total();
        (self.plan.service_id, self.run)
    }

    fn stopped(self, stop: Stop) -> KernelError {
        let (service, run) = self.into_run();
        let run = Box::new(run);
        match stop {
            Stop::Spent(Spent(setting, limit)) => {
                KernelError::BudgetSpent { setting: setting.to_owned(), limit, run }
            }
            Stop::Failed(source) => {
                KernelError::ChatFailed { service, source: Box::new(source), run }
            }
        }
    }

    fn outcome(self, response: ChatResponse, end: ChatEnd) -> ChatOutcome {
        let ChatResponse { message, finish_reason, model, .. } = response;
        ChatOutcome { message, finish_reason, end, model, run: self.into_run().1 }
    }
}
