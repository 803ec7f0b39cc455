//! A run as a stream of events.

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

/// An event of a run. `Debug` shows names, no content.
#[derive(Clone)]
#[non_exhaustive]
pub enum ChatEvent {
    /// More text of a message, also before the model calls functions.
    Text(String),
    /// More text of a refusal, which replaces the answer.
    Refusal(String),
    /// A function call starts.
    #[non_exhaustive]
    CallStarted {
        /// The call, as in [`CallRecord::call`].
        call: ToolCall,
        /// The round, counted from 1.
        round: usize,
    },
    /// A call is finished. A call that was not run has only this event.
    CallFinished(Box<CallRecord>),
    /// The run ended, with this outcome. Always the last event.
    Finished(Box<ChatOutcome>),
}

/// The events of a run. It advances only while this is read, and stops when this is dropped.
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

    /// Returns the next event, or `None` after the last. An error ends the run.
    pub async fn next(&mut self) -> Option<Result<ChatEvent>> {
        StreamExt::next(self).await
    }

    /// Reads the run to its end and returns the outcome.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Kernel::chat`](crate::Kernel::chat), or
    /// [`Search`](crate::KernelError::Search) if [`ChatEvent::Finished`] was already read.
    pub async fn into_outcome(self) -> Result<ChatOutcome> {
        if !self.run.is_terminated() {
            return self.run.await;
        }
        // The run may have ended with some of its events still unread.
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
        // A finished fused future stays pending: the end was already read.
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

/// The queue for a run's events, if anyone reads them. The run is polled only when the queue is
/// empty, so it holds the events of one poll.
#[derive(Clone, Default)]
pub(super) struct Sink {
    events: Option<Arc<Mutex<VecDeque<ChatEvent>>>>,
}

impl Sink {
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
            // Calls have separate events, and the run emits its own end.
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
