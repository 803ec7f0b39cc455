//! What changes the order in which a search found its results: a reranker, diversity, or the one and then the other.
//!
//! The ranking is read in blocks of so many candidates, and each block is put into its new order by itself. So a result
//! stands at the same place whichever page of the ranking is asked for, and a block is fetched and judged only when
//! somebody reads it.

use std::sync::Arc;

use super::{
    CollectionRecord, Distance, RecordDefinition, Reranker, Scored, VectorSearchOptions,
    diversity::diversified, reranker,
};
use crate::{Error, Page, Result, SearchResults};

/// How many of the best results are looked at again, where nobody says.
const CANDIDATES: usize = 50;

/// What is done with each block of candidates.
#[derive(Clone)]
pub(super) struct Reordering {
    pub(super) reranker: Option<Arc<dyn Reranker>>,
    /// The weight of relevance in maximal marginal relevance.
    pub(super) lambda: Option<f64>,
    /// How many results a block has.
    pub(super) candidates: usize,
}

impl Default for Reordering {
    fn default() -> Self {
        Self { reranker: None, lambda: None, candidates: CANDIDATES }
    }
}

impl Reordering {
    /// Whether there is anything to be done.
    pub(super) fn is_any(&self) -> bool {
        self.reranker.is_some() || self.lambda.is_some()
    }

    /// Refuses what could never work, in the name of `connector`.
    pub(super) fn check(&self, connector: &str) -> Result<()> {
        match self.lambda {
            Some(lambda) if !(0.0..=1.0).contains(&lambda) => {
                let allowed = "from 0, as different as possible, to 1, as relevant as possible";
                Err(Error::invalid_options(connector, "diversity", lambda, allowed))
            }
            _ if self.candidates == 0 => {
                Err(Error::invalid_options(connector, "candidates", 0, "at least 1"))
            }
            _ => Ok(()),
        }
    }

    /// Asks for the whole blocks that the results lie in, in place of the results; returns how many come before them.
    pub(super) fn widen(&self, options: &mut VectorSearchOptions) -> usize {
        let before = options.skip % self.candidates;
        options.skip -= before;
        let blocks = before.saturating_add(options.top).div_ceil(self.candidates);
        options.top = blocks.saturating_mul(self.candidates);
        options.include_vectors = self.lambda.is_some();
        before
    }
}

/// The rest of a ranking, with what it takes to put it into its new order.
pub(super) struct Blocks<R> {
    pub(super) reordering: Reordering,
    pub(super) query: String,
    pub(super) definition: Arc<RecordDefinition>,
    /// The name of the vector that diversity compares, and how; `None` without diversity.
    pub(super) vector: Option<(String, Distance)>,
    /// The name of the store, for errors.
    pub(super) connector: String,
    pub(super) found: SearchResults<Scored<R>>,
}

impl<R: CollectionRecord> Blocks<R> {
    /// All that is left, in its new order. The first block is fetched and judged at once.
    pub(super) async fn into_results(self) -> Result<SearchResults<Scored<R>>> {
        let (count, metadata) = (self.found.total_count(), self.found.metadata().clone());
        let first = self.into_page().await?;
        let results = SearchResults::paged(first, Self::into_page).with_metadata(metadata);
        Ok(match count {
            Some(count) => results.with_total_count(count),
            None => results,
        })
    }

    async fn into_page(mut self) -> Result<Page<Scored<R>, Self>> {
        let mut candidates = Vec::new();
        while candidates.len() < self.reordering.candidates
            && let Some(candidate) = self.found.next().await
        {
            candidates.push(candidate?);
        }
        let is_full = candidates.len() == self.reordering.candidates;
        if let Some(reranker) = self.reordering.reranker.clone() {
            candidates = self.reranked(&reranker, candidates).await?;
        }
        candidates = self.diversified(candidates)?;
        Ok(Page::new(candidates, is_full.then_some(self)))
    }

    async fn reranked(
        &self,
        reranker: &Arc<dyn Reranker>,
        mut candidates: Vec<Scored<R>>,
    ) -> Result<Vec<Scored<R>>> {
        if candidates.is_empty() {
            return Ok(candidates);
        }
        let text = |candidate: &Scored<R>| candidate.record.text(&self.definition).into_owned();
        let texts: Vec<String> = candidates.iter().map(text).collect();
        let scores = reranker::scores(reranker, &self.query, &texts, &self.connector).await?;
        for (candidate, score) in candidates.iter_mut().zip(scores) {
            candidate.score = score;
        }
        // Equals stay in the order of the search.
        candidates.sort_by(|one, other| other.score.total_cmp(&one.score));
        Ok(candidates)
    }

    fn diversified(&self, candidates: Vec<Scored<R>>) -> Result<Vec<Scored<R>>> {
        let (Some(lambda), Some((field, distance))) = (self.reordering.lambda, &self.vector) else {
            return Ok(candidates);
        };
        let scores: Vec<f64> = candidates.iter().map(|candidate| candidate.score).collect();
        let (mut without, mut vectors) = (Vec::new(), Vec::new());
        for candidate in candidates {
            without.push(Some(self.without_vectors(candidate, field, &mut vectors)?));
        }
        let order = diversified(&scores, &vectors, *distance, lambda);
        Ok(order.into_iter().filter_map(|place| without.get_mut(place)?.take()).collect())
    }

    /// The candidate without its vectors; the one called `field`, if it has it, goes to the end of `taken`.
    fn without_vectors(
        &self,
        candidate: Scored<R>,
        field: &str,
        taken: &mut Vec<Option<Arc<[f32]>>>,
    ) -> Result<Scored<R>> {
        candidate.try_map(|record| {
            let mut stored = record.into_stored(&self.definition)?;
            taken.push(std::mem::take(&mut stored.vectors).remove(field));
            R::from_stored(stored)
        })
    }
}
