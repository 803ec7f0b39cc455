//! What a model is told of its calls.

use std::sync::Arc;

use serde_json::{Value, json};
use textsearch_core::chat::{ToolCall, ToolResult};

use super::{CallError, CallErrorKind, FunctionChoiceOptions, budget, control_characters};
use crate::{KernelError, citations::Sources, function::FunctionValue};

/// What stands before a result that was told before.
const REPEATED: &str = "You made this call before, with the same arguments. It was not run again: this is the \
                        result that you got.";

/// The result of `call` as the model gets it: with numbers, without control characters, and within the budget.
pub(super) fn result(
    call: &ToolCall,
    value: &FunctionValue,
    options: &FunctionChoiceOptions,
    sources: &mut Sources,
) -> ToolResult {
    let before = sources.len();
    let mut numbered = value.to_json().into_owned();
    // First, so that no name becomes `Citation` afterwards.
    control_characters::clean(&mut numbered);
    if options.number_results {
        sources.number_results(&mut numbered);
    }
    let fitted = budget::fit(&numbered, options.max_result_characters);
    if let Some(cut) = &fitted.cut {
        sources.keep_told(before, cut);
    }
    ToolResult::new(&call.id, fitted.text)
}

/// The answer to a call that was made before, whose answer was `earlier`.
pub(super) fn repeated(call: &ToolCall, earlier: &str) -> ToolResult {
    let earlier = serde_json::from_str(earlier).unwrap_or_else(|_| Value::from(earlier));
    ToolResult::new(&call.id, json!({ "note": REPEATED, "result": earlier }).to_string())
}

/// The report of a failure.
pub(super) fn failure(call: &ToolCall, error: &CallError) -> ToolResult {
    let message = control_characters::clean_text(&error.message);
    let report = json!({ "error": error.kind.name(), "message": message });
    ToolResult::error(&call.id, report.to_string())
}

impl CallError {
    pub(super) fn new(kind: CallErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    /// The model asked for more calls in a round than there may be.
    pub(super) fn too_many(asked: usize, most: usize) -> Self {
        let message = format!(
            "{asked} calls at once: only the first {most} are run, ask again for the others"
        );
        Self::new(CallErrorKind::TooManyCalls, message)
    }

    /// The model called a function that it was not offered.
    pub(super) fn unknown_function(error: KernelError) -> Self {
        let message = error.to_string();
        Self { kind: CallErrorKind::UnknownFunction, message, source: Some(Arc::new(error)) }
    }

    /// What a model is told of `error`, which the function called `function` answered with: what it did wrong itself,
    /// and nothing of what went wrong inside.
    ///
    /// `is_own` says of a parameter whether its argument is the model's own, and not one that a filter set.
    pub(super) fn of(error: KernelError, function: &str, is_own: impl Fn(&str) -> bool) -> Self {
        // An error about another function is from within this one.
        let is_about_call = match &error {
            KernelError::InvalidArgument { function: of, parameter, .. } => {
                of == function && is_own(parameter)
            }
            KernelError::InvalidArguments { function: of, .. } => of == function,
            _ => false,
        };
        let (kind, message) = match &error {
            _ if is_about_call => (CallErrorKind::InvalidArguments, error.to_string()),
            KernelError::Refused { .. } => {
                (CallErrorKind::Refused, "the call was refused".to_owned())
            }
            _ if error.search_error().is_some_and(|error| error.kind().is_retryable()) => {
                (CallErrorKind::Failed, "the function failed, and may work later".to_owned())
            }
            _ => (CallErrorKind::Failed, "the function failed".to_owned()),
        };
        Self { kind, message, source: Some(Arc::new(error)) }
    }
}
