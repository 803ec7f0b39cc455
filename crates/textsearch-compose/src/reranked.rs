//! A search whose best results are scored again.

use std::{cmp::Ordering, fmt, sync::Arc};

use textsearch_core::{
    Error, Result, SearchOptions, SearchResults, TextSearch, TextSearchRecord,
    connector::{Mapped, TextSearchWrapper},
    rerank::{Reranker, checked_scores},
    results::{AnyRecord, Page},
};

const CANDIDATES: usize = 50;

/// A search whose results a reranker sorts, in blocks of the best [candidates](Self::with_candidates).
///
/// The ranking of the inner search is read in blocks, and each block is sorted by itself. So a
/// result has the same place on every page, and `top` and `skip` are exact. A search for fewer
/// results than a block reads a whole one; a longer one reads the next block when its results are
/// read.
///
/// # Results
///
/// - A result has the reranker's score. Ties keep the order of the inner search. The record's JSON
///   stays as it is.
/// - The wrapper passes on the total count, metadata, filters and fixed filters unchanged.
/// - If the reranker fails, the search fails with an error that names it; for a later block, the
///   error is an item of the stream. A result that cannot be read is an error after its block.
/// - The wrapper requests whole blocks. If a connector has a maximum number of results, the
///   candidates must divide it.
///
/// ```
/// use textsearch_compose::Reranked;
/// use textsearch_core::{
///     FixedSearch, Result, SearchOptions, TextSearch, TextSearchResult, async_trait, rerank::Reranker,
/// };
///
/// /// Puts texts that repeat the query first.
/// struct Verbatim;
///
/// #[async_trait]
/// impl Reranker for Verbatim {
///     fn name(&self) -> &str {
///         "verbatim"
///     }
///
///     async fn rerank(&self, query: &str, texts: &[String]) -> Result<Vec<f64>> {
///         Ok(texts.iter().map(|text| text.matches(query).count() as f64).collect())
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let notes = FixedSearch::new(["A page.", "A note."].map(TextSearchResult::new));
/// let search = Reranked::new(notes, Verbatim).with_candidates(20);
/// assert_eq!(search.search("note", &SearchOptions::top(1)).await?.into_vec().await?, ["A note."]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Reranked {
    inner: Arc<dyn TextSearch>,
    reranker: Arc<dyn Reranker>,
    candidates: usize,
}

impl Reranked {
    /// Sorts the results of `search` by the scores of `reranker`.
    pub fn new(search: impl TextSearch + 'static, reranker: impl Reranker + 'static) -> Self {
        Self { inner: Arc::new(search), reranker: Arc::new(reranker), candidates: CANDIDATES }
    }

    /// Sets how many of the best results are scored at once; 50 by default. With none, each search
    /// returns [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions).
    #[must_use]
    pub fn with_candidates(mut self, candidates: usize) -> Self {
        self.candidates = candidates;
        self
    }

    /// Widens the window to whole blocks. Returns how many results come before the requested ones.
    fn widen(&self, options: &mut SearchOptions) -> usize {
        let before = options.skip % self.candidates;
        options.skip -= before;
        let blocks = before.saturating_add(options.top).div_ceil(self.candidates);
        options.top = blocks.saturating_mul(self.candidates);
        before
    }
}

/// The rest of a search, read in blocks.
struct Blocks {
    reranker: Arc<dyn Reranker>,
    candidates: usize,
    query: String,
    connector: String,
    results: SearchResults<AnyRecord>,
}

/// A block, best first, and the errors of results that could not be read.
struct Block {
    ranked: Vec<Ranked>,
    failed: Vec<Error>,
    last: bool,
}

type Ranked = (AnyRecord, f64);

impl Blocks {
    async fn next(&mut self) -> Result<Block> {
        let mut records = Vec::with_capacity(self.candidates.min(CANDIDATES));
        let mut failed = Vec::new();
        while records.len() + failed.len() < self.candidates
            && let Some(result) = self.results.next().await
        {
            match result {
                Ok(record) => records.push(record),
                Err(error) => failed.push(error),
            }
        }
        let last = records.len() + failed.len() < self.candidates;
        Ok(Block { ranked: self.ranked(records).await?, failed, last })
    }

    async fn ranked(&self, records: Vec<AnyRecord>) -> Result<Vec<Ranked>> {
        if records.is_empty() {
            return Ok(Vec::new());
        }
        let texts: Vec<String> = records.iter().map(|record| record.text().into_owned()).collect();
        let scores = checked_scores(&*self.reranker, &self.query, &texts, &self.connector).await?;
        let mut ranked: Vec<_> = records.into_iter().zip(scores).collect();
        // Ties keep their order. No score is NaN.
        ranked.sort_by(|(_, left), (_, right)| right.partial_cmp(left).unwrap_or(Ordering::Equal));
        Ok(ranked)
    }

    async fn into_page(mut self) -> Result<Page<Result<Ranked>, Self>> {
        let block = self.next().await?;
        Ok(self.page_of(block))
    }

    fn page_of(self, block: Block) -> Page<Result<Ranked>, Self> {
        let Block { ranked, failed, last } = block;
        let items = ranked.into_iter().map(Ok).chain(failed.into_iter().map(Err)).collect();
        Page::new(items, (!last).then_some(self))
    }
}

fn rescored((record, score): Ranked) -> AnyRecord {
    let result = record.to_result().with_score(score);
    Mapped::new(record, result).into_any_record()
}

impl TextSearchWrapper for Reranked {
    fn inner(&self) -> &dyn TextSearch {
        &self.inner
    }

    async fn search_inner(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchResults<AnyRecord>> {
        let connector = self.inner.name();
        if self.candidates == 0 {
            return Err(Error::invalid_options(connector, "candidates", 0, "at least 1"));
        }
        if options.top == 0 {
            return self.inner.search_any(query, options).await;
        }
        let mut widened = options.clone();
        let before = self.widen(&mut widened);
        let results = self.inner.search_any(query, &widened).await?;
        let count = results.total_count();
        let metadata = results.metadata().clone();
        let mut blocks = Blocks {
            reranker: Arc::clone(&self.reranker),
            candidates: self.candidates,
            query: query.to_owned(),
            connector: connector.to_owned(),
            results,
        };
        let first = blocks.next().await?;
        let is_enough = first.last || before.saturating_add(options.top) <= self.candidates;
        let ranked = if is_enough && first.failed.is_empty() {
            SearchResults::from_vec(first.ranked)
        } else {
            SearchResults::paged(blocks.page_of(first), Blocks::into_page).try_map(|item| item)
        };
        let ranked = ranked.window(before, options.top).map(rescored);
        Ok(ranked.with_metadata(metadata).with_total_count(count))
    }
}

impl fmt::Debug for Reranked {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Reranked")
            .field("inner", &self.inner.name())
            .field("reranker", &self.reranker.name())
            .field("candidates", &self.candidates)
            .finish()
    }
}
