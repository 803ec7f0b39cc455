//! `Debug` of runs: names, counts and lengths without content, because it ends up in logs. Plain
//! data within a run, such as a message, prints in full when printed itself.

use std::fmt::{self, Debug, Formatter};

use textsearch_core::chat::ToolCall;

use super::{
    AutoFunctionInvocationContext, CallError, CallRecord, ChatEvent, ChatOutcome, ChatRun,
};
use crate::{function::FunctionValue, text::shorten};

impl Debug for ChatOutcome {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ChatOutcome")
            .field("text", &Length::of(&self.message.text()))
            .field("tool_calls", &self.message.tool_calls().count())
            .field("finish_reason", &self.finish_reason)
            .field("end", &self.end)
            .field("model", &self.model)
            .field("run", &self.run)
            .finish()
    }
}

impl Debug for ChatRun {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ChatRun")
            .field("messages", &self.history.len())
            .field("calls", &self.calls.len())
            .field("dropped_calls", &self.dropped_calls)
            .field("usage", &self.usage)
            .field("rounds", &self.rounds)
            .field("sources", &self.sources.len())
            .finish()
    }
}

impl Debug for CallRecord {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("CallRecord")
            .field("call", &Call(&self.call))
            .field("arguments", &self.arguments.len())
            .field("result", &Outcome(&self.result))
            .field("round", &self.round)
            .field("duration", &self.duration)
            .field("repeats", &self.repeats)
            .field("ended_run", &self.ended_run)
            .finish()
    }
}

impl Debug for ChatEvent {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => formatter.debug_tuple("Text").field(&Length::of(text)).finish(),
            Self::Refusal(text) => {
                formatter.debug_tuple("Refusal").field(&Length::of(text)).finish()
            }
            Self::CallStarted { call, round } => formatter
                .debug_struct("CallStarted")
                .field("call", &Call(call))
                .field("round", round)
                .finish(),
            Self::CallFinished(record) => {
                formatter.debug_tuple("CallFinished").field(record).finish()
            }
            Self::Finished(outcome) => formatter.debug_tuple("Finished").field(outcome).finish(),
        }
    }
}

impl Debug for AutoFunctionInvocationContext {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("AutoFunctionInvocationContext")
            .field("function", &self.function.qualified_name())
            .field("call", &Call(&self.call))
            .field("result", &self.result.as_ref().map(Length::of_value))
            .field("messages", &self.history.len())
            .field("round", &self.round)
            .field("call_number", &self.call_number)
            .field("calls_in_round", &self.calls_in_round)
            .field("end_run", &self.end_run)
            .finish_non_exhaustive()
    }
}

/// In characters.
struct Length(usize);

impl Length {
    fn of(text: &str) -> Self {
        Self(text.chars().count())
    }

    fn of_value(value: &FunctionValue) -> Self {
        Self::of(&value.text())
    }
}

impl Debug for Length {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} characters", self.0)
    }
}

/// The model may have made up its name and identifier.
struct Call<'a>(&'a ToolCall);

impl Debug for Call<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ToolCall")
            .field("id", &shorten(&self.0.id))
            .field("name", &shorten(&self.0.name))
            .field("arguments", &Length::of(&self.0.arguments))
            .finish()
    }
}

struct Outcome<'a>(&'a Result<FunctionValue, CallError>);

impl Debug for Outcome<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Ok(value) => formatter.debug_tuple("Ok").field(&Length::of_value(value)).finish(),
            Err(error) => formatter.debug_tuple("Err").field(&error.kind).finish(),
        }
    }
}
