//! The `retrieval` span of a search and its streams.

use std::{
    cell::Cell,
    future::poll_fn,
    pin::Pin,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
    task::{Context, Poll},
    thread::LocalKey,
};

use futures_util::{Stream, StreamExt};
use serde_json::{Value, json};
use tracing::{Span, field};

use super::{IS_ON, metrics::Measured, signed};
use crate::{Result, SearchResults, TextSearchRecord, record_stream::RecordStream};

thread_local! {
    /// Whether this thread polls a search that has a span.
    static IS_SEARCHING: Cell<bool> = const { Cell::new(false) };
    /// Whether spans of searches that this thread begins have query and results.
    static RECORDS_CONTENT: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work`. If `enabled`, the spans of searches that begin in it record the query and the id and
/// score of each result; otherwise they record neither.
pub async fn recording_content<T>(enabled: bool, mut work: Pin<&mut impl Future<Output = T>>) -> T {
    poll_fn(|context| marked(&RECORDS_CONTENT, enabled, || work.as_mut().poll(context))).await
}

fn marked<T>(mark: &'static LocalKey<Cell<bool>>, value: bool, work: impl FnOnce() -> T) -> T {
    /// Restores the mark in a panic, too.
    struct Restore(&'static LocalKey<Cell<bool>>, bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            self.0.set(self.1);
        }
    }
    let _restore = Restore(mark, mark.replace(value));
    work()
}

pub(crate) struct Retrieval<'a> {
    pub(crate) provider: &'a str,
    pub(crate) data_source: &'a str,
    /// `None` for a search by vector and for a batch.
    pub(crate) query: Option<&'a str>,
    pub(crate) top: usize,
    pub(crate) skip: usize,
    /// `None` for a single search.
    pub(crate) queries: Option<usize>,
}

impl Retrieval<'_> {
    /// Runs `search` in a span that lasts until the results are read or dropped.
    ///
    /// A search inside another search gets no span: applications count searches, not wrappers.
    pub(crate) async fn observe<T: TextSearchRecord>(
        &self,
        search: Pin<&mut impl Future<Output = Result<SearchResults<T>>>>,
    ) -> Result<SearchResults<T>> {
        let Some(observation) = self.begin() else { return search.await };
        observation.run(search, Reading::watch).await
    }

    #[cfg(feature = "vector")]
    pub(crate) async fn observe_batch<T: TextSearchRecord>(
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
            otel.kind = "internal",
            gen_ai.operation.name = "retrieval",
            gen_ai.provider.name = self.provider,
            gen_ai.data_source.id = self.data_source,
            gen_ai.retrieval.top_k = signed(self.top),
            gen_ai.retrieval.query.text = field::Empty,
            gen_ai.retrieval.documents = field::Empty,
            textsearch.skip = signed(self.skip),
            textsearch.query_count = self.queries.map(signed),
            textsearch.result_count = field::Empty,
            error.type = field::Empty,
        );
        if span.is_disabled() && !IS_ON {
            return None;
        }
        let has_content = RECORDS_CONTENT.get() && !span.is_disabled();
        if let (true, Some(query)) = (has_content, self.query) {
            span.record("gen_ai.retrieval.query.text", query);
        }
        let measured = Measured::new(self.provider, self.data_source);
        Some(Observation { span, has_content, measured })
    }
}

struct Observation {
    span: Span,
    has_content: bool,
    measured: Measured,
}

impl Observation {
    async fn run<T>(
        self,
        mut search: Pin<&mut impl Future<Output = Result<T>>>,
        watch: impl FnOnce(&Arc<Reading>, T) -> T,
    ) -> Result<T> {
        match poll_fn(|context| self.enter(|| search.as_mut().poll(context))).await {
            Ok(results) => Ok(watch(&Arc::new(Reading::new(self)), results)),
            Err(error) => {
                self.end(None, Some(error.kind().name()));
                Err(error)
            }
        }
    }

    /// Marks the searches in `work` as parts of this one.
    fn enter<T>(&self, work: impl FnOnce() -> T) -> T {
        marked(&IS_SEARCHING, true, || self.span.in_scope(work))
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
    /// Empty unless content is recorded.
    documents: Mutex<Vec<Value>>,
    error: OnceLock<&'static str>,
}

impl Reading {
    fn new(observation: Observation) -> Self {
        let results = AtomicI64::new(0);
        let documents = Mutex::default();
        Self { observation, results, documents, error: OnceLock::new() }
    }

    fn watch<T: TextSearchRecord>(
        reading: &Arc<Self>,
        mut results: SearchResults<T>,
    ) -> SearchResults<T> {
        if IS_ON
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

impl Reading {
    fn add(&self, record: &impl TextSearchRecord) {
        if self.observation.has_content {
            let result = record.to_result();
            let document = json!({ "id": result.id.or(result.link), "score": result.score });
            self.documents.lock().unwrap_or_else(PoisonError::into_inner).push(document);
        }
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        if self.observation.has_content {
            let documents = self.documents.get_mut().unwrap_or_else(PoisonError::into_inner);
            let documents = Value::Array(std::mem::take(documents)).to_string();
            self.observation.span.record("gen_ai.retrieval.documents", documents);
        }
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

impl<T: TextSearchRecord> Stream for Watched<T> {
    type Item = Result<T>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        let Some(reading) = &this.reading else { return Poll::Ready(None) };
        let polled = reading.observation.enter(|| this.stream.poll_next_unpin(context));
        match &polled {
            Poll::Ready(Some(Ok(record))) => {
                this.count += 1;
                reading.add(record);
            }
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
