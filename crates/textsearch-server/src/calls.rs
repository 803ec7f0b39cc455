//! The calls of a prompt and their results.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use serde::Serialize;
use serde_json::{Map, Value};
use textsearch_kernel::{
    KernelError,
    chat::CallRecord,
    citations::Sources,
    function::{FunctionInvocationContext, FunctionInvocationFilter, FunctionValue, Next},
    transform::QUERY_TRANSFORM,
};
use utoipa::ToSchema;

/// Of a source in an answer.
const MAX_TEXT_CHARACTERS: usize = 8_000;

/// A call of a function, by a template or a model.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct Call {
    /// The function, as `Plugin-Function`.
    function: String,
    /// The arguments.
    arguments: Map<String, Value>,
    /// The number of results, if the function returned a list.
    results: Option<usize>,
    /// The duration in milliseconds.
    milliseconds: f64,
    /// Why the call has no result: the name of an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'static str>,
    /// The round of a model's call, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    round: Option<usize>,
}

/// A source that a prompt or an answer may cite.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct CitedSource {
    /// The number, from 1.
    number: usize,
    /// The result's id, by which `/v1/documents/{id}` reads its document.
    id: Option<String>,
    /// The title.
    name: Option<String>,
    /// The link to the source.
    link: Option<String>,
    /// The retrieved texts, together at most 8,000 characters; only in answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// Records the calls of one request, and refuses those above a limit.
#[derive(Clone)]
pub(crate) struct Recorder {
    recorded: Arc<Mutex<Recorded>>,
    max: usize,
}

#[derive(Default)]
pub(crate) struct Recorded {
    pub(crate) calls: Vec<Call>,
    pub(crate) sources: Sources,
    /// The report of the last transformed question.
    pub(crate) queries: Option<Value>,
    pub(crate) over_limit: bool,
    started: usize,
}

impl Recorder {
    pub(crate) fn new(max: usize) -> Self {
        Self { recorded: Arc::default(), max }
    }

    pub(crate) fn take(&self) -> Recorded {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Recorded> {
        self.recorded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn may_start(&self) -> bool {
        let mut recorded = self.lock();
        recorded.started += 1;
        recorded.over_limit |= recorded.started > self.max;
        !recorded.over_limit
    }
}

#[async_trait]
impl FunctionInvocationFilter for Recorder {
    async fn on_function_invocation(
        &self,
        context: &mut FunctionInvocationContext,
        next: Next<'_>,
    ) -> textsearch_kernel::Result<()> {
        let function = context.function.qualified_name();
        if !self.may_start() {
            return Err(KernelError::refused(function, "the request may call no more functions"));
        }
        let begun = Instant::now();
        let ran = next.run(context).await;
        let declared = |name: &str| context.function.parameter(name).is_some();
        let arguments = context.arguments.iter().filter(|(name, _)| declared(name));
        let call = Call {
            function,
            arguments: arguments.map(|(name, value)| (name.to_owned(), value.clone())).collect(),
            results: context.result.as_ref().and_then(count),
            milliseconds: milliseconds(begun.elapsed()),
            error: ran.as_ref().err().map(KernelError::name),
            round: None,
        };
        let mut recorded = self.lock();
        recorded.calls.push(call);
        recorded.queries =
            context.metadata.get(QUERY_TRANSFORM).cloned().or(recorded.queries.take());
        if let Some(records) = context.result.as_ref().and_then(FunctionValue::records) {
            for result in records.clone().into_results() {
                recorded.sources.add(&result);
            }
        }
        ran
    }
}

impl From<&CallRecord> for Call {
    fn from(record: &CallRecord) -> Self {
        Self {
            function: record.call.name.clone(),
            arguments: record.arguments.clone(),
            results: record.result.as_ref().ok().and_then(count),
            milliseconds: milliseconds(record.duration),
            error: record.result.as_ref().err().map(|error| error.kind.name()),
            round: Some(record.round),
        }
    }
}

pub(crate) fn cited(sources: &Sources) -> Vec<CitedSource> {
    let sources = sources.iter().map(|source| CitedSource {
        number: source.number,
        id: source.id.clone(),
        name: source.name.clone(),
        link: source.link.clone(),
        text: None,
    });
    sources.collect()
}

/// Like [`cited`], with the texts.
pub(crate) fn cited_with_texts(sources: &Sources) -> Vec<CitedSource> {
    let texts = sources.iter().map(|source| source.text.as_deref().map(beginning));
    cited(sources)
        .into_iter()
        .zip(texts)
        .map(|(source, text)| CitedSource { text, ..source })
        .collect()
}

fn beginning(text: &str) -> String {
    text.chars().take(MAX_TEXT_CHARACTERS).collect()
}

fn count(value: &FunctionValue) -> Option<usize> {
    match value {
        FunctionValue::Json(Value::Array(items)) => Some(items.len()),
        other => other.records().map(|records| records.records().len()),
    }
}

fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}
