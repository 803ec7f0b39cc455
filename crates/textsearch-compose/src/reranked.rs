//! A search whose best results are scored again.

use std::{fmt, sync::Arc};

use textsearch_core::{
    Result, SearchOptions, SearchResults, TextSearch, TextSearchRecord as _,
    connector::TextSearchWrapper,
    rerank::{Reranker, checked_scores},
    results::{AnyRecord, ExplanationStep},
};

use crate::blocks::{CANDIDATES, Rescore, Rescored, resorted};

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
}

struct Reranking {
    reranker: Arc<dyn Reranker>,
    query: String,
    connector: String,
    is_explained: bool,
}

impl Rescore for Reranking {
    async fn rescore(&self, records: &[AnyRecord], _: usize) -> Result<Vec<Rescored>> {
        let texts: Vec<String> = records.iter().map(|record| record.text().into_owned()).collect();
        let scores = checked_scores(&*self.reranker, &self.query, &texts, &self.connector).await?;
        let rescored = records.iter().zip(scores).map(|(record, score)| {
            let step = || ExplanationStep {
                detail: Some(self.reranker.name().to_owned()),
                score_before: record.to_result().score,
                score: Some(score),
                ..ExplanationStep::new(ExplanationStep::RERANKING)
            };
            Rescored { score, step: self.is_explained.then(step) }
        });
        Ok(rescored.collect())
    }
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
        let reranking = Reranking {
            reranker: Arc::clone(&self.reranker),
            query: query.to_owned(),
            connector: self.inner.name().to_owned(),
            is_explained: options.include_explanation,
        };
        resorted(&*self.inner, query, options, self.candidates, reranking).await
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
