//! Tool messages.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use textsearch_core::chat::{ToolCall, ToolResult};

use super::{CallError, CallErrorKind, FunctionChoiceOptions, budget, control_characters};
use crate::{Kernel, KernelError, KernelFunction, citations::Sources, function::FunctionValue};

const REPEATED: &str = "You already made this call with the same arguments. It was not run again; this is its \
                        result.";

/// Numbered, without control characters, and within the length limit.
pub(super) fn result(
    call: &ToolCall,
    value: &FunctionValue,
    options: &FunctionChoiceOptions,
    sources: &mut Sources,
) -> ToolResult {
    let before = sources.len();
    // Clean first, so that no field's name becomes `Citation` afterwards.
    let mut numbered = cleaned(value);
    if options.number_results {
        sources.number_results(&mut numbered);
    }
    let fitted = budget::fit(&numbered, options.max_result_characters);
    if let Some(cut) = &fitted.cut {
        sources.keep_told(before, cut);
    }
    let mut result = ToolResult::new(&call.id, fitted.text);
    result.has_search_results = matches!(value, FunctionValue::Results(_));
    result
}

pub(super) fn cleaned(value: &FunctionValue) -> Value {
    let mut cleaned = value.to_json().into_owned();
    control_characters::clean(&mut cleaned);
    cleaned
}

/// Like [`CallError::from_error`]. A function filter may have set an argument, which the error could repeat:
/// then the model learns only what is wrong with its `own` arguments.
pub(super) fn call_error(
    kernel: &Kernel,
    function: &KernelFunction,
    own: Map<String, Value>,
    error: KernelError,
    is_own: impl Fn(Option<&str>) -> bool,
) -> CallError {
    let name = function.metadata().qualified_name();
    if kernel.function_filters().is_empty() {
        return CallError::from_error(error, &name, is_own);
    }
    let hidden = CallError::from_error(error, &name, |_| false);
    match function.prepare(own.into()) {
        Err(mistake) if hidden.kind == CallErrorKind::Failed => {
            CallError { source: hidden.source, ..CallError::from_error(mistake, &name, |_| true) }
        }
        _ => hidden,
    }
}

pub(super) fn repeated(call: &ToolCall, earlier: &ToolResult) -> ToolResult {
    let content = earlier.content.as_str();
    let content = serde_json::from_str(content).unwrap_or_else(|_| Value::from(content));
    let content = json!({ "note": REPEATED, "result": content }).to_string();
    let mut result = ToolResult::new(&call.id, content);
    result.has_search_results = earlier.has_search_results;
    result
}

pub(super) fn failure(call: &ToolCall, error: &CallError) -> ToolResult {
    ToolResult::error(&call.id, error.report().to_string())
}

impl CallError {
    pub(super) fn new(kind: CallErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    pub(super) fn too_many(asked: usize, max: usize) -> Self {
        let message = format!(
            "too many calls at once ({asked}): only the first {max} ran; request the others again"
        );
        Self::new(CallErrorKind::TooManyCalls, message)
    }

    pub(super) fn unknown_function(error: KernelError) -> Self {
        let message = error.to_string();
        Self { kind: CallErrorKind::UnknownFunction, message, source: Some(Arc::new(error)) }
    }

    /// Returns the report for the model: `{"error": kind, "message": text}`, without control
    /// characters.
    pub fn report(&self) -> Value {
        let message = control_characters::clean_text(&self.message);
        json!({ "error": self.kind.name(), "message": message })
    }

    /// Explains the model's own mistakes, and reveals nothing about internal failures.
    ///
    /// `is_own` returns whether the model, not a filter, set a parameter's argument, or, for `None`,
    /// all arguments: an error about all may repeat any.
    pub(super) fn from_error(
        error: KernelError,
        function: &str,
        is_own: impl Fn(Option<&str>) -> bool,
    ) -> Self {
        // An error about another function comes from within this one.
        let is_about_call = match &error {
            KernelError::InvalidArgument { function: about, parameter, .. } => {
                about == function && is_own(Some(parameter))
            }
            KernelError::InvalidArguments { function: about, .. } => {
                about == function && is_own(None)
            }
            _ => false,
        };
        let (kind, message) = match &error {
            _ if is_about_call => (CallErrorKind::InvalidArguments, error.to_string()),
            // A message from outside may repeat any argument.
            KernelError::Reported { function: about, message }
                if about == function && is_own(None) =>
            {
                (CallErrorKind::Failed, message.clone())
            }
            KernelError::Refused { .. } => {
                (CallErrorKind::Refused, "the call was refused; do not repeat it".to_owned())
            }
            _ if error.search_error().is_some_and(|error| error.kind().is_retryable()) => (
                CallErrorKind::Failed,
                "the function failed temporarily; you may try again".to_owned(),
            ),
            _ => (CallErrorKind::Failed, "the function failed".to_owned()),
        };
        Self { kind, message, source: Some(Arc::new(error)) }
    }
}
