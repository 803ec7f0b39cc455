//! Decides which calls of one round run, and runs them.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::future::join_all;
use serde_json::{Map, Value};
use textsearch_core::chat::{ChatHistory, ToolCall};

use super::{
    AutoFunctionInvocationContext, CallError, CallErrorKind, CallRecord, FunctionChoiceOptions,
    Meter, NextAutoInvocation, OfferedFunctions, argument_limits::Overlong, events::Sink,
    tool_message,
};
use crate::{Kernel, KernelArguments, KernelFunction, kernel::tool_arguments};

pub(super) type Identity = (String, Map<String, Value>);

pub(super) enum Step {
    Fail(CallError),
    Run(Identity, KernelFunction),
    /// The call at this position of the run.
    Repeat(Identity, usize),
    /// The call with this index in the round.
    Double(Identity, usize),
}

/// `asked` is the number of calls before any was dropped.
pub(super) fn plan(
    (calls, asked, overlong): (&[ToolCall], usize, &Overlong),
    offered: &OfferedFunctions,
    options: &FunctionChoiceOptions,
    earlier: &HashMap<Identity, usize>,
    meter: &Meter,
) -> Vec<Step> {
    let mut of_this_round: HashMap<Identity, usize> = HashMap::new();
    let run = |identity: Identity, function: &KernelFunction| {
        if meter.call() {
            Step::Run(identity, function.clone())
        } else {
            Step::Fail(CallError::new(
                CallErrorKind::BudgetSpent,
                "no calls are left; answer without calling functions",
            ))
        }
    };
    let step = |(index, call): (usize, &ToolCall)| {
        if index >= options.max_calls_per_round {
            return Step::Fail(CallError::too_many(asked, options.max_calls_per_round));
        }
        if let Some(error) = overlong.get(&index) {
            return Step::Fail(error.clone());
        }
        let function = match offered.find(&call.name) {
            Ok(function) => function,
            Err(error) => return Step::Fail(CallError::unknown_function(error)),
        };
        let name = function.metadata().qualified_name();
        let identity = match tool_arguments(function, &call.arguments) {
            Ok(arguments) => (name, arguments),
            Err(error) => return Step::Fail(CallError::from_error(error, &name, |_| true)),
        };
        if options.allow_repeated_calls {
            return run(identity, function);
        }
        if let Some(position) = earlier.get(&identity) {
            return Step::Repeat(identity, *position);
        }
        match of_this_round.get(&identity) {
            Some(first) => Step::Double(identity, *first),
            None => {
                of_this_round.insert(identity.clone(), index);
                run(identity, function)
            }
        }
    };
    calls.iter().enumerate().map(step).collect()
}

pub(super) struct Round<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) history: &'a Arc<ChatHistory>,
    pub(super) events: &'a Sink,
    pub(super) number: usize,
    pub(super) calls: &'a [ToolCall],
    pub(super) asked: usize,
}

impl Round<'_> {
    pub(super) async fn run(
        &self,
        steps: &[Step],
        options: &FunctionChoiceOptions,
    ) -> Vec<Option<CallRecord>> {
        let runs =
            self.calls.iter().zip(steps).enumerate().map(|(index, (call, step))| async move {
                match step {
                    Step::Run((_, arguments), function) => {
                        Some(self.run_one(index, call, function, arguments).await)
                    }
                    _ => None,
                }
            });
        if options.allow_concurrent_invocation {
            return join_all(runs).await;
        }
        let mut records: Vec<Option<CallRecord>> = Vec::with_capacity(steps.len());
        for run in runs {
            let has_ended = records.iter().flatten().any(|record| record.ended_run);
            records.push(if has_ended { None } else { run.await });
        }
        records
    }

    async fn run_one(
        &self,
        index: usize,
        call: &ToolCall,
        function: &KernelFunction,
        arguments: &Map<String, Value>,
    ) -> CallRecord {
        self.events.call_started(call, self.number);
        let mut context = AutoFunctionInvocationContext {
            kernel: self.kernel.clone(),
            function: Arc::clone(function.metadata()),
            call: call.clone(),
            arguments: KernelArguments::from(arguments.clone()),
            result: None,
            history: Arc::clone(self.history),
            round: self.number,
            call_number: index + 1,
            calls_in_round: self.asked,
            end_run: false,
        };
        let started = Instant::now();
        let next = NextAutoInvocation { filters: self.kernel.auto_function_filters(), function };
        let outcome = next.run(&mut context).await;
        let mut record = CallRecord::new(call, self.number);
        record.duration = started.elapsed();
        record.arguments = context.arguments.into_values().into_iter().collect();
        let is_kept = |parameter: &str| {
            value_of(arguments, parameter) == value_of(&record.arguments, parameter)
        };
        let is_own = |parameter: Option<&str>| match parameter {
            Some(parameter) => is_kept(parameter),
            None => arguments.keys().chain(record.arguments.keys()).all(|name| is_kept(name)),
        };
        record.result = match outcome {
            Ok(()) => Ok(context.result.unwrap_or_default()),
            Err(error) => {
                let own = arguments.clone();
                Err(tool_message::call_error(self.kernel, function, own, error, is_own))
            }
        };
        record.ended_run = context.end_run;
        self.events.call_finished(&record);
        record
    }
}

fn value_of<'a>(arguments: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    arguments.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

impl CallRecord {
    pub(super) fn new(call: &ToolCall, round: usize) -> Self {
        let not_run = CallError::new(CallErrorKind::NotRun, "the call was not run");
        Self {
            call: call.clone(),
            arguments: Map::new(),
            result: Err(not_run),
            round,
            duration: Duration::ZERO,
            repeats: None,
            ended_run: false,
        }
    }
}
