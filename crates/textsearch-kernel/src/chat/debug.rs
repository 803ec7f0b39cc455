//! `Debug` of runs: names and counts without content, because it ends up in logs. Plain data within a
//! run, such as a message, prints in full when printed itself.

use std::fmt::{self, Debug, Formatter};

use super::{AutoFunctionInvocationContext, CallRecord, ChatEvent, ChatOutcome, ChatRun};
use crate::text::shorten;

impl Debug for ChatOutcome {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ChatOutcome")
            .field("finish_reason", &self.finish_reason)
            .field("end", &self.end)
            .field("run", &self.run)
            .finish_non_exhaustive()
    }
}

impl Debug for ChatRun {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ChatRun")
            .field("messages", &self.history.len())
            .field("calls", &self.calls.len())
            .field("rounds", &self.rounds)
            .finish_non_exhaustive()
    }
}

impl Debug for CallRecord {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("CallRecord")
            // The model may have made it up.
            .field("name", &shorten(&self.call.name))
            .field("error", &self.result.as_ref().err().map(|error| error.kind))
            .field("round", &self.round)
            .finish_non_exhaustive()
    }
}

impl Debug for ChatEvent {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(_) => formatter.write_str("Text"),
            Self::Refusal(_) => formatter.write_str("Refusal"),
            Self::CallStarted { call, .. } => {
                formatter.debug_tuple("CallStarted").field(&shorten(&call.name)).finish()
            }
            Self::CallFinished(record) => record.fmt(formatter),
            Self::Finished(outcome) => outcome.fmt(formatter),
        }
    }
}

impl Debug for AutoFunctionInvocationContext {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("AutoFunctionInvocationContext")
            .field("function", &self.function.qualified_name())
            .field("round", &self.round)
            .field("call_number", &self.call_number)
            .finish_non_exhaustive()
    }
}
