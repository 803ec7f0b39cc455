//! Streams of JSON lines.

use serde::{Deserialize, Serialize};
use textsearch_conformance::core::{
    Error, ErrorKind, Result,
    chat::{ChatMessage, ChatResponse, ChatUpdate, FinishReason, ToolCall},
    http::HttpBody,
    serde_json,
};

use super::{changes, fault::Fault};

/// A line of a stream, as the provider sends it.
#[derive(Serialize, Deserialize)]
pub(super) enum Line {
    Text(String),
    Refusal(String),
    Call(ToolCall),
    End(Box<ChatResponse>),
}

pub(super) struct Lines {
    body: HttpBody,
    fault: Fault,
    buffer: Vec<u8>,
    heard: String,
    end: End,
}

#[derive(PartialEq)]
enum End {
    Open,
    Finished,
    Closed,
}

impl Lines {
    pub(super) fn new(body: HttpBody, fault: Fault) -> Self {
        Self { body, fault, buffer: Vec::new(), heard: String::new(), end: End::Open }
    }

    pub(super) async fn next(mut self) -> Option<(Result<ChatUpdate>, Self)> {
        loop {
            if self.end == End::Finished && self.fault == Fault::GoesOnAfterTheEnd {
                self.end = End::Closed;
                return Some((Ok(ChatUpdate::Text("more".to_owned())), self));
            }
            if self.end != End::Open {
                return None;
            }
            let line = match self.line().await {
                Ok(Some(line)) => line,
                broken => {
                    let update = self.broken(broken.err())?;
                    return Some((update, self));
                }
            };
            if let Some(update) = self.update(line).transpose() {
                return Some((update, self));
            }
        }
    }

    async fn line(&mut self) -> Result<Option<Line>> {
        loop {
            if let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.buffer.drain(..=end).collect();
                return serde_json::from_slice(&line).map(Some).map_err(|_| unreadable());
            }
            match self.body.chunk().await? {
                Some(chunk) => self.buffer.extend_from_slice(&chunk),
                None if self.buffer.is_empty() => return Ok(None),
                None => return Err(unreadable()),
            }
        }
    }

    fn broken(&mut self, error: Option<Error>) -> Option<Result<ChatUpdate>> {
        if self.fault != Fault::GoesOnAfterAnError {
            self.end = End::Closed;
        }
        match self.fault {
            Fault::TakesTheEndForTheAnswer => {
                let heard = ChatMessage::assistant(std::mem::take(&mut self.heard));
                return Some(Ok(ChatUpdate::Finished(Box::new(ChatResponse::new(heard)))));
            }
            Fault::EndsBrokenStreamsSilently => return None,
            Fault::ReportsResetsAsBackend => {
                return Some(Err(Error::new(ErrorKind::Backend, "plain", "the stream broke")));
            }
            _ => {}
        }
        let ended = || Error::new(ErrorKind::Unavailable, "plain", "the stream ended early");
        Some(Err(error.unwrap_or_else(ended)))
    }

    /// `None` if the line is left out.
    fn update(&mut self, line: Line) -> Result<Option<ChatUpdate>> {
        Ok(Some(match line {
            Line::Text(text)
                if self.fault == Fault::TakesDoneInATextForTheEnd && text.contains("[DONE]") =>
            {
                return Ok(None);
            }
            Line::Text(text) => {
                self.heard.push_str(&text);
                ChatUpdate::Text(text)
            }
            Line::Refusal(text) => ChatUpdate::Refusal(text),
            Line::Call(call) => ChatUpdate::ToolCall(call),
            Line::End(response) => {
                self.end = End::Finished;
                let mut response = changes::response(self.fault, *response)?;
                match self.fault {
                    Fault::NeverFinishes => return Ok(None),
                    Fault::FinishesWithoutMessage => response = ChatResponse::default(),
                    Fault::StreamsAnotherReason => {
                        response.finish_reason = FinishReason::Other("end".to_owned());
                    }
                    _ => {}
                }
                ChatUpdate::Finished(Box::new(response))
            }
        }))
    }
}

pub(super) fn unreadable() -> Error {
    Error::new(ErrorKind::Undecodable, "plain", "the answer cannot be read")
}
