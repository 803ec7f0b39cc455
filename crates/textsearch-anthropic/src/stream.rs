//! The [events](https://docs.anthropic.com/en/docs/build-with-claude/streaming) of a stream.

use serde::Deserialize;
use textsearch_core::{
    Result,
    chat::{ChatUpdate, http::Assembly},
    http::{HttpRequest, read_json},
};

use crate::{
    CONNECTOR,
    answer::{AnswerAssembly, Beginning, Block, End},
    failure::{Failure, undecodable},
};

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Event {
    MessageStart {
        message: Beginning,
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

impl Assembly for AnswerAssembly {
    const CONNECTOR: &'static str = CONNECTOR;

    type Event = Event;

    fn read(event: &[u8], request: &HttpRequest) -> Result<Event> {
        let event = read_json(event).map_err(|error| {
            let problem = format!("an event of the stream is not as expected: {error}");
            undecodable(request, &problem)
        })?;
        match event {
            Event::Error { error } => Err(error.into_error(request)),
            event => Ok(event),
        }
    }

    fn push(&mut self, event: Event) -> Result<Vec<ChatUpdate>, String> {
        match event {
            Event::MessageStart { message } => self.begin(message),
            Event::ContentBlockStart { index, content_block } => {
                self.start(index, content_block)?;
            }
            Event::ContentBlockDelta { index, delta } => {
                self.extend_block(index, delta)?;
            }
            Event::ContentBlockStop { index } => self.stop(index),
            Event::MessageDelta { delta, more } => {
                self.extend(delta);
                self.extend(more);
            }
            Event::MessageStop => self.is_over = true,
            Event::Error { .. } | Event::Other => {}
        }
        Ok(std::mem::take(&mut self.updates))
    }

    fn is_complete(&self) -> bool {
        self.has_ended()
    }

    fn is_over(&self) -> bool {
        self.is_over
    }

    fn finish(mut self) -> Result<Vec<ChatUpdate>, String> {
        let response = self.response();
        self.updates.push(ChatUpdate::Finished(Box::new(response)));
        Ok(self.updates)
    }
}
