//! Messages as lines of JSON, over pipes.
//!
//! rmcp's own transport drops a line that it can't read, and its sender waits for an answer.

use std::{io, sync::Arc};

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::Value;
use textsearch_core::serde::{Serialize, de::DeserializeOwned};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::Mutex,
};
use tokio_util::{
    bytes::BytesMut,
    codec::{Decoder, FramedRead, FramedWrite, LinesCodec, LinesCodecError},
};

/// The limit of `serde_json`.
const TOO_DEEP: &str = "it is nested more than 127 levels deep";

/// A message that can't be read.
#[cfg_attr(not(feature = "client"), expect(dead_code, reason = "only the client needs all fields"))]
#[derive(Debug)]
pub(crate) enum Unreadable {
    TooLong {
        max_bytes: usize,
    },
    NotJson {
        error: String,
        /// Whether it seems to be a message, and not another line that a program prints.
        is_message: bool,
    },
    /// JSON, but not a message of the protocol.
    NotAMessage(Value),
}

/// Parses a message.
pub(crate) fn parse<M: DeserializeOwned>(text: &str) -> Result<M, Unreadable> {
    serde_json::from_str(text).map_err(|_| match serde_json::from_str(text) {
        Ok(value) => Unreadable::NotAMessage(value),
        Err(error) => {
            let is_message = text.contains("\"jsonrpc\"");
            let error = error.to_string();
            let is_deep = error.starts_with("recursion limit");
            let error = if is_deep { TOO_DEEP.to_owned() } else { error };
            Unreadable::NotJson { error, is_message }
        }
    })
}

/// Reads one message per line.
pub(crate) struct LineReader<I>(FramedRead<I, Lines>);

impl<I: AsyncRead + Unpin> LineReader<I> {
    pub(crate) fn new(input: I, max_bytes: usize) -> Self {
        Self(FramedRead::new(input, Lines(LinesCodec::new_with_max_length(max_bytes))))
    }

    /// Returns `None` at the end of the input. A dropped future loses no part of a line.
    pub(crate) async fn next<M: DeserializeOwned>(&mut self) -> Option<Result<M, Unreadable>> {
        loop {
            match self.0.next().await? {
                Ok(Ok(line)) => match line.trim_start_matches('\u{feff}').trim() {
                    "" => {}
                    text => return Some(parse(text)),
                },
                Ok(Err(unreadable)) => return Some(Err(unreadable)),
                Err(error) => {
                    tracing::warn!(%error, "reading MCP messages failed");
                    return None;
                }
            }
        }
    }
}

/// Returns bad lines as items: a stream of frames pauses after an error.
struct Lines(LinesCodec);

impl Lines {
    fn line(
        &self,
        decoded: Result<Option<String>, LinesCodecError>,
    ) -> Option<Result<String, Unreadable>> {
        match decoded {
            Ok(line) => line.map(Ok),
            Err(LinesCodecError::MaxLineLengthExceeded) => {
                Some(Err(Unreadable::TooLong { max_bytes: self.0.max_length() }))
            }
            Err(LinesCodecError::Io(error)) => {
                Some(Err(Unreadable::NotJson { error: error.to_string(), is_message: false }))
            }
        }
    }
}

impl Decoder for Lines {
    type Item = Result<String, Unreadable>;
    type Error = io::Error;

    fn decode(&mut self, bytes: &mut BytesMut) -> io::Result<Option<Self::Item>> {
        let decoded = self.0.decode(bytes);
        Ok(self.line(decoded))
    }

    fn decode_eof(&mut self, bytes: &mut BytesMut) -> io::Result<Option<Self::Item>> {
        let decoded = self.0.decode_eof(bytes);
        Ok(self.line(decoded))
    }
}

/// Writes one message per line, until it is closed.
pub(crate) struct LineWriter<O>(Arc<Mutex<Option<FramedWrite<O, LinesCodec>>>>);

impl<O: AsyncWrite + Send + Unpin + 'static> LineWriter<O> {
    pub(crate) fn new(output: O) -> Self {
        Self(Arc::new(Mutex::new(Some(FramedWrite::new(output, LinesCodec::new())))))
    }

    /// The next message first sends the rest of one whose future was dropped.
    pub(crate) fn send<M: Serialize + Send + 'static>(
        &self,
        message: M,
    ) -> impl Future<Output = io::Result<()>> + Send + use<M, O> {
        let output = Arc::clone(&self.0);
        async move {
            let line = serde_json::to_string(&message)?;
            let mut output = output.lock().await;
            let output = output.as_mut().ok_or(io::ErrorKind::NotConnected)?;
            output.send(line).await.map_err(|error| match error {
                LinesCodecError::Io(error) => error,
                LinesCodecError::MaxLineLengthExceeded => io::Error::other(error),
            })
        }
    }

    pub(crate) async fn close(&self) {
        self.0.lock().await.take();
    }
}
