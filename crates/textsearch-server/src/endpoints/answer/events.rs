//! The events of an answer.

use std::{collections::BTreeMap, convert::Infallible, sync::Arc, time::Duration};

use axum::response::sse::Event;
use futures_util::{Stream, StreamExt as _, stream};
use serde::{Deserialize, Serialize};
use textsearch_core::chat::ChatMessage;
use textsearch_kernel::{
    KernelError,
    chat::{ChatEvent, ChatEvents, ChatOutcome},
    citations::{Sources, check_message},
};
use tokio::{
    sync::mpsc,
    time::{Instant, timeout_at},
};
use utoipa::ToSchema;

use crate::{
    calls::{Call, CitedSource, Recorded, cited_with_texts},
    capacity::Permit,
    problem::{Kind, Problem},
    shared::Shared,
};

/// Beyond these, the model waits for the client.
const UNREAD_EVENTS: usize = 16;

/// How long the last event waits for the client.
const PATIENCE: Duration = Duration::from_secs(1);

/// The data of an event, by the event's name.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum AnswerEvent {
    /// `queries`: the question was rewritten. Before the `call` that searches.
    Queries(Queries),
    /// `call`: a search is finished.
    Call(Call),
    /// `text`: more text of the answer.
    Text(Piece),
    /// `refusal`: more text of a refusal, which replaces the answer.
    Refusal(Piece),
    /// `done`: the answer is complete. The last event.
    Done(Box<Done>),
    /// `error`: the answer failed. The last event.
    Error(Problem),
}

/// The queries that the server searched for.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub(crate) struct Queries {
    /// The kind of rewriting, such as `standalone`.
    transform: String,
    /// The queries, with the results of all of them fused.
    queries: Vec<SearchedQuery>,
    /// The number of queries that were not searched for, by reason, such as `too_many`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    dropped: BTreeMap<String, usize>,
    /// Why the server searched for the question as it is, such as `timeout`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fallback: Option<String>,
}

/// A query.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
struct SearchedQuery {
    /// The text that was searched for.
    text: String,
    /// The weight of its results, if there are several queries.
    weight: f64,
    /// The part of the question that its results answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    part: Option<String>,
}

/// More text.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Piece {
    /// What follows the texts before.
    text: String,
}

/// A complete answer.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Done {
    /// The answer; null if the model wrote none, refused or called a function instead, or its text was
    /// cut off or filtered.
    answer: Option<String>,
    /// The model's last text, complete or not.
    text: String,
    /// Why the text ended, such as `stop` or `length`.
    finish_reason: String,
    /// Why the run ended: `answered`; `rounds_exhausted` or `budget_spent`, after a last request
    /// without functions; `unoffered_calls` if the model called functions although none were offered.
    end: &'static str,
    /// The model, if it named itself.
    model: Option<String>,
    /// The number of requests to the model.
    rounds: usize,
    /// The results that the model read.
    sources: Vec<CitedSource>,
    /// The citations written in the text and those that the provider returned separately, in order.
    citations: Vec<CheckedCitation>,
    /// The cost of all requests for the answer.
    usage: TokenUsage,
}

/// A citation in an answer.
#[derive(Debug, Serialize, ToSchema)]
struct CheckedCitation {
    /// Such as `link` or `number`; `model` if the provider returned it separately.
    kind: &'static str,
    /// The link or the number as written, or the provider's name of the source.
    target: String,
    /// The bytes of the text: start and exclusive end. Those of a `model` citation are the passage
    /// that it supports.
    range: [usize; 2],
    /// The number of the cited source; null if the model did not read it.
    source: Option<usize>,
}

/// The cost in tokens.
#[derive(Debug, Serialize, ToSchema)]
struct TokenUsage {
    /// The tokens that the model read.
    input_tokens: u64,
    /// The tokens that the model wrote.
    output_tokens: u64,
}

