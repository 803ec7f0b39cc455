//! Closes the connection to a server that sends requests faster than it reads the answers.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use rmcp::{
    RoleClient,
    model::{ClientJsonRpcMessage, JsonRpcMessage, ServerJsonRpcMessage},
    transport::Transport,
};

/// Each unanswered request is a task that waits for the server to read.
const MAX_UNANSWERED: usize = 64;

pub(super) struct Bounded<T> {
    inner: T,
    unanswered: Arc<AtomicUsize>,
}

impl<T> Bounded<T> {
    pub(super) fn new(inner: T) -> Self {
        Self { inner, unanswered: Arc::default() }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Bounded<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let is_answer = matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_));
        let unanswered = Arc::clone(&self.unanswered);
        let sending = self.inner.send(message);
        async move {
            let sent = sending.await;
            if is_answer {
                unanswered.fetch_sub(1, Ordering::Relaxed);
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        let message = self.inner.receive().await?;
        if matches!(message, JsonRpcMessage::Request(_))
            && self.unanswered.fetch_add(1, Ordering::Relaxed) >= MAX_UNANSWERED
        {
            tracing::warn!("the MCP server sends requests without reading the answers");
            return None;
        }
        Some(message)
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}
