//! Combines [server-sent events](https://docs.anthropic.com/en/docs/build-with-claude/streaming) into
//! updates and, at the end, the whole response.

use std::{collections::VecDeque, pin::Pin, time::Duration};

use futures_util::{Stream, StreamExt, stream};
use serde::Deserialize;
use sse_stream::{Sse, SseByteStream};
use textsearch_core::{
    Error, ErrorKind, Result,
    chat::{ChatStream, ChatUpdate},
    http::{HttpBody, HttpRequest, read_json},
};
use tokio::time::timeout;

use crate::{
    CONNECTOR,
    answer::{Assembly, Block, End, Message},
    failure::{Failure, undecodable},
};

/// Maximum wait for the end of the body after a complete response.
const LONGEST_DRAIN: Duration = Duration::from_millis(100);

type Events = Pin<Box<dyn Stream<Item = Result<Sse, sse_stream::Error>> + Send>>;

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Event {
    MessageStart {
        message: Message,
    },
    ContentBlockStart {
        index: usize,
        content_block: Block,
    },
    ContentBlockDelta {
        index: usize,
        delta: Block,
    },
    ContentBlockStop {
        index: usize,
    },
    MessageDelta {
        delta: End,
        /// The usage.
        #[serde(flatten)]
        more: End,
    },
    MessageStop,
    Error {
        error: Failure,
    },
    /// `ping`, and what the provider adds.
    #[serde(other)]
    Other,
}

/// Dropping the updates ends the request.
pub(crate) fn updates(body: HttpBody, request: HttpRequest) -> ChatStream {
    let bytes = stream::unfold(body, |mut body| async move {
        let piece = body.chunk().await.transpose()?;
        Some((piece, body))
    });
    let reader = Reader {
        events: Some(Box::pin(SseByteStream::new(bytes))),
        request,
        assembly: Assembly::default(),
        ready: VecDeque::new(),
    };
    ChatStream::from_stream(stream::unfold(reader, Reader::next))
}

struct Reader {
    /// `None` after the end.
    events: Option<Events>,
    request: HttpRequest,
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
                Ok(is_end) => {
                    if is_end {
                        self.finish().await;
                    }
                    self.ready.extend(self.assembly.updates.drain(..));
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
        // Proxies before other services may end a stream like these.
        if matches!(data.trim(), "" | "[DONE]") {
            return Ok(false);
        }
        let unreadable = |problem: &dyn std::fmt::Display| {
            let message = format!("an event of the stream is not as expected: {problem}");
            undecodable(&self.request, &message)
        };
        let event: Event = read_json(data.as_bytes()).map_err(|error| unreadable(&error))?;
        let assembly = &mut self.assembly;
        let taken = match event {
            Event::MessageStart { message } => {
                assembly.begin(message);
                Ok(())
            }
            Event::ContentBlockStart { index, content_block } => {
                assembly.start(index, content_block)
            }
            Event::ContentBlockDelta { index, delta } => assembly.extend_block(index, delta),
            Event::ContentBlockStop { index } => {
                assembly.stop(index);
                Ok(())
            }
            Event::MessageDelta { delta, more } => {
                assembly.extend(delta);
                assembly.extend(more);
                Ok(())
            }
            Event::MessageStop if assembly.is_complete() => return Ok(true),
            Event::MessageStop => return Err(self.ended_early()),
            Event::Error { error } => return Err(error.into_error(&self.request)),
            Event::Other => Ok(()),
        };
        taken.map(|()| false).map_err(|problem| undecodable(&self.request, &problem))
    }

    /// The connection can be reused only after the end of the body. Most servers end it at once.
    async fn finish(&mut self) {
        if let Some(mut events) = self.events.take() {
            let end = async { while let Some(Ok(_)) = events.next().await {} };
            // If the end doesn't arrive, the connection isn't worth waiting for.
            let _ = timeout(LONGEST_DRAIN, end).await;
        }
        let response = self.assembly.finish();
        self.assembly.updates.push(ChatUpdate::Finished(Box::new(response)));
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
