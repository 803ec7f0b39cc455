//! The outcome of a chat.

use std::{sync::Arc, time::Duration};

use serde_json::{Map, Value};
use textsearch_core::chat::{ChatHistory, ChatMessage, FinishReason, ToolCall, Usage};

use crate::{KernelError, Result, citations::Sources, function::FunctionValue};

/// The outcome of a run. `Debug` shows no content.
#[derive(Clone)]
#[non_exhaustive]
pub struct ChatOutcome {
    /// The model's last message.
    pub message: ChatMessage,
    /// Why the last message ended. Check it before using the text, or use [`answer`](Self::answer).
    pub finish_reason: FinishReason,
    /// Why the run ended.
    pub end: ChatEnd,
    /// The model that answered last, as spelled by the provider.
    pub model: Option<String>,
    /// Everything that happened in the run.
    pub run: ChatRun,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChatEnd {
    /// The model requested no further call.
    Answered,
    /// The run reached its maximum number of rounds; the last request had no functions.
    RoundsExhausted,
    /// The run used up its requests, calls or time; the last request had no functions. See
    /// [`max_total_requests`](super::FunctionChoiceOptions::max_total_requests).
    BudgetSpent,
    /// `auto_invoke` is off: the caller runs the calls in the message.
    CallsReturned,
    /// A filter ended the run. The message holds the calls, the history their results.
    EndedByFilter,
    /// The model called functions although the request offered none. The calls were not run.
    UnofferedCalls,
}

impl ChatEnd {
    /// Returns the name for logs and JSON, such as `rounds_exhausted`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::RoundsExhausted => "rounds_exhausted",
            Self::BudgetSpent => "budget_spent",
            Self::CallsReturned => "calls_returned",
            Self::EndedByFilter => "ended_by_filter",
            Self::UnofferedCalls => "unoffered_calls",
        }
    }
}

/// Everything that happened in a run, even a failed one. `Debug` shows counts, no content.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct ChatRun {
    /// The whole chat: the initial messages, then each message of the model and the results of its
    /// calls, in order. It can be sent again. Results of a memory or a context provider are not in
    /// it.
    pub history: ChatHistory,
    /// Every function call, in the order of the history.
    pub calls: Vec<CallRecord>,
    /// The total usage of the run, including requests by called functions.
    pub usage: Usage,
    /// The number of requests to the model.
    pub rounds: usize,
    /// The number of calls dropped from rounds above
    /// [`max_calls_per_round`](super::FunctionChoiceOptions::max_calls_per_round), which `calls`
    /// and `history` lack.
    pub dropped_calls: usize,
    /// The search results that the model received: first from grounding, then from calls.
    pub sources: Sources,
}

/// A function call by the model. `Debug` shows names, no content.
#[derive(Clone)]
#[non_exhaustive]
pub struct CallRecord {
    /// The call as the model wrote it, except for a new identifier if its own is missing or a
    /// duplicate, and without overlong arguments.
    pub call: ToolCall,
    /// The arguments passed to the function, after filters; empty if it was not called.
    pub arguments: Map<String, Value>,
    /// The full return value, without citation numbers; or why there is no result.
    pub result: Result<FunctionValue, CallError>,
    /// The round, counted from 1.
    pub round: usize,
    /// The duration of the call; zero if nothing was run.
    pub duration: Duration,
    /// The position in [`ChatRun::calls`] of the earlier call that has the result.
    pub repeats: Option<usize>,
    /// Whether a filter ended the run at this call.
    pub ended_run: bool,
}

/// Why a call has no result.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct CallError {
    /// The kind of failure reported to the model.
    pub kind: CallErrorKind,
    /// The message sent to the model.
    pub message: String,
    /// The underlying error, which the model does not see.
    pub source: Option<Arc<KernelError>>,
}

/// A kind of failure reported to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CallErrorKind {
    /// The function was not offered.
    UnknownFunction,
    /// The arguments are invalid or too long; the message says why.
    InvalidArguments,
    /// A filter refused the call.
    Refused,
    /// The function failed.
    Failed,
    /// The round had too many calls. The first excess call has this error; the others are dropped.
    TooManyCalls,
    /// The run had used up its calls, or the total length of their arguments.
    BudgetSpent,
    /// The call was not run: the run had ended, or the answer was truncated.
    NotRun,
}

impl CallErrorKind {
    /// Returns the name that the model reads, such as `unknown_function`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UnknownFunction => "unknown_function",
            Self::InvalidArguments => "invalid_arguments",
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::TooManyCalls => "too_many_calls",
            Self::BudgetSpent => "budget_spent",
            Self::NotRun => "not_run",
        }
    }
}

impl ChatOutcome {
    /// Returns the text of a complete answer: not truncated, filtered or refused, and without
    /// pending calls. If a filter ended the run, returns that call's result as text.
    ///
    /// # Errors
    ///
    /// Returns [`NoAnswer`](KernelError::NoAnswer), which holds the outcome, if there is none.
    pub fn answer(&self) -> Result<String> {
        let calls = &self.run.calls;
        complete_text(&self.message, &self.finish_reason, self.end, calls).map_err(|reason| {
            KernelError::NoAnswer { reason: reason.to_owned(), outcome: Box::new(self.clone()) }
        })
    }
}

/// Returns the text of a complete answer, or why there is none.
pub(super) fn complete_text(
    message: &ChatMessage,
    finish_reason: &FinishReason,
    end: ChatEnd,
    calls: &[CallRecord],
) -> Result<String, &'static str> {
    let why_not = why_incomplete(message, finish_reason);
    if end == ChatEnd::EndedByFilter {
        let ending = calls.iter().find(|call| call.ended_run);
        if let Some(Ok(value)) = ending.map(|call| &call.result) {
            return Ok(value.text().into_owned());
        }
        return Err(why_not.unwrap_or("a filter ended the run without a result"));
    }
    if end == ChatEnd::UnofferedCalls {
        return Err("it called functions although none were offered");
    }
    why_not.map_or_else(|| Ok(message.text()), Err)
}

fn why_incomplete(message: &ChatMessage, finish_reason: &FinishReason) -> Option<&'static str> {
    if message.refusal().is_some() {
        return Some("it refused to answer");
    }
    match finish_reason {
        FinishReason::Refusal => Some("it refused to answer"),
        FinishReason::ContentFilter => Some("the provider's content filter stopped it"),
        FinishReason::Length => Some("it was cut off at the maximum number of tokens"),
        // It may be an error of the provider.
        FinishReason::Other(_) => Some("its finish reason is unknown"),
        _ if message.tool_calls().next().is_some() => Some("it requests function calls"),
        _ => None,
    }
}
