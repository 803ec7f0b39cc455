//! A run as a stream of what happens in it.

use std::{
    collections::VecDeque,
    fmt,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use futures_util::{
    Stream, StreamExt,
    future::{BoxFuture, Fuse, FusedFuture, FutureExt},
};
use textsearch_core::{
    Error, ErrorKind,
    chat::{ChatUpdate, ToolCall},
};

use super::{CallRecord, ChatOutcome};
use crate::Result;

/// Something that happened in a run. `Debug` shows names and lengths, no content.
#[derive(Clone)]
#[non_exhaustive]
pub enum ChatEvent {
    /// More of the text of a message: also of what the model says before it calls functions.
    Text(String),
    /// More of what the model says in place of an answer that it refuses.
    Refusal(String),
    /// A function is called.
    #[non_exhaustive]
    CallStarted {
        /// The call, as in [`CallRecord::call`].
        call: ToolCall,
        /// The round, counted from 1.
        round: usize,
    },
    /// A call is done. One that was not run, since it cannot be or was made before, has this event alone.
    CallFinished(Box<CallRecord>),
    /// The end, and always the last event: what came of it.
    Finished(Box<ChatOutcome>),
}

/// What happens in a run, as it happens. Nothing happens unless it is read; dropping it stops everything.
pub struct ChatEvents {
    run: Fuse<BoxFuture<'static, Result<ChatOutcome>>>,
    sink: Sink,
}

impl ChatEvents {
    pub(super) fn new(
        sink: Sink,
        run: impl Future<Output = Result<ChatOutcome>> + Send + 'static,
    ) -> Self {
        Self { run: run.boxed().fuse(), sink }
    }

    /// The next event; `None` after the last. The error that ends a run is the last event of it.
    pub async fn next(&mut self) -> Option<Result<ChatEvent>> {
        StreamExt::next(self).await
    }

    /// What came of the run, read to the end.
    ///
    /// # Errors
    ///
    /// Those of [`Kernel::chat`](crate::Kernel::chat). [`Search`](crate::KernelError::Search) if the end was read before: then
    /// [`ChatEvent::Finished`] had the outcome.
    pub async fn into_outcome(self) -> Result<ChatOutcome> {
        if !self.run.is_terminated() {
            return self.run.await;
        }
        // The run may be over while some of its events are still unread.
        while let Some(event) = self.sink.pop() {
            if let ChatEvent::Finished(outcome) = event {
                return Ok(*outcome);
            }
        }
        let message = "the outcome was read before, as the last event";
        Err(Error::new(ErrorKind::Backend, "chat", message).into())
    }
}

impl Stream for ChatEvents {
    type Item = Result<ChatEvent>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        if let Some(event) = this.sink.pop() {
            return Poll::Ready(Some(Ok(event)));
        }
        // A fused future that is done stays pending: the end was read before.
        if this.run.is_terminated() {
            return Poll::Ready(None);
        }
        if let Poll::Ready(outcome) = this.run.poll_unpin(context) {
            match outcome {
                Ok(outcome) => this.sink.push(ChatEvent::Finished(Box::new(outcome))),
                Err(error) => match this.sink.pop() {
                    None => return Poll::Ready(Some(Err(error))),
                    Some(event) => {
                        this.run = std::future::ready(Err(error)).boxed().fuse();
                        return Poll::Ready(Some(Ok(event)));
                    }
                },
            }
        }
        this.sink.pop().map_or(Poll::Pending, |event| Poll::Ready(Some(Ok(event))))
    }
}

impl fmt::Debug for ChatEvents {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ChatEvents").finish_non_exhaustive()
    }
}

/// Where a run puts what happens, if anybody reads it. It is filled only while the run is polled, and that only when it
/// is empty: so it holds no more than what came at once.
#[derive(Clone, Default)]
pub(super) struct Sink {
    events: Option<Arc<Mutex<VecDeque<ChatEvent>>>>,
}

impl Sink {
    /// A sink that is read.
    pub(super) fn read() -> Self {
        Self { events: Some(Arc::default()) }
    }

    pub(super) fn is_read(&self) -> bool {
        self.events.is_some()
    }

    pub(super) fn update(&self, update: ChatUpdate) {
        match update {
            ChatUpdate::Text(text) => self.push(ChatEvent::Text(text)),
            ChatUpdate::Refusal(text) => self.push(ChatEvent::Refusal(text)),
            // Calls are events of their own, and the end is the run's.
            _ => {}
        }
    }

    pub(super) fn call_started(&self, call: &ToolCall, round: usize) {
        if self.is_read() {
            self.push(ChatEvent::CallStarted { call: call.clone(), round });
        }
    }

    pub(super) fn call_finished(&self, record: &CallRecord) {
        if self.is_read() {
            self.push(ChatEvent::CallFinished(Box::new(record.clone())));
        }
    }

    fn push(&self, event: ChatEvent) {
        if let Some(events) = &self.events {
            events.lock().unwrap_or_else(PoisonError::into_inner).push_back(event);
        }
    }

    fn pop(&self) -> Option<ChatEvent> {
        let events = self.events.as_ref()?;
        events.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }
}
