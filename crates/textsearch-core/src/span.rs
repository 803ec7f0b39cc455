//! The `retrieval` span around a search and its stream, by the OpenTelemetry conventions for generative AI
//! (<https://github.com/open-telemetry/semantic-conventions-genai>). It holds neither the query nor a result.

use std::{
    cell::Cell,
    future::poll_fn,
    pin::{Pin, pin},
    task::{Context, Poll},
};

use futures_util::{Stream, StreamExt};
use tracing::{Span, field};

use crate::{Error, Result, SearchOptions, SearchResults, record_stream::Items};

thread_local! {
    /// Whether this thread polls a search that has a span.
    static IS_SEARCHING: Cell<bool> = const { Cell::new(false) };
}

/// Runs `search` in a `retrieval` span, and keeps the span open until the stream that it returns is dropped.
///
/// A search that another one polls, such as the search inside a wrapper, has no span of its own: an application counts
/// searches, not wrappers.
pub(crate) async fn in_span<T: Send + 'static>(
    connector: &str,
    options: &SearchOptions,
    search: impl Future<Output = Result<SearchResults<T>>>,
) -> Result<SearchResults<T>> {
    if IS_SEARCHING.get() {
        return search.await;
    }
    let span = tracing::info_span!(
        "retrieval",
        otel.name = field::Empty,
        otel.kind = "client",
        gen_ai.operation.name = "retrieval",
        gen_ai.data_source.id = connector,
        gen_ai.request.top_k = options.top as f64,
        textsearch.skip = i64::try_from(options.skip).unwrap_or(i64::MAX),
        textsearch.result_count = field::Empty,
        error.type = field::Empty,
    );
    if span.is_disabled() {
        return search.await;
    }
    span.record("otel.name", field::display(format_args!("retrieval {connector}")));
    let mut search = pin!(search);
    match poll_fn(|context| enter(&span, || search.as_mut().poll(context))).await {
        Ok(results) => Ok(results.through(|stream| InSpan { stream, span, count: 0 })),
        Err(error) => {
            record_error(&span, &error);
            Err(error)
        }
    }
}

/// Runs `work` inside the span, with the searches in it marked as a part of this one.
fn enter<T>(span: &Span, work: impl FnOnce() -> T) -> T {
    /// Unmarks in a panic as well.
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            IS_SEARCHING.set(self.0);
        }
    }
    let _restore = Restore(IS_SEARCHING.replace(true));
    span.in_scope(work)
}

fn record_error(span: &Span, error: &Error) {
    span.record("error.type", error.kind().name());
}

struct InSpan<T> {
    stream: Items<T>,
    span: Span,
    /// Signed: exporters write other integers as text.
    count: i64,
}

impl<T> Stream for InSpan<T> {
    type Item = Result<T>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        let polled = enter(&this.span, || this.stream.poll_next_unpin(context));
        match &polled {
            Poll::Ready(Some(Ok(_))) => this.count += 1,
            Poll::Ready(Some(Err(error))) => record_error(&this.span, error),
            Poll::Ready(None) | Poll::Pending => {}
        }
        polled
    }
}

impl<T> Drop for InSpan<T> {
    fn drop(&mut self) {
        self.span.record("textsearch.result_count", self.count);
    }
}
