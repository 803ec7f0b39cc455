//! The loop: ask the model, run its calls, tell it what came of them, and again.

use std::{collections::HashMap, sync::Arc};

use futures_util::StreamExt;
use textsearch_core::{
    Error, ErrorKind,
    chat::{
        ChatHistory, ChatMessage, ChatOptions, ChatResponse, ChatUpdate, FinishReason, ToolCall,
        ToolResult,
    },
};

use super::{
    CallRecord, ChatEnd, ChatOutcome, ChatRun, Meter, OfferedFunctions,
    calls::{Identity, Round, Step, plan},
    events::Sink,
    identifiers,
    settings::Plan,
    span, told,
};
use crate::{Kernel, KernelError, Result};

/// One run of the loop.
pub(super) struct Engine {
    /// The kernel that calls the functions: one step deeper than the one that was asked.
    kernel: Kernel,
    meter: Meter,
    plan: Plan,
    events: Sink,
    history: Arc<ChatHistory>,
    // All but the history, which filters may hold on to.
    run: ChatRun,
    // The calls that have a result, by position.
    answered: HashMap<Identity, usize>,
    // What the model was told of them, by position.
    told: HashMap<usize, String>,
}

impl Engine {
    /// A run through a kernel and its meter.
    pub(super) fn new(
        (kernel, meter): (Kernel, Meter),
        plan: Plan,
        history: ChatHistory,
        events: Sink,
    ) -> Result<Self> {
        Ok(Self {
            kernel: kernel.nested()?,
            meter,
            plan,
            events,
            history: Arc::new(history),
            run: ChatRun::default(),
            answered: HashMap::new(),
            told: HashMap::new(),
        })
    }

    pub(super) async fn run(mut self) -> Result<ChatOutcome> {
        loop {
            self.run.rounds += 1;
            let mut response = match self.ask().await {
                Ok(response) => response,
                Err(error) => return Err(self.failed(error)),
            };
            self.meter.add(response.usage.unwrap_or_default());
            identifiers::tell_apart(&mut response.message);
            self.push(response.message.clone());
            let calls: Vec<ToolCall> = response.message.tool_calls().cloned().collect();
            if let Some(end) = self.answer(&response, &calls).await {
                return Ok(self.outcome(response, end));
            }
        }
    }

    /// Answers the calls of a message, and says whether the run has ended with it, and why.
    async fn answer(&mut self, response: &ChatResponse, calls: &[ToolCall]) -> Option<ChatEnd> {
        let behavior = &self.plan.behavior;
        let is_last = self.run.rounds > behavior.options.max_rounds;
        let end = if is_last && self.plan.may_call() {
            ChatEnd::RoundsExhausted
        } else {
            ChatEnd::Answered
        };
        if calls.is_empty() {
            return Some(end);
        }
        // What is asked for in an answer that was cut off may not be what was meant.
        let is_whole = !matches!(
            response.finish_reason,
            FinishReason::Length
                | FinishReason::ContentFilter
                | FinishReason::Refusal
                | FinishReason::Other(_)
        );
        if is_last || !is_whole {
            for call in calls {
                let record = CallRecord::new(call, self.run.rounds);
                self.events.call_finished(&record);
                self.record(record);
            }
            return Some(end);
        }
        if !behavior.options.auto_invoke && self.plan.offers_in(self.run.rounds) {
            return Some(ChatEnd::CallsReturned);
        }
        self.run_calls(calls).await.then_some(ChatEnd::EndedByFilter)
    }

    /// Runs the calls of a round and tells the model of them; whether a filter ended the run.
    async fn run_calls(&mut self, calls: &[ToolCall]) -> bool {
        let none = OfferedFunctions::default();
        let is_offered = self.plan.offers_in(self.run.rounds);
        let offered = if is_offered { &self.plan.offered } else { &none };
        let options = &self.plan.behavior.options;
        let steps = plan(calls, offered, options, &self.answered);
        let round = Round {
            kernel: &self.kernel,
            history: &self.history,
            events: &self.events,
            number: self.run.rounds,
            calls,
        };
        let ran = round.run(&steps, options).await;
        let has_ended = ran.iter().flatten().any(|record| record.ended_run);
        let first = self.run.calls.len();
        for ((call, step), ran) in calls.iter().zip(steps).zip(ran) {
            self.finish(call, step, ran, first);
        }
        has_ended
    }

    /// Records one call of the round whose first call is at the position `first`.
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
        // What was run has been an event when it was done.
        if !is_told_already {
            self.events.call_finished(&record);
        }
        self.record(record);
    }

    /// Answers a call from the one at `position`.
    fn repeat(&self, record: &mut CallRecord, (_, arguments): Identity, position: usize) {
        if let Some(earlier) = self.run.calls.get(position) {
            record.arguments = arguments;
            record.result = earlier.result.clone();
            record.repeats = Some(position);
        }
    }

    /// Keeps the record of a call, and tells the model what came of it.
    fn record(&mut self, record: CallRecord) {
        let earlier = record.repeats.and_then(|position| self.told.get(&position));
        let result: ToolResult = match (&record.result, earlier) {
            (Ok(_), Some(earlier)) => told::repeated(&record.call, earlier),
            (Ok(value), None) => {
                let options = &self.plan.behavior.options;
                let result = told::result(&record.call, value, options, &mut self.run.sources);
                if !options.allow_repeated_calls {
                    self.told.insert(self.run.calls.len(), result.content.clone());
                }
                result
            }
            (Err(error), _) => told::failure(&record.call, error),
        };
        self.run.calls.push(record);
        self.push(ChatMessage::tool_result(result));
    }

    fn push(&mut self, message: ChatMessage) {
        Arc::make_mut(&mut self.history).push(message);
    }

    async fn ask(&self) -> Result<ChatResponse, Error> {
        let options = self.plan.options_of(self.run.rounds);
        let service = self.plan.service.as_ref();
        let asking = self.exchange(options);
        span::in_span(service, options, &self.history, self.kernel.records_content(), asking).await
    }

    async fn exchange(&self, options: &ChatOptions) -> Result<ChatResponse, Error> {
        let service = &self.plan.service;
        if !self.events.is_read() {
            return service.complete(&self.history, options).await;
        }
        let mut updates = service.stream(&self.history, options).await?;
        while let Some(update) = StreamExt::next(&mut updates).await {
            match update? {
                ChatUpdate::Finished(response) => return Ok(*response),
                update => self.events.update(update),
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

    fn failed(self, source: Error) -> KernelError {
        let (service, run) = self.into_run();
        KernelError::ChatFailed { service, source: Box::new(source), run: Box::new(run) }
    }

    fn outcome(self, response: ChatResponse, end: ChatEnd) -> ChatOutcome {
        let ChatResponse { message, finish_reason, model, .. } = response;
        ChatOutcome { message, finish_reason, end, model, run: self.into_run().1 }
    }
}
