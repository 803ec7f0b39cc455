//! What comes of a chat with a model that may call functions.

use std::{sync::Arc, time::Duration};

use serde_json::{Map, Value};
use textsearch_core::chat::{ChatHistory, ChatMessage, FinishReason, ToolCall, Usage};

use crate::{KernelError, Result, citations::Sources, function::FunctionValue};

/// What came of a run: the last message, why it ended, and all that happened. `Debug` shows lengths, no content.
#[derive(Clone)]
#[non_exhaustive]
pub struct ChatOutcome {
    /// The last message of the model.
    pub message: ChatMessage,
    /// Why the last message ended; look at it before the text is used, or use [`answer`](Self::answer).
    pub finish_reason: FinishReason,
    /// Why the run ended.
    pub end: ChatEnd,
    /// The model that answered last, as the provider spells it.
    pub model: Option<String>,
    /// All that happened.
    pub run: ChatRun,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChatEnd {
    /// The model asked for no further call.
    Answered,
    /// There were as many rounds as there may be, and the model was asked once more without functions.
    RoundsExhausted,
    /// The requests, calls or time of the run and the runs within it were used up. The last request had no functions: see
    /// [`max_total_requests`](super::FunctionChoiceOptions::max_total_requests).
    BudgetSpent,
    /// The calls are left to the caller, since `auto_invoke` is off: they are in the message.
    CallsReturned,
    /// A filter ended it; the message holds the calls, the history their results.
    EndedByFilter,
}

/// All that happened in a run, also in one that failed. `Debug` shows counts, no content.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct ChatRun {
    /// The whole chat: what was there before, each message of the model, and the results of its calls behind it, in
    /// the order of the calls. It can be sent again as it is.
    pub history: ChatHistory,
    /// Every call of a function, in the order of the history.
    pub calls: Vec<CallRecord>,
    /// What all requests of the run cost together, also those of the functions that it called and that ask a model
    /// themselves, such as functions made of prompts.
    pub usage: Usage,
    /// How many times the model was asked.
    pub rounds: usize,
    /// How many calls the kernel dropped from rounds with more than
    /// [`max_calls_per_round`](super::FunctionChoiceOptions::max_calls_per_round). Neither `calls` nor `history` has them.
    pub dropped_calls: usize,
    /// What searches found and the model was told of.
    pub sources: Sources,
}

/// One call of a function by the model. `Debug` shows names and lengths, no content.
#[derive(Clone)]
#[non_exhaustive]
pub struct CallRecord {
    /// The call as the model wrote it, but for an identifier that an earlier call of the same answer has, or none at all:
    /// such a call has one of its own, here and in the history.
    pub call: ToolCall,
    /// What the function was called with, as filters left it; empty where it was not called.
    pub arguments: Map<String, Value>,
    /// What it returned, whole and without numbers; or why there is nothing.
    pub result: Result<FunctionValue, CallError>,
    /// The round, counted from 1.
    pub round: usize,
    /// How long it took; zero where nothing was run.
    pub duration: Duration,
    /// The earlier call, by its position in [`ChatRun::calls`], whose result answered this one.
    pub repeats: Option<usize>,
    /// Whether a filter ended the run at this call.
    pub ended_run: bool,
}

/// Why a call has no result.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct CallError {
    /// What kind of failure the model was told of.
    pub kind: CallErrorKind,
    /// What the model was told.
    pub message: String,
    /// What really happened, which the model was not told.
    pub source: Option<Arc<KernelError>>,
}

/// A kind of failure that a model is told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CallErrorKind {
    /// The function is not one of those that were offered.
    UnknownFunction,
    /// The arguments do not fit; the message says why.
    InvalidArguments,
    /// A filter refused the call.
    Refused,
    /// The function failed.
    Failed,
    /// The round had too many calls. The first excess call has this error; the others are dropped.
    TooManyCalls,
    /// The run had used up its calls.
    BudgetSpent,
    /// The call was not run, since the run had ended or the model's answer was cut off.
    NotRun,
}

impl CallErrorKind {
    /// The name that the model reads, such as `unknown_function`.
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
    /// The text of an answer that is whole: neither cut off, nor filtered, nor refused, nor still waiting for a call.
    ///
    /// Where a filter ended the run, it is the text of the result at which it did.
    ///
    /// # Errors
    ///
    /// [`NoAnswer`](KernelError::NoAnswer), which holds the outcome.
    pub fn answer(&self) -> Result<String> {
        if self.end == ChatEnd::EndedByFilter {
            let ending = self.run.calls.iter().find(|call| call.ended_run);
            if let Some(Ok(value)) = ending.map(|call| &call.result) {
                return Ok(value.text().into_owned());
            }
        } else if self.why_no_answer().is_none() {
            return Ok(self.message.text());
        }
        let reason = self.why_no_answer().unwrap_or("a filter ended the run without a result");
        Err(KernelError::NoAnswer { reason: reason.to_owned(), outcome: Box::new(self.clone()) })
    }

    fn why_no_answer(&self) -> Option<&'static str> {
        if self.message.refusal().is_some() {
            return Some("it refused to answer");
        }
        match self.finish_reason {
            FinishReason::Refusal => Some("it refused to answer"),
            FinishReason::ContentFilter => Some("the provider's content filter stopped it"),
            FinishReason::Length => Some("it was cut off at the most tokens of an answer"),
            // An error of the provider's, for all that is known.
            FinishReason::Other(_) => Some("it ended for a reason that is not known to be good"),
            _ if self.message.tool_calls().next().is_some() => {
                Some("it asks for functions to be called")
            }
            _ => None,
        }
    }
}
