//! The transport over pipes, which fails calls whose answers can't be read.

use std::io;

use rmcp::{
    RoleClient,
    model::{
        ClientJsonRpcMessage, ClientNotification, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
    },
    transport::Transport,
};
use tokio::io::{AsyncRead, AsyncWrite};

use super::{greeting::is_answer, unreadable::failed_answer};
use crate::lines::{LineReader, LineWriter};

pub(super) struct Lines<I, O> {
    input: LineReader<I>,
    output: LineWriter<O>,
    /// The requests without an answer.
    open: Vec<RequestId>,
    failed: Vec<ServerJsonRpcMessage>,
}

impl<I, O> Lines<I, O>
where
    I: AsyncRead + Send + Unpin + 'static,
    O: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(input: I, output: O, max_bytes: usize) -> Self {
        let input = LineReader::new(input, max_bytes);
        let output = LineWriter::new(output);
        Self { input, output, open: Vec::new(), failed: Vec::new() }
    }
}

impl<I, O> Transport<RoleClient> for Lines<I, O>
where
    I: AsyncRead + Send + Unpin + 'static,
    O: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        match &message {
            JsonRpcMessage::Request(request) => self.open.push(request.id.clone()),
            JsonRpcMessage::Notification(sent) => {
                if let ClientNotification::CancelledNotification(cancelled) = &sent.notification {
                    self.open.retain(|id| Some(id) != cancelled.params.request_id.as_ref());
                }
            }
            _ => {}
        }
        self.output.send(message)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            if let Some(failed) = self.failed.pop() {
                return Some(failed);
            }
            match self.input.next().await? {
                Ok(message) => {
                    self.open.retain(|id| !is_answer(&message, id));
                    return Some(message);
                }
                // An unreadable line has no id: it may answer any open request.
                Err(unreadable) => self.open.retain(|id| {
                    let failed = failed_answer(&unreadable, id);
                    let is_open = failed.is_none();
                    self.failed.extend(failed);
                    is_open
                }),
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.output.close().await;
        Ok(())
    }
}
