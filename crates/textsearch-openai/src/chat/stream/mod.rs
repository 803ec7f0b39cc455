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

use super::{response::Completion, undecodable};
use crate::CONNECTOR;
use assembly::Assembly;

/// Maximum wait for the end of the body after a complete response.
const LONGEST_DRAIN: Duration = Duration::from_millis(100);

type Events = Pin<Box<dyn Stream<Item = Result<Sse, sse_stream::Error>> + Send>>;

/// Dropping the updates ends the request.
pub(super) fn updates(
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
        tools,
        assembly: Assembly::default(),
        ready: VecDeque::new(),
    };
    ChatStream::from_stream(stream::unfold(reader, Reader::next))
}

struct Reader {
    /// `None` after the end.
    events: Option<Events>,
    request: HttpRequest,
    tools: Vec<ToolDefinition>,
    assembly: Assembly,
    ready: VecDeque<ChatUpdate>,
}

impl Reader {
    async fn next(mut self) -> Option<(Result<ChatUpdate>, Self)> {
        loop {
            if let Some(update) = self.ready.pop_front() {
                return Some((Ok(update), self));
            }
            let event = self.events.as_mut()?.next().await;
            match self.take(event) {
                Ok(false) => {}
                Ok(true) => {
                    self.drain().await;
                    self.finish();
                }
                Err(error) => {
                    self.events = None;
                    return Some((Err(error), self));
                }
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
            "[DONE]" if self.assembly.has_begun() => Ok(true),
            "[DONE]" => Err(self.ended_early()),
            data => self.take_chunk(data).map(|()| false),
        }
    }

    fn take_chunk(&mut self, data: &str) -> Result<()> {
        let unreadable = |error| self.unreadable(&error);
        let chunk = Completion::read(data.as_bytes(), &self.request, unreadable)?;
        self.ready.extend(self.assembly.push(chunk));
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

    fn finish(&mut self) {
        self.events = None;
        let assembly = std::mem::take(&mut self.assembly);
        self.ready.extend(assembly.finish(&self.tools));
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
