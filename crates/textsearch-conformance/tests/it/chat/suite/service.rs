//! A chat service of a provider that speaks the core's own JSON.

use std::{
    fmt,
    sync::{Arc, Mutex},
    time::Duration,
};

use futures_util::{FutureExt as _, Stream, StreamExt as _, stream};
use serde_json::{Value, json};
use textsearch_conformance::{
    Endpoint, RecordedRequest, Response,
    core::{
        Error, ErrorKind, Result, async_trait,
        chat::{ChatCompletion, ChatHistory, ChatOptions, ChatResponse, ChatStream, ChatUpdate},
        http::{HttpClient, HttpRequest, Secret, Url},
    },
};

use super::{
    changes,
    fault::Fault,
    lines::{Line, Lines},
};
use crate::faults::nap;

#[derive(Clone)]
pub(super) struct PlainChat {
    client: HttpClient,
    url: Url,
    key: Secret,
    fault: Fault,
    last: Arc<Mutex<ChatHistory>>,
}

impl PlainChat {
    pub(super) fn new(endpoint: &Endpoint, fault: Fault) -> Self {
        let client = endpoint.http_client("plain");
        let url = endpoint.url().clone();
        let key = Secret::from(endpoint.key());
        Self { client, url, key, fault, last: Arc::default() }
    }

    fn has(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    async fn request(
        &self,
        history: &ChatHistory,
        options: &ChatOptions,
        is_stream: bool,
    ) -> Result<HttpRequest> {
        let mut history = changes::history(self.fault, history);
        let options = changes::options(self.fault, options)?;
        if self.has(Fault::SharesItsQuestion) {
            *self.last.lock().unwrap() = history;
            tokio::task::yield_now().await;
            history = self.last.lock().unwrap().clone();
        }
        if self.has(Fault::LogsItsKey) {
            tracing::debug!("the key is {}", Endpoint::KEY);
        }
        let model = options.model.as_deref().unwrap_or("plain-1");
        let body =
            json!({ "model": model, "messages": history, "options": options, "stream": is_stream });
        Ok(HttpRequest::post(self.url.clone()).with_bearer(&self.key).with_json(&body))
    }

    fn error(&self, error: Error) -> Error {
        let as_kind = |kind| Error::new(kind, "plain", error.message());
        match (self.fault, error.kind()) {
            (Fault::ReportsStatusesAsBackend, _) => as_kind(ErrorKind::Backend),
            (Fault::ForgetsRetryAfter, kind) => as_kind(kind.clone()),
            (Fault::ReportsSilenceAsUnavailable, ErrorKind::Timeout)
            | (Fault::ReportsUnreadableAsUnavailable, ErrorKind::Undecodable) => {
                as_kind(ErrorKind::Unavailable)
            }
            (Fault::RepeatsErrors, kind) => {
                let message = format!("the key {} is wrong", Endpoint::KEY);
                Error::new(kind.clone(), "plain", message)
            }
            _ => error,
        }
    }

    async fn ask(self, history: ChatHistory, options: ChatOptions) -> Result<ChatResponse> {
        let request = self.request(&history, &options, false).await?;
        match self.client.send_json::<ChatResponse>(request).await {
            Ok(answer) => changes::response(self.fault, answer.body),
            Err(error)
                if self.has(Fault::TakesAnythingForAnAnswer)
                    && *error.kind() == ErrorKind::Undecodable =>
            {
                Ok(ChatResponse::default())
            }
            Err(error) => Err(self.error(error)),
        }
    }
}

#[async_trait]
impl ChatCompletion for PlainChat {
    fn name(&self) -> &str {
        "plain"
    }

    fn model_id(&self) -> &str {
        "plain-1"
    }

    async fn complete(&self, history: &ChatHistory, options: &ChatOptions) -> Result<ChatResponse> {
        if self.has(Fault::SleepsInComplete) {
            std::thread::sleep(Duration::from_millis(30));
        }
        let asked = self.clone().ask(history.clone(), options.clone());
        match self.fault {
            Fault::AnswersInTheBackground => tokio::spawn(asked).await.unwrap(),
            _ => asked.await,
        }
    }

    async fn stream(&self, history: &ChatHistory, options: &ChatOptions) -> Result<ChatStream> {
        if self.has(Fault::NapsInStream) {
            nap();
        }
        let request = self.request(history, options, true).await?;
        match self.client.open(request).await {
            Ok(answer) => {
                let lines = stream::unfold(Lines::new(answer.body, self.fault), Lines::next);
                Ok(match self.fault {
                    Fault::StreamsInTheBackground => in_background(lines),
                    _ => ChatStream::from_stream(lines),
                })
            }
            Err(error) if self.has(Fault::StreamsStatusesAsItems) => {
                Ok(ChatStream::from_stream(stream::iter([Err(error)])))
            }
            Err(error) => Err(self.error(error)),
        }
    }
}

/// Reads the stream to its end, although nobody listens.
fn in_background(updates: impl Stream<Item = Result<ChatUpdate>> + Send + 'static) -> ChatStream {
    let (sender, receiver) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(updates.for_each(move |update| {
        let _ = sender.send(update);
        std::future::ready(())
    }));
    ChatStream::from_stream(stream::unfold(receiver, async |mut receiver| {
        receiver.recv().await.map(|update| (update, receiver))
    }))
}

impl fmt::Debug for PlainChat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = if self.has(Fault::PrintsItsKey) { Endpoint::KEY } else { "hidden" };
        formatter.debug_struct("PlainChat").field("key", &key).finish_non_exhaustive()
    }
}

/// Answers as the provider would.
pub(super) fn answer(request: &RecordedRequest, response: &ChatResponse) -> Response {
    let expected = format!("Bearer {}", Endpoint::KEY);
    assert_eq!(request.header("authorization"), Some(expected.as_str()));
    if request.json().get("stream") != Some(&Value::Bool(true)) {
        return Response::json(response);
    }
    let mut lines: Vec<Line> = Vec::new();
    for update in updates(response) {
        match update {
            ChatUpdate::Text(text) => lines.extend(pieces(&text).map(Line::Text)),
            ChatUpdate::Refusal(text) => lines.extend(pieces(&text).map(Line::Refusal)),
            ChatUpdate::ToolCall(call) => lines.push(Line::Call(call)),
            ChatUpdate::Finished(response) => lines.push(Line::End(response)),
            other => unreachable!("the provider has no {other:?}"),
        }
    }
    let lines = lines.iter().map(|line| serde_json::to_string(line).unwrap() + "\n");
    Response::new(200, "application/jsonl", lines.collect::<String>())
}

fn updates(response: &ChatResponse) -> Vec<ChatUpdate> {
    let updates = ChatStream::from(response.clone()).map(Result::unwrap).collect();
    updates.now_or_never().unwrap()
}

fn pieces(text: &str) -> impl Iterator<Item = String> {
    let characters: Vec<char> = text.chars().collect();
    let pieces: Vec<String> = characters.chunks(20).map(String::from_iter).collect();
    pieces.into_iter()
}
