//! Combines server-sent events into updates and, at the end, the whole response.

mod assembly;
mod calls;

use std::{collections::VecDeque, pin::Pin, time::Duration};

use futures_util::{Stream, StreamExt, stream};
use sse_stream::{Sse, SseByteStream};
use textsearch_core::{
    Error, ErrorKind, Result,
    chat::{ChatStream, ChatUpdate, ToolDefinition},
    http::{HttpBody, HttpRequest},
};
use tokio::time::timeout;

use super::response::Answer;
use crate::{CONNECTOR, failure::undecodable};
pub(super) use assembly::CompletionAssembly;

/// Maximum wait for the end of the body after a complete response.
const LONGEST_DRAIN: Duration = Duration::from_millis(100);

type Events = Pin<Box<dyn Stream<Item = Result<Sse, sse_stream::Error>> + Send>>;

/// Assembles a response from the events of one protocol.
pub(super) trait Assembly: Default + Send + 'static {
    type Event: Answer;

    fn new(tools: Vec<ToolDefinition>) -> Self;

    /// Returns the updates of an event.
    fn push(&mut self, event: Self::Event) -> Vec<ChatUpdate>;

    fn check_size(&self) -> Result<(), String>;

    /// Returns whether the response would be complete if the stream ended now.
    fn is_complete(&self) -> bool;

    /// Returns whether no event may follow.
    fn is_over(&self) -> bool {
        false
    }

    /// Returns whether `[DONE]` may follow.
    fn takes_done(&self) -> bool;

    /// Returns the remaining updates, or what is wrong with the response.
    fn finish(self) -> Result<Vec<ChatUpdate>, String>;
}

/// Dropping the updates ends the request.
pub(super) fn updates<A: Assembly>(
    body: HttpBody,
    request: HttpRequest,
    tools: Vec<ToolDefinition>,
) -> ChatStream {
    let bytes = stream::unfold(body, |mut body| async move {
        let piece = body.chunk().await.transpose()?;
        Some((piece, body))
    });
    let reader = Reader {
        events: Some(Box::pin(SseByteStream::new(bytes))),
        request,
        assembly: A::new(tools),
        ready: VecDeque::new(),
    };
    ChatStream::from_stream(stream::unfold(reader, Reader::next))
}

struct Reader<A> {
    /// `None` after the end.
    events: Option<Events>,
    request: HttpRequest,
    assembly: A,
    ready: VecDeque<ChatUpdate>,
}

impl<A: Assembly> Reader<A> {
    async fn next(mut self) -> Option<(Result<ChatUpdate>, Self)> {
        loop {
            if let Some(update) = self.ready.pop_front() {
                return Some((Ok(update), self));
            }
            let event = self.events.as_mut()?.next().await;
            let finished = match self.take(event) {
                Ok(false) => Ok(()),
                Ok(true) => {
                    self.drain().await;
                    self.finish()
                }
                Err(error) => Err(error),
            };
            if let Err(error) = finished {
                self.events = None;
                return Some((Err(error), self));
            }
        }
    }

    /// Returns whether the response is complete.
    fn take(&mut self, event: Option<Result<Sse, sse_stream::Error>>) -> Result<bool> {
        let event = match event {
            Some(Ok(event)) => event,
            // Nothing that is missing belongs to a complete response.
            None | Some(Err(_)) if self.assembly.is_complete() => return Ok(true),
            Some(Err(error)) => return Err(self.broken(error)),
            None => return Err(self.ended_early()),
        };
        let data = event.data.unwrap_or_default();
        match data.trim() {
            "" => Ok(false),
            "[DONE]" if self.assembly.takes_done() => Ok(true),
            "[DONE]" => Err(self.ended_early()),
            data => self.take_event(data).map(|()| self.assembly.is_over()),
        }
    }

    fn take_event(&mut self, data: &str) -> Result<()> {
        let unreadable = |error| self.unreadable(&error);
        let event = A::Event::read(data.as_bytes(), &self.request, unreadable)?;
        self.ready.extend(self.assembly.push(event));
        self.assembly.check_size().map_err(|problem| undecodable(&self.request, &problem))
    }

    /// The connection can be reused only after the end of the body. Most servers end it at once.
    async fn drain(&mut self) {
        if let Some(events) = &mut self.events {
            let end = async { while let Some(Ok(_)) = events.next().await {} };
            // If the end doesn't arrive, the connection isn't worth waiting for.
            let _ = timeout(LONGEST_DRAIN, end).await;
        }
    }

    fn finish(&mut self) -> Result<()> {
        self.events = None;
        let assembly = std::mem::take(&mut self.assembly);
        let updates = assembly.finish();
        self.ready.extend(updates.map_err(|problem| undecodable(&self.request, &problem))?);
        Ok(())
    }

    fn unreadable(&self, error: &serde_json::Error) -> Error {
        undecodable(&self.request, &format!("an event of the stream is not as expected: {error}"))
    }

    fn ended_early(&self) -> Error {
        let message = "the stream ended before the answer was complete";
        self.request.error(CONNECTOR, ErrorKind::Unavailable, message)
    }

    fn broken(&self, error: sse_stream::Error) -> Error {
        match error {
            sse_stream::Error::Body(error) => match error.downcast::<Error>() {
                Ok(error) => *error,
                Err(_) => self.ended_early(),
            },
            error => undecodable(&self.request, &error),
        }
    }
}
