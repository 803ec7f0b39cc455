//! A search with time limits.

use std::{
    fmt,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use futures_util::{Stream, StreamExt};
use textsearch_core::{
    Error, ErrorKind, Result, SearchOptions, SearchResults, TextSearch,
    connector::TextSearchWrapper, results::AnyRecord,
};
use tokio::time::{Instant, Sleep, sleep_until, timeout};

/// A search that fails with [`Timeout`](ErrorKind::Timeout) when it takes too long.
///
/// - The first limit is for the call, which fetches the first page.
/// - [`with_total_timeout`](Self::with_total_timeout) limits the time from the call to the last
///   result, including the pauses of the reader. Past it, the stream ends with the error.
/// - The wrapper passes on results, order, counts, filters and other errors unchanged. When time is
///   up, it drops the inner search, which stops its work.
///
/// Calls need a Tokio runtime with time enabled.
///
/// ```
/// use std::time::Duration;
/// use textsearch_compose::Timed;
/// use textsearch_core::{FixedSearch, SearchOptions, TextSearch, TextSearchResult};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_core::Result<()> {
/// let notes = FixedSearch::new([TextSearchResult::new("From a note.")]);
/// let search = Timed::new(notes, Duration::from_secs(2)).with_total_timeout(Duration::from_secs(10));
/// assert_eq!(search.search("note", &SearchOptions::top(3)).await?.into_vec().await?, ["From a note."]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Timed {
    inner: Arc<dyn TextSearch>,
    first_page: Duration,
    total: Option<Duration>,
}

impl Timed {
    /// Limits the time until the first page of `search`.
    pub fn new(search: impl TextSearch + 'static, timeout: Duration) -> Self {
        Self { inner: Arc::new(search), first_page: timeout, total: None }
    }

    /// Limits the time from the call to the last result.
    #[must_use]
    pub fn with_total_timeout(mut self, timeout: Duration) -> Self {
        self.total = Some(timeout);
        self
    }

    /// Returns the limit for the first page.
    fn first_limit(&self) -> Duration {
        self.total.map_or(self.first_page, |total| total.min(self.first_page))
    }
}

fn late(connector: &str, what: &str, limit: Duration) -> Error {
    let message = format!("{what} took longer than the limit ({limit:?})");
    Error::new(ErrorKind::Timeout, connector, message)
}

/// Results until a deadline, and then an error.
struct Limited {
    results: SearchResults<AnyRecord>,
    deadline: Instant,
    /// Set once the results have to be waited for.
    timer: Option<Pin<Box<Sleep>>>,
    search: Arc<dyn TextSearch>,
    limit: Duration,
    over: bool,
}

impl Limited {
    fn end(&mut self) -> Poll<Option<Result<AnyRecord>>> {
        self.over = true;
        let connector = self.search.name();
        Poll::Ready(Some(Err(late(connector, "all results together", self.limit))))
    }
}

impl Stream for Limited {
    type Item = Result<AnyRecord>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if this.over {
            return Poll::Ready(None);
        }
        // A stream that is always ready never lets a timer fire.
        if Instant::now() >= this.deadline {
            return this.end();
        }
        let item = this.results.poll_next_unpin(context);
        if item.is_pending() {
            let deadline = this.deadline;
            let timer = this.timer.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
            ready!(timer.as_mut().poll(context));
            return this.end();
        }
        item
    }
}

impl TextSearchWrapper for Timed {
    fn inner(&self) -> &dyn TextSearch {
        &self.inner
    }

    async fn search_inner(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchResults<AnyRecord>> {
        let began = Instant::now();
        let limit = self.first_limit();
        let connector = self.inner.name();
        let first_page = timeout(limit, self.inner.search_any(query, options)).await;
        let results = first_page.map_err(|_| late(connector, "the first page", limit))??;
        // A limit beyond the range of the clock is none.
        let Some((total, deadline)) =
            self.total.and_then(|total| Some((total, began.checked_add(total)?)))
        else {
            return Ok(results);
        };
        let count = results.total_count();
        let metadata = results.metadata().clone();
        let search = Arc::clone(&self.inner);
        let limited = Limited { results, deadline, timer: None, search, limit: total, over: false };
        let limited = SearchResults::from_stream(limited);
        Ok(limited.with_metadata(metadata).with_total_count(count))
    }
}

impl fmt::Debug for Timed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Timed")
            .field("inner", &self.inner.name())
            .field("first_page", &self.first_page)
            .field("total", &self.total)
            .finish()
    }
}
