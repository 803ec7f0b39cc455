//! Checks requests by the API's schema, and by rules that no schema can express.

mod conversation;

use std::fmt;

use jsonschema::{ValidationError, Validator, error::ValidationErrorKind};
use serde_json::Value;

use super::{ModelRequest, failure::Failure, request::Operation};

const CHAT: &str = include_str!("../schema/chat_completions.json");
const EMBEDDINGS: &str = include_str!("../schema/embeddings.json");

/// A part of a request that the API would reject.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// The request's index in [`requests`](super::ScriptedModel::requests).
    pub request: usize,
    /// The path in the body, such as `messages[1].tool_call_id`; empty for the body.
    pub place: String,
    /// A description of the violation.
    pub message: String,
}

impl Violation {
    pub(super) fn new(request: usize, place: String, message: String) -> Self {
        Self { request, place, message }
    }

    pub(super) fn failure(&self) -> Failure {
        let at = if self.place.is_empty() { String::new() } else { format!("'{}': ", self.place) };
        Failure::invalid_request(&self.place, &format!("{at}{}", self.message))
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.place.is_empty() { "body" } else { &self.place };
        write!(formatter, "request {}, {place}: {}", self.request, self.message)
    }
}

#[derive(Debug)]
pub(super) struct Checker {
    chat: Validator,
    embeddings: Validator,
}

impl Checker {
    /// Accepts these top-level fields of other providers.
    pub(super) fn new(extra_fields: &[String]) -> Self {
        Self { chat: compiled(CHAT, extra_fields), embeddings: compiled(EMBEDDINGS, extra_fields) }
    }

    /// If the path names the model, the body need not.
    pub(super) fn check(
        &self,
        operation: Operation,
        request: &ModelRequest,
        number: usize,
        needs_model: bool,
    ) -> Vec<Violation> {
        let body = with_model(&request.body, needs_model);
        match operation {
            Operation::Embeddings => errors(&self.embeddings, &body, number),
            Operation::Chat => {
                let violations = errors(&self.chat, &body, number);
                let is_readable = violations.is_empty();
                if is_readable {
                    conversation::check(request.messages(), number)
                } else {
                    violations
                }
            }
        }
    }
}

fn with_model(body: &Value, needs_model: bool) -> Value {
    let mut body = body.clone();
    if let Some(fields) = body.as_object_mut().filter(|_| !needs_model) {
        fields.entry("model").or_insert_with(|| Value::from("deployment"));
    }
    body
}

fn compiled(schema: &str, extra_fields: &[String]) -> Validator {
    let mut schema: Value = serde_json::from_str(schema).expect("the schema is JSON");
    if let Some(known) = schema.pointer_mut("/properties").and_then(Value::as_object_mut) {
        known.extend(extra_fields.iter().map(|name| (name.clone(), Value::Bool(true))));
    }
    jsonschema::validator_for(&schema).expect("the schema is a JSON schema")
}

fn errors(validator: &Validator, body: &Value, number: usize) -> Vec<Violation> {
    let mut violations: Vec<Violation> =
        validator.iter_errors(body).flat_map(|error| violations_of(&error, number)).collect();
    // Two branches of the schema may report one violation.
    violations.dedup();
    violations
}

fn violations_of(error: &ValidationError<'_>, request: usize) -> Vec<Violation> {
    let place = path(error.instance_path().as_str());
    let violation = |place: &str, message: String| {
        Violation::new(request, place.trim_start_matches('.').to_owned(), message)
    };
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            let unknown = unexpected.iter().map(|name| {
                violation(&format!("{place}.{name}"), format!("Unknown parameter: `{name}`"))
            });
            unknown.collect()
        }
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            vec![violation(&place, format!("Missing required parameter: `{name}`"))]
        }
        _ => vec![violation(&place, error.to_string())],
    }
}

/// Writes a JSON pointer as OpenAI does: `.messages[1].content`.
fn path(pointer: &str) -> String {
    let steps = pointer.split('/').skip(1).map(|step| match step.parse::<usize>() {
        Ok(index) => format!("[{index}]"),
        Err(_) => format!(".{}", step.replace("~1", "/").replace("~0", "~")),
    });
    steps.collect()
}