/// Runs the chat in a task, which ends with the stream: at its last event, when a client that
/// disconnects drops it, or at the time limit even if the client stopped reading.
pub(super) fn stream(
    events: ChatEvents,
    recorded: Recorded,
    shared: Arc<Shared>,
    permit: Permit,
) -> impl Stream<Item = Result<Event, Infallible>> + Send {
    let Recorded { calls, sources, queries, .. } = recorded;
    let queries: Option<Queries> = queries.and_then(|report| Queries::deserialize(report).ok());
    calls.iter().for_each(|_| shared.metrics.count_call());
    let deadline = Instant::now() + shared.config.answer_timeout;
    let (sender, receiver) = mpsc::channel(UNREAD_EVENTS);
    tokio::spawn(async move {
        let _permit = permit;
        let mut run = Run { events: Some(events), sources, deadline, shared };
        let send = async {
            while let Some(event) = run.next().await {
                if sender.send(event).await.is_err() {
                    break;
                }
            }
        };
        tokio::select! {
            () = sender.closed() => {}
            _ = timeout_at(deadline + PATIENCE, send) => {}
        }
    });
    let rest = stream::unfold(receiver, |mut receiver| async move {
        receiver.recv().await.map(|event| (event, receiver))
    });
    let queries = queries.into_iter().map(AnswerEvent::Queries);
    let first = queries.chain(calls.into_iter().map(AnswerEvent::Call));
    stream::iter(first).chain(rest).map(|event| Ok(event.into_event()))
}

struct Run {
    /// `None` after the last event.
    events: Option<ChatEvents>,
    /// The results that the template read. The outcome holds the results of the model's calls.
    sources: Sources,
    deadline: Instant,
    shared: Arc<Shared>,
}

impl Run {
    async fn next(&mut self) -> Option<AnswerEvent> {
        loop {
            let events = self.events.as_mut()?;
            let Ok(event) = timeout_at(self.deadline, events.next()).await else {
                let problem = Problem::new(Kind::Timeout, "the answer took too long");
                return self.end(AnswerEvent::Error(problem));
            };
            match event? {
                Ok(ChatEvent::Text(text)) => return Some(AnswerEvent::Text(Piece { text })),
                Ok(ChatEvent::Refusal(text)) => {
                    return Some(AnswerEvent::Refusal(Piece { text }));
                }
                Ok(ChatEvent::CallFinished(record)) => {
                    self.shared.metrics.count_call();
                    return Some(AnswerEvent::Call(Call::from(&*record)));
                }
                Ok(ChatEvent::Finished(outcome)) => {
                    let done = self.done(&outcome);
                    return self.end(AnswerEvent::Done(Box::new(done)));
                }
                Ok(_) => {}
                Err(error) => return self.fail(error),
            }
        }
    }

    fn fail(&mut self, error: KernelError) -> Option<AnswerEvent> {
        self.end(AnswerEvent::Error(error.into()))
    }

    fn end(&mut self, event: AnswerEvent) -> Option<AnswerEvent> {
        self.events = None;
        Some(event)
    }

    fn done(&self, outcome: &ChatOutcome) -> Done {
        let text = outcome.message.text();
        let sources =
            if outcome.run.sources.is_empty() { &self.sources } else { &outcome.run.sources };
        Done {
            answer: outcome.answer().ok().filter(|answer| !answer.trim().is_empty()),
            finish_reason: outcome.finish_reason.name().to_owned(),
            end: outcome.end.name(),
            model: outcome.model.clone(),
            rounds: outcome.run.rounds,
            sources: cited_with_texts(sources),
            citations: citations(&outcome.message, sources),
            usage: TokenUsage {
                input_tokens: outcome.run.usage.input_tokens,
                output_tokens: outcome.run.usage.output_tokens,
            },
            text,
        }
    }
}

impl AnswerEvent {
    const fn name(&self) -> &'static str {
        match self {
            Self::Queries(_) => "queries",
            Self::Call(_) => "call",
            Self::Text(_) => "text",
            Self::Refusal(_) => "refusal",
            Self::Done(_) => "done",
            Self::Error(_) => "error",
        }
    }

    fn into_event(self) -> Event {
        // Compact JSON contains no line break, which would end the data.
        let data = serde_json::to_string(&self).unwrap_or_default();
        Event::default().event(self.name()).data(data)
    }
}

fn citations(message: &ChatMessage, sources: &Sources) -> Vec<CheckedCitation> {
    let citations = check_message(message, sources).into_iter();
    let checked = citations.map(|citation| CheckedCitation {
        kind: citation.kind.name(),
        range: [citation.range.start, citation.range.end],
        source: citation.source,
        target: citation.target,
    });
    checked.collect()
}
