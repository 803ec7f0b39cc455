//! The search calls behind an answer.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use serde::{Serialize, Serializer};
use serde_json::Value;
use textsearch_core::async_trait;
use textsearch_kernel::{
    Result,
    chat::{CallErrorKind, CallRecord},
    function::{FunctionInvocationContext, FunctionInvocationFilter, FunctionValue, Next},
    transform::QUERY_TRANSFORM,
};

use crate::{errors::one_line, messages, output::excerpt};

/// In characters.
const EXCERPT_LENGTH: usize = 300;

/// A call of the search, by the template or by the model.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Call {
    /// The round of the model's call, counted from 1; `None` for the template's.
    round: Option<usize>,
    name: String,
    /// A string if they aren't JSON.
    arguments: Value,
    #[serde(rename = "seconds", serialize_with = "as_seconds")]
    duration: Duration,
    /// `None` unless the call returned a list.
    results: Option<usize>,
    error: Option<String>,
    /// Whether the search never ran: the call was invalid or over a limit.
    #[serde(skip)]
    is_refused: bool,
    /// The queries that the model wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    query_transform: Option<Value>,
    /// Index of the earlier call whose result answered this one.
    repeats: Option<usize>,
}

impl Call {
    pub(crate) fn has_results(&self) -> bool {
        self.results.is_some_and(|results| results > 0)
    }

    pub(super) fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    pub(super) fn is_refused(&self) -> bool {
        self.is_refused
    }

    /// Prints the call and its outcome on standard error.
    pub(super) fn show(&self) {
        let caller = match self.round {
            Some(round) => format!("round {round}"),
            None => "template".to_owned(),
        };
        let arguments = excerpt(&self.arguments.to_string(), EXCERPT_LENGTH);
        let name = excerpt(&self.name, EXCERPT_LENGTH);
        messages::say(&format!("{caller}: {name} {arguments}: {}", self.outcome()));
    }

    fn outcome(&self) -> String {
        let duration = self.duration;
        if let Some(error) = &self.error {
            let error = excerpt(error, EXCERPT_LENGTH);
            return if self.is_refused {
                format!("refused: {error}")
            } else {
                format!("failed after {duration:.1?}: {error}")
            };
        }
        let results = match self.results {
            Some(1) => "1 result".to_owned(),
            Some(results) => format!("{results} results"),
            None => "done".to_owned(),
        };
        if self.repeats.is_some() {
            return format!("{results}, as before: not searched again");
        }
        format!("{results} in {duration:.1?}")
    }
}

impl From<&CallRecord> for Call {
    fn from(record: &CallRecord) -> Self {
        let arguments = record.call.arguments.as_str();
        let as_written = |_| Value::from(arguments);
        // The model got a shorter message; the user gets the real error.
        let failure = record.result.as_ref().err();
        let error = failure.map(|error| one_line(&anyhow::Error::new(error.clone())));
        Self {
            round: Some(record.round),
            name: record.call.name.clone(),
            arguments: serde_json::from_str(arguments).unwrap_or_else(as_written),
            duration: record.duration,
            results: record.result.as_ref().ok().and_then(count),
            error,
            is_refused: failure.is_some_and(|error| error.kind != CallErrorKind::Failed),
            query_transform: None,
            repeats: record.repeats,
        }
    }
}

/// Records the calls of a template.
#[derive(Clone, Default)]
pub(crate) struct TemplateCalls(Arc<Mutex<Vec<Call>>>);

impl TemplateCalls {
    pub(crate) fn take(&self) -> Vec<Call> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl FunctionInvocationFilter for TemplateCalls {
    async fn on_function_invocation(
        &self,
        context: &mut FunctionInvocationContext,
        next: Next<'_>,
    ) -> Result<()> {
        let started = Instant::now();
        let outcome = next.run(context).await;
        let values = context.arguments.iter();
        let call = Call {
            round: None,
            name: context.function.qualified_name(),
            arguments: values.map(|(name, value)| (name.to_owned(), value.clone())).collect(),
            duration: started.elapsed(),
            results: context.result.as_ref().and_then(count),
            error: outcome.as_ref().err().map(ToString::to_string),
            is_refused: false,
            query_transform: context.metadata.get(QUERY_TRANSFORM).cloned(),
            repeats: None,
        };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(call);
        outcome
    }
}

fn count(result: &FunctionValue) -> Option<usize> {
    result.to_json().as_array().map(Vec::len)
}

fn as_seconds<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(duration.as_secs_f64())
}
