//! The `retrieval` span of a search and its streams.

use std::{
    cell::Cell,
    future::poll_fn,
    pin::Pin,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicI64, Ordering},
    },
    task::{Context, Poll},
};

use futures_util::{Stream, StreamExt};
use tracing::{Span, field};

use super::{
    metrics::{self, Measured},
    signed,
};
use crate::{Result, SearchResults, record_stream::RecordStream};

thread_local! {
    /// Whether this thread polls a search that has a span.
    static IS_SEARCHING: Cell<bool> = const { Cell::new(false) };
}

pub(crate) struct Retrieval<'a> {
    pub(crate) provider: &'a str,
    pub(crate) data_source: &'a str,
    pub(crate) top: usize,
    pub(crate) skip: usize,
    /// `None` for a single search.
    pub(crate) queries: Option<usize>,
}

impl Retrieval<'_> {
    /// Runs `search` in a span that lasts until the results are read or dropped.
    ///
    /// A search inside another search gets no span: applications count searches, not wrappers.
    pub(crate) async fn observe<T: Send + 'static>(
        &self,
        search: Pin<&mut impl Future<Output = Result<SearchResults<T>>>>,
    ) -> Result<SearchResults<T>> {
        let Some(observation) = self.begin() else { return search.await };
        observation.run(search, Reading::watch).await
    }

    #[cfg(feature = "vector")]
    pub(crate) async fn observe_batch<T: Send + 'static>(
        &self,
        search: Pin<&mut impl Future<Output = Result<Vec<SearchResults<T>>>>>,
    ) -> Result<Vec<SearchResults<T>>> {
        let Some(observation) = self.begin() else { return search.await };
        let watch_each = |reading: &Arc<Reading>, all: Vec<SearchResults<T>>| {
            all.into_iter().map(|results| Reading::watch(reading, results)).collect()
        };
        observation.run(search, watch_each).await
    }

    fn begin(&self) -> Option<Observation> {
        if IS_SEARCHING.get() {
            return None;
        }
        let span = tracing::info_span!(
            "retrieval",
            otel.name = field::Empty,
            otel.kind = "client",
            gen_ai.operation.name = "retrieval",
            gen_ai.provider.name = self.provider,
            gen_ai.data_source.id = self.data_source,
            gen_ai.request.top_k = self.top as f64,
            textsearch.skip = signed(self.skip),
            textsearch.query_count = self.queries.map(signed),
            textsearch.result_count = field::Empty,
            error.type = field::Empty,
        );
        if span.is_disabled() && !metrics::IS_ON {
            return None;
        }
        span.record("otel.name", field::display(format_args!("retrieval {}", self.data_source)));
        Some(Observation { span, measured: Measured::new(self.provider, self.data_source) })
    }
}

struct Observation {
    span: Span,
    measured: Measured,
}

impl Observation {
    async fn run<T>(
        self,
        mut search: Pin<&mut impl Future<Output = Result<T>>>,
        watch: impl FnOnce(&Arc<Reading>, T) -> T,
    ) -> Result<T> {
        match poll_fn(|context| self.enter(|| search.as_mut().poll(context))).await {
            Ok(results) => Ok(watch(&Arc::new(Reading::of(self)), results)),
            Err(error) => {
                self.end(None, Some(error.kind().name()));
                Err(error)
            }
        }
    }

    /// Marks the searches in `work` as parts of this one.
    fn enter<T>(&self, work: impl FnOnce() -> T) -> T {
        /// Unmarks in a panic, too.
        struct Restore(bool);
        impl Drop for Restore {
            fn drop(&mut self) {
                IS_SEARCHING.set(self.0);
            }
        }
        let _restore = Restore(IS_SEARCHING.replace(true));
        self.span.in_scope(work)
    }

    fn end(&self, results: Option<i64>, error: Option<&'static str>) {
        if let Some(count) = results {
            self.span.record("textsearch.result_count", count);
        }
        if let Some(name) = error {
            self.span.record("error.type", name);
        }
        self.measured.record(results, error);
    }
}

struct Reading {
    observation: Observation,
    results: AtomicI64,
    error: OnceLock<&'static str>,
}

impl Reading {
    fn of(observation: Observation) -> Self {
        Self { observation, results: AtomicI64::new(0), error: OnceLock::new() }
    }

    fn watch<T: Send + 'static>(
        reading: &Arc<Self>,
        mut results: SearchResults<T>,
    ) -> SearchResults<T> {
        if metrics::IS_ON
            && reading.observation.span.is_disabled()
            && let Some(count) = results.items_mut().settle()
        {
            // They need no stream only to be counted.
            reading.results.fetch_add(signed(count), Ordering::Relaxed);
            return results;
        }
        let reading = Some(Arc::clone(reading));
        results.through(|stream| Watched { stream, reading, count: 0 })
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.observation.end(Some(*self.results.get_mut()), self.error.get().copied());
    }
}

struct Watched<T> {
    stream: RecordStream<T>,
    /// `None` after the end of the stream.
    reading: Option<Arc<Reading>>,
    count: i64,
}

impl<T> Watched<T> {
    fn stop(&mut self) {
        if let Some(reading) = self.reading.take() {
            reading.results.fetch_add(self.count, Ordering::Relaxed);
        }
    }
}

impl<T> Stream for Watched<T> {
    type Item = Result<T>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        let Some(reading) = &this.reading else { return Poll::Ready(None) };
        let polled = reading.observation.enter(|| this.stream.poll_next_unpin(context));
        match &polled {
            Poll::Ready(Some(Ok(_))) => this.count += 1,
            Poll::Ready(Some(Err(error))) => {
                reading.error.get_or_init(|| error.kind().name());
            }
            Poll::Ready(None) => this.stop(),
            Poll::Pending => {}
        }
        polled
    }
}

impl<T> Drop for Watched<T> {
    fn drop(&mut self) {
        self.stop();
    }
}
