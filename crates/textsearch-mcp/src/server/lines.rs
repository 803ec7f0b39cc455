//! The transport over pipes, which answers lines that aren't messages.

use std::io;

use rmcp::{
    RoleServer,
    model::{ClientJsonRpcMessage, ErrorCode, ServerJsonRpcMessage},
    transport::Transport,
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    task::JoinHandle,
};

use crate::lines::{LineReader, LineWriter, Unreadable};

/// The maximum size of a client's message: 16 MiB.
const MAX_BYTES: usize = 16 << 20;

pub(super) struct Lines<I, O> {
    input: LineReader<I>,
    output: LineWriter<O>,
    /// A task, because a future that nobody polls would keep the output locked.
    refusing: Option<JoinHandle<io::Result<()>>>,
}

impl<I, O> Lines<I, O>
where
    I: AsyncRead + Send + Unpin + 'static,
    O: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(input: I, output: O) -> Self {
        let input = LineReader::new(input, MAX_BYTES);
        let output = LineWriter::new(output);
        Self { input, output, refusing: None }
    }
}

impl<I, O> Transport<RoleServer> for Lines<I, O>
where
    I: AsyncRead + Send + Unpin + 'static,
    O: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.output.send(message)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            // One at a time: a client that doesn't read its errors is not read either.
            if let Some(refusing) = &mut self.refusing {
                let refused = refusing.await;
                self.refusing = None;
                refused.ok()?.ok()?;
            }
            match self.input.next().await? {
                Ok(message) => return Some(message),
                Err(unreadable) => {
                    let refusal = self.output.send(refusal(&unreadable));
                    self.refusing = Some(tokio::spawn(refusal));
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.output.close().await;
        Ok(())
    }
}

/// JSON-RPC wants the id `null`, which rmcp's errors leave out.
fn refusal(unreadable: &Unreadable) -> Value {
    let (code, message) = match unreadable {
        Unreadable::NotJson { error, .. } => {
            (ErrorCode::PARSE_ERROR, format!("the line isn't JSON: {error}"))
        }
        Unreadable::NotAMessage(_) => {
            (ErrorCode::INVALID_REQUEST, "the line isn't a JSON-RPC message".to_owned())
        }
        Unreadable::TooLong { max_bytes } => {
            (ErrorCode::INVALID_REQUEST, format!("the line has more than {max_bytes} bytes"))
        }
    };
    json!({ "jsonrpc": "2.0", "id": null, "error": { "code": code, "message": message } })
}
