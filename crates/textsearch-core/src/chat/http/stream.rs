//! Combines server-sent events into updates and, at the end, the whole answer.

use std::{collections::VecDeque, pin::Pin, time::Duration};

use futures_util::{Stream, StreamExt, stream};
use sse_stream::{Sse, SseByteStream};
use tokio::time::timeout;

use crate::{
    Error, ErrorKind, Result,
    chat::{ChatResponse, ChatStream, ChatUpdate},
    http::{HttpBody, HttpRequest, HttpResponse},
};

/// Maximum wait for the end of the body after a complete answer.
const LONGEST_DRAIN: Duration = Duration::from_millis(100);

/// An event is read as a whole before its lists are counted. The longest repeats the answer.
const MAX_EVENT_BYTES: usize = 8 * 1024 * 1024;

type Events = Pin<Box<dyn Stream<Item = Result<Sse, sse_stream::Error>> + Send>>;

/// Assembles an answer from the events of one protocol.
pub trait Assembly: Default + Send + 'static {
    /// The name for errors.
    const CONNECTOR: &'static str;

    /// What an event says.
    type Event;

    /// Reads an event.
    ///
    /// # Errors
    /// The error in the event, or [`Undecodable`](ErrorKind::Undecodable).
    fn read(event: &[u8], request: &HttpRequest) -> Result<Self::Event>;

    /// Returns the updates of an event.
    ///
    /// # Errors
    /// What is wrong with the answer, such as its size.
    fn push(&mut self, event: Self::Event) -> Result<Vec<ChatUpdate>, String>;

    /// Returns whether the answer would be complete if the stream ended now.
    fn is_complete(&self) -> bool;

    /// Returns whether no event may follow.
    fn is_over(&self) -> bool {
        false
    }

    /// Returns whether `[DONE]` may follow.
    fn takes_done(&self) -> bool {
        self.is_complete()
    }

    /// Returns the remaining updates, with the answer.
    ///
    /// # Errors
    /// What is wrong with the answer.
    fn finish(self) -> Result<Vec<ChatUpdate>, String>;
}

/// Reads an answer to a streaming request, whose events `assembly` takes. `whole` reads a body of JSON:
/// some servers never stream, or send an error with a success status. Dropping the stream ends the
/// request.
///
/// # Errors
/// The error of `whole`. A stream that breaks, ends early or has an error yields an error.
pub async fn read_stream<A: Assembly>(
    answer: HttpResponse<HttpBody>,
    request: HttpRequest,
    assembly: A,
    whole: impl FnOnce(&[u8]) -> Result<ChatResponse>,
) -> Result<ChatStream> {
    if answer.content_type().as_deref() == Some("application/json") {
        return whole(&read_all(answer.body).await?).map(ChatStream::from);
    }
    let bytes = stream::unfold(answer.body, |mut body| async move {
        let piece = body.chunk().await.transpose()?;
        Some((piece, body))
    });
    let events: Events = Box::pin(SseByteStream::new(bytes));
    let reader = Reader { events: Some(events), request, assembly, ready: VecDeque::new() };
    Ok(ChatStream::from_stream(stream::unfold(reader, Reader::next)))
}

async fn read_all(mut body: HttpBody) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(piece) = body.chunk().await? {
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
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

    /// Returns whether the answer is complete.
    fn take(&mut self, event: Option<Result<Sse, sse_stream::Error>>) -> Result<bool> {
        let event = match event {
            Some(Ok(event)) => event,
            // Nothing that is missing belongs to a complete answer.
            None | Some(Err(_)) if self.assembly.is_complete() => return Ok(true),
            Some(Err(error)) => return Err(self.broken(error)),
            None => return Err(self.ended_early()),
        };
        let data = event.data.unwrap_or_default();
        match data.trim() {
            "" => Ok(false),
            "[DONE]" if self.assembly.takes_done() => Ok(true),
            "[DONE]" => Err(self.ended_early()),
            data => self.take_event(data),
        }
    }

    fn take_event(&mut self, data: &str) -> Result<bool> {
        if data.len() > MAX_EVENT_BYTES {
            return Err(
                self.undecodable(&format!("an event has more than {MAX_EVENT_BYTES} bytes"))
            );
        }
        let event = A::read(data.as_bytes(), &self.request)?;
        let updates = self.assembly.push(event);
        self.ready.extend(updates.map_err(|problem| self.undecodable(&problem))?);
        if self.assembly.is_over() && !self.assembly.is_complete() {
            return Err(self.ended_early());
        }
        Ok(self.assembly.is_over())
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
        let updates = std::mem::take(&mut self.assembly).finish();
        self.ready.extend(updates.map_err(|problem| self.undecodable(&problem))?);
        Ok(())
    }

    fn ended_early(&self) -> Error {
        let message = "the stream ended before the answer was complete";
        self.request.error(A::CONNECTOR, ErrorKind::Unavailable, message)
    }

    fn broken(&self, error: sse_stream::Error) -> Error {
        match error {
            sse_stream::Error::Body(error) => match error.downcast::<Error>() {
                Ok(error) => *error,
                Err(_) => self.ended_early(),
            },
            error => self.undecodable(&error.to_string()),
        }
    }

    fn undecodable(&self, problem: &str) -> Error {
        let message = format!("the answer cannot be read: {problem}");
        self.request.error(A::CONNECTOR, ErrorKind::Undecodable, &message)
    }
}
