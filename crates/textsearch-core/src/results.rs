//! The answer to a search: a count, what the provider said beside it, and a stream of results.

use std::{
    fmt,
    pin::Pin,
    sync::{Mutex, PoisonError},
    task::{Context, Poll},
};

use futures_util::{Stream, StreamExt};
use serde::{Deserialize, Serialize};

use crate::{
    Result,
    record_stream::{RecordStream, Source},
};

pub use crate::{any_record::AnyRecord, paging::Page, result::Metadata};

/// How many results there are in all, as far as the backend knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "a count is either known or guessed")]
pub enum TotalCount {
    /// The backend counted.
    Exact(u64),
    /// The backend guessed.
    Estimated(u64),
}

impl TotalCount {
    /// The number, however it came about.
    pub const fn value(self) -> u64 {
        match self {
            Self::Exact(count) | Self::Estimated(count) => count,
        }
    }
}

/// The results of one search, as a stream whose first page is there and whose later pages are fetched as it is read.
///
/// Read it with [`next`](Self::next) or [`into_vec`](Self::into_vec), or as a [`Stream`]. An item is an error where a
/// later page could not be fetched or one record could not be read. Dropping the stream stops the work.
pub struct SearchResults<T> {
    total_count: Option<TotalCount>,
    metadata: Metadata,
    // Never locked: the mutex makes a stream that is only `Send` shareable, and is reached by `get_mut` alone.
    items: Mutex<RecordStream<T>>,
}

impl<T: Send + 'static> SearchResults<T> {
    /// The results that `stream` yields.
    pub fn from_stream(stream: impl Stream<Item = Result<T>> + Send + 'static) -> Self {
        Self::of(RecordStream::new(Vec::new(), Some(Source::Items(stream.boxed()))))
    }

    /// Results that are all there.
    pub fn from_vec(results: Vec<T>) -> Self {
        Self::of(RecordStream::new(results, None))
    }

    /// The results with each item changed by `change`; count and metadata stay.
    ///
    /// Results that are all there are changed at once, and others when they are read.
    pub fn map<U: Send + 'static>(
        self,
        mut change: impl FnMut(T) -> U + Send + 'static,
    ) -> SearchResults<U> {
        let Self { total_count, metadata, items } = self;
        let items = items.into_inner().unwrap_or_else(PoisonError::into_inner);
        let changed = match items.into_all() {
            Ok(results) => SearchResults::from_vec(results.into_iter().map(change).collect()),
            Err(items) => SearchResults::from_stream(items.map(move |item| item.map(&mut change))),
        };
        SearchResults { total_count, metadata, ..changed }
    }

    /// The results with each item changed by `change`, which may fail; count and metadata stay.
    pub fn try_map<U: Send + 'static>(
        self,
        mut change: impl FnMut(T) -> Result<U> + Send + 'static,
    ) -> SearchResults<U> {
        self.through(|stream| stream.map(move |item| item.and_then(&mut change)))
    }

    /// The next result; `None` at the end, however often it is asked again.
    ///
    /// It is safe to drop the future: no result is lost.
    pub async fn next(&mut self) -> Option<Result<T>> {
        StreamExt::next(self).await
    }

    /// All results, read to the end.
    ///
    /// # Errors
    ///
    /// The first error in the stream; the results before it are lost, so read with [`next`](Self::next) to keep them.
    pub async fn into_vec(mut self) -> Result<Vec<T>> {
        let mut results = self.items_mut().take_at_hand();
        while let Some(result) = self.next().await {
            results.push(result?);
        }
        Ok(results)
    }

    pub(crate) fn of(items: RecordStream<T>) -> Self {
        Self { total_count: None, metadata: Metadata::new(), items: Mutex::new(items) }
    }

    /// Passes the stream through `change`, and keeps the rest.
    pub(crate) fn through<U, S>(self, change: impl FnOnce(RecordStream<T>) -> S) -> SearchResults<U>
    where
        U: Send + 'static,
        S: Stream<Item = Result<U>> + Send + 'static,
    {
        let Self { total_count, metadata, items } = self;
        let items = items.into_inner().unwrap_or_else(PoisonError::into_inner);
        SearchResults { total_count, metadata, ..SearchResults::from_stream(change(items)) }
    }
}

impl<T> SearchResults<T> {
    pub(crate) fn items_mut(&mut self) -> &mut RecordStream<T> {
        self.items.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets how many results there are in all.
    #[must_use]
    pub fn with_total_count(mut self, count: TotalCount) -> Self {
        self.total_count = Some(count);
        self
    }

    /// Sets what the provider said of the search.
    #[must_use]
    pub fn with_metadata(mut self, metadata: Metadata) -> Self {
        self.metadata = metadata;
        self
    }

    /// How many results there are in all; `None` where the backend does not tell.
    pub fn total_count(&self) -> Option<TotalCount> {
        self.total_count
    }

    /// What the provider said of the search: an altered query, a request id, timings.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }
}

impl<T> Stream for SearchResults<T> {
    type Item = Result<T>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.items_mut().poll_next_unpin(context)
    }
}

/// Shows the count and the names in the metadata: what a backend says there may repeat the query, or a key.
impl<T> fmt::Debug for SearchResults<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.metadata.keys().collect();
        formatter
            .debug_struct("SearchResults")
            .field("total_count", &self.total_count)
            .field("metadata", &names)
            .finish_non_exhaustive()
    }
}

const _: () = {
    const fn is_shareable<T: Send + Sync + 'static>() {}
    is_shareable::<SearchResults<String>>();
};
