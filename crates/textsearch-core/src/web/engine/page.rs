//! What an engine returns: a request, and a page of records.

use std::fmt;

use crate::{
    http::HttpRequest,
    results::{Metadata, TotalCount},
    web::{ResultList, is_empty},
};

/// The request of a search, without the address of a page.
pub struct WebRequest<R> {
    pub(super) http: HttpRequest,
    pub(super) keeps: Option<Box<Keeps<R>>>,
    pub(super) has_total_count: bool,
}

type Keeps<R> = dyn Fn(&R) -> bool + Send + Sync;

impl<R> WebRequest<R> {
    /// Keeps only the records that `keeps` accepts, for engines that don't apply a filter reliably.
    #[must_use]
    pub fn with_record_filter(
        mut self,
        keeps: impl Fn(&R) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.keeps = Some(Box::new(keeps));
        self
    }

    /// Ignores the total count of the response, for example because it counts records that a filter
    /// leaves out.
    #[must_use]
    pub fn without_total_count(mut self) -> Self {
        self.has_total_count = false;
        self
    }
}

impl<R> From<HttpRequest> for WebRequest<R> {
    fn from(http: HttpRequest) -> Self {
        Self { http, keeps: None, has_total_count: true }
    }
}

impl<R> fmt::Debug for WebRequest<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("WebRequest").field("http", &self.http).finish_non_exhaustive()
    }
}

/// The records of one response.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ResultPage<R> {
    /// The records, in the engine's order.
    pub records: Vec<R>,
    /// The number of results in the response, readable or not.
    pub sent: usize,
    /// Whether another page follows. `None`: one follows a page that is full or, if requests have
    /// no size, not empty.
    pub has_more: Option<bool>,
    /// The total count. Only the first page's counts.
    pub total_count: Option<TotalCount>,
    /// The metadata. Only the first page's count.
    pub metadata: Metadata,
}

impl<R> ResultPage<R> {
    /// Creates a page of all `records` in a response.
    pub fn new(records: Vec<R>) -> Self {
        Self {
            sent: records.len(),
            records,
            has_more: None,
            total_count: None,
            metadata: Metadata::new(),
        }
    }

    /// Creates a page of the readable results. A warning event of `connector` counts the others.
    pub fn of(connector: &str, results: ResultList<R>) -> Self {
        let sent = results.sent();
        Self { sent, ..Self::new(results.into_readable(connector)) }
    }

    /// Sets the metadata to the other facts of a response, without those that [say nothing](is_empty).
    #[must_use]
    pub fn with_facts(mut self, facts: Metadata) -> Self {
        self.metadata = facts.into_iter().filter(|(_, fact)| !is_empty(fact)).collect();
        self
    }
}
