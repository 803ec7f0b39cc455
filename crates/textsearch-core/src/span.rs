//! The `retrieval` span around a search and its stream, by the OpenTelemetry conventions for generative AI
//! (<https://github.com/open-telemetry/semantic-conventions-genai>). It holds neither the query nor a result.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use futures_util::{Stream, StreamExt};
use tracing::{Instrument, Span, field};

use crate::{Error, Result, SearchOptions, SearchResults, items::Items};

/// Runs `search` in a `retrieval` span, and keeps the span open until the stream that it returns is dropped.
pub(crate) async fn in_span<T: Send + 'static>(
    connector: &str,
    options: &SearchOptions,
    search: impl Future<Output = Result<SearchResults<T>>>,
) -> Result<SearchResults<T>> {
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
    let results = search.instrument(span.clone()).await;
    match results {
        Ok(results) => Ok(results.through(|stream| InSpan { stream, span, count: 0 })),
        Err(error) => {
            record_error(&span, &error);
            Err(error)
        }
    }
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
        let entered = this.span.enter();
        let polled = this.stream.poll_next_unpin(context);
        drop(entered);
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
