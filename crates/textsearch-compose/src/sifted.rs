//! Keeps some results of a search, and reads on until there are enough.

use std::sync::Arc;

use futures_util::stream;
use textsearch_core::{
    ErrorKind, Result, SearchOptions, SearchResults, TextSearch, results::AnyRecord,
};

/// A search reads at most this many results, so that it ends even if it keeps none.
const MAX_READ: usize = 1_000;

/// As many as a reranker scores at once.
const MIN_WINDOW: usize = 50;

const GROWTH: usize = 4;

/// Searches for `query` and returns the window of `options` over the results that `keep` accepts.
///
/// Reads the ranking in growing windows, each when the stream reaches it. The number of kept results
/// is unknown, so there is no total count.
pub(crate) async fn sifted(
    search: &Arc<dyn TextSearch>,
    query: &str,
    options: &SearchOptions,
    keep: impl FnMut(&AnyRecord) -> bool + Send + 'static,
) -> Result<SearchResults<AnyRecord>> {
    let SearchOptions { skip, top, .. } = *options;
    let mut inner = options.clone();
    inner.include_total_count = false;
    if top == 0 {
        return Ok(search.search_any(query, &inner).await?.with_total_count(None));
    }
    let wanted = skip.saturating_add(top);
    let max = wanted.max(MAX_READ);
    inner.skip = 0;
    inner.top = wanted.saturating_mul(GROWTH).clamp(MIN_WINDOW, max);
    let results = match search.search_any(query, &inner).await {
        // The connector may have a lower maximum.
        Err(error) if is_beyond_maximum(&error) => {
            inner.top = wanted;
            search.search_any(query, &inner).await?
        }
        results => results?,
    };
    let metadata = results.metadata().clone();
    let windows = Windows {
        search: Arc::clone(search),
        query: query.to_owned(),
        results: results.window(0, inner.top),
        options: inner,
        max,
        read: 0,
        keep,
    };
    let kept = stream::unfold(Some(windows), |windows: Option<Windows<_>>| async move {
        windows?.next().await
    });
    Ok(SearchResults::from_stream(kept).window(skip, top).with_metadata(metadata))
}

fn is_beyond_maximum(error: &textsearch_core::Error) -> bool {
    matches!(error.kind(), ErrorKind::InvalidOptions { .. })
}

/// The rest of a ranking, read in windows.
struct Windows<K> {
    search: Arc<dyn TextSearch>,
    query: String,
    /// The rest of the current window.
    results: SearchResults<AnyRecord>,
    /// The options of the current window.
    options: SearchOptions,
    /// The end of the last window.
    max: usize,
    /// Results read in the current window.
    read: usize,
    keep: K,
}

impl<K: FnMut(&AnyRecord) -> bool> Windows<K> {
    /// Returns the next result to keep, and the rest; no rest after a failed search.
    async fn next(mut self) -> Option<(Result<AnyRecord>, Option<Self>)> {
        loop {
            while let Some(result) = self.results.next().await {
                self.read += 1;
                if result.as_ref().map_or(true, &mut self.keep) {
                    return Some((result, Some(self)));
                }
            }
            match self.open_next_window().await {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => return Some((Err(error), None)),
            }
        }
    }

    /// Returns false at the end of the ranking.
    async fn open_next_window(&mut self) -> Result<bool> {
        let end = self.options.skip + self.options.top;
        if self.read < self.options.top || end >= self.max {
            return Ok(false);
        }
        self.options.skip = end;
        self.options.top = end.saturating_mul(GROWTH - 1).min(self.max - end);
        self.read = 0;
        match self.search.search_any(&self.query, &self.options).await {
            Ok(results) => self.results = results.window(0, self.options.top),
            Err(error) if is_beyond_maximum(&error) => return Ok(false),
            Err(error) => return Err(error),
        }
        Ok(true)
    }
}
