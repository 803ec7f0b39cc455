//! The response to a search.

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

pub use crate::{
    any_record::AnyRecord,
    explanation::{Explanation, ExplanationStep, MatchedTerm},
    paging::Page,
    rank_fusion::{FusedLeg, FusedPlace, RANK_CONSTANT, fuse_rankings},
    result::Metadata,
};

/// The total number of results, as far as the backend knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "a count is either known or guessed")]
pub enum TotalCount {
    /// An exact count.
    Exact(u64),
    /// An estimate.
    Estimated(u64),
}

impl TotalCount {
    /// Returns the number.
    pub const fn value(self) -> u64 {
        match self {
            Self::Exact(count) | Self::Estimated(count) => count,
        }
    }
}

/// The results of one search: a stream that fetches later pages as it is read.
///
/// Read it with [`next`](Self::next) or [`into_vec`](Self::into_vec), or as a [`Stream`]. An item
/// is an error if a later page could not be fetched or a record could not be read. Dropping it
/// stops the work.
pub struct SearchResults<T> {
    total_count: Option<TotalCount>,
    metadata: Metadata,
    // Never locked, only reached by `get_mut`: makes a stream that is only `Send` shareable.
    items: Mutex<RecordStream<T>>,
}

impl<T: Send + 'static> SearchResults<T> {
    /// Creates results from `stream`.
    pub fn from_stream(stream: impl Stream<Item = Result<T>> + Send + 'static) -> Self {
        Self::from_records(RecordStream::new(Vec::new(), Some(Source::Items(stream.boxed()))))
    }

    /// Creates results from a complete list.
    pub fn from_vec(results: Vec<T>) -> Self {
        Self::from_records(RecordStream::new(results, None))
    }

    /// Applies `change` to each result: at once to ready results, else when they are read.
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

    /// Applies the fallible `change` to each result.
    pub fn try_map<U: Send + 'static>(
        self,
        mut change: impl FnMut(T) -> Result<U> + Send + 'static,
    ) -> SearchResults<U> {
        self.through(|stream| stream.map(move |item| item.and_then(&mut change)))
    }

    /// Returns the next result; `None` at the end and after it. Dropping the future loses no
    /// result.
    pub async fn next(&mut self) -> Option<Result<T>> {
        StreamExt::next(self).await
    }

    /// Reads and returns all results.
    ///
    /// # Errors
    ///
    /// The first error in the stream. The results before it are lost; [`next`](Self::next) keeps
    /// them.
    pub async fn into_vec(mut self) -> Result<Vec<T>> {
        let mut results = self.items_mut().take_at_hand();
        while let Some(result) = self.next().await {
            results.push(result?);
        }
        Ok(results)
    }

    pub(crate) fn from_records(items: RecordStream<T>) -> Self {
        Self { total_count: None, metadata: Metadata::new(), items: Mutex::new(items) }
    }

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

    /// Sets the total number of results. A wrapper passes on what the inner search reports, which
    /// may be `None`.
    #[must_use]
    pub fn with_total_count(mut self, count: impl Into<Option<TotalCount>>) -> Self {
        self.total_count = count.into();
        self
    }

    /// Sets the provider's metadata about the search.
    #[must_use]
    pub fn with_metadata(mut self, metadata: Metadata) -> Self {
        self.metadata = metadata;
        self
    }

    /// Returns the total number of results; `None` if the backend does not report it.
    pub fn total_count(&self) -> Option<TotalCount> {
        self.total_count
    }

    /// Returns the provider's metadata about the search, such as timings.
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

/// Hides the metadata's values, which may repeat the query or a key.
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
