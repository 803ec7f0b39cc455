//! Reordering of search results by a reranker, by diversity, or by both in that order.
//!
//! The ranking is read in blocks of candidates, each reordered by itself. So a result keeps its
//! place whichever page is requested, and a block is fetched and scored only when it is read. A
//! result that cannot be read is an error after its block.

use std::{any::type_name, cmp::Ordering, mem, sync::Arc};

use super::{
    CollectionRecord, Distance, RecordDefinition, Scored, StoredRecord, VectorSearchOptions,
    diversity::diversified,
};
use crate::{
    Error, Result, SearchResults,
    rerank::{Reranker, checked_scores},
    results::{ExplanationStep, Page},
};

const CANDIDATES: usize = 50;

#[derive(Clone)]
pub(super) struct Reordering {
    pub(super) reranker: Option<Arc<dyn Reranker>>,
    pub(super) lambda: Option<f64>,
    pub(super) candidates: usize,
}

impl Default for Reordering {
    fn default() -> Self {
        Self { reranker: None, lambda: None, candidates: CANDIDATES }
    }
}

impl Reordering {
    pub(super) fn is_any(&self) -> bool {
        self.reranker.is_some() || self.lambda.is_some()
    }

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

    /// Widens the window to whole blocks. Returns how many results come before the requested ones.
    pub(super) fn widen(&self, options: &mut VectorSearchOptions) -> usize {
        let before = options.skip % self.candidates;
        options.skip -= before;
        let blocks = before.saturating_add(options.top).div_ceil(self.candidates);
        options.top = blocks.saturating_mul(self.candidates);
        options.include_vectors = self.lambda.is_some();
        before
    }
}

pub(super) struct Blocks<R> {
    pub(super) reordering: Reordering,
    pub(super) query: String,
    pub(super) definition: Arc<RecordDefinition>,
    /// The name of the vector that diversity compares, and its distance.
    pub(super) vector: Option<(String, Distance)>,
    pub(super) connector: String,
    /// The number of results before the block.
    pub(super) read: usize,
    pub(super) is_explained: bool,
    pub(super) results: SearchResults<Scored<R>>,
}

struct Candidate<R> {
    result: Scored<R>,
    /// The vector that diversity compares, if the record has it.
    vector: Option<Arc<[f32]>>,
}

impl<R: CollectionRecord> Blocks<R> {
    /// Fetches and scores the first block at once.
    pub(super) async fn into_results(self) -> Result<SearchResults<Scored<R>>> {
        let count = self.results.total_count();
        let metadata = self.results.metadata().clone();
        let first = self.into_page().await?;
        let results = SearchResults::paged(first, Self::into_page).with_metadata(metadata);
        Ok(results.try_map(|item| item).with_total_count(count))
    }

    async fn into_page(mut self) -> Result<Page<Result<Scored<R>>, Self>> {
        let mut candidates = Vec::new();
        let mut failed = Vec::new();
        while candidates.len() + failed.len() < self.reordering.candidates
            && let Some(result) = self.results.next().await
        {
            match result.and_then(|result| self.candidate(result)) {
                Ok(candidate) => candidates.push(candidate),
                Err(error) => failed.push(Err(error)),
            }
        }
        let count = candidates.len() + failed.len();
        let is_full = count == self.reordering.candidates;
        // Reranking may cost money, so check the vectors first.
        self.check_vectors(&candidates)?;
        if let Some(reranker) = self.reordering.reranker.clone() {
            self.rerank(reranker.as_ref(), &mut candidates).await?;
        }
        let mut items: Vec<_> = self.diversified(candidates).into_iter().map(Ok).collect();
        self.read += count;
        // Unreadable results have no rank.
        items.append(&mut failed);
        Ok(Page::new(items, is_full.then_some(self)))
    }

    /// Drops the record's other vectors.
    fn candidate(&self, result: Scored<R>) -> Result<Candidate<R>> {
        let Some((field, _)) = &self.vector else { return Ok(Candidate { result, vector: None }) };
        let mut vector = None;
        let result = result.try_map(|record| {
            let (record, mut vectors) = record.split_vectors(&self.definition)?;
            vector = vectors.remove(field);
            Ok(record)
        })?;
        Ok(Candidate { result, vector })
    }

    async fn rerank(&self, reranker: &dyn Reranker, candidates: &mut [Candidate<R>]) -> Result<()> {
        if candidates.is_empty() {
            return Ok(());
        }
        let text =
            |candidate: &Candidate<R>| candidate.result.record.text(&self.definition).into_owned();
        let texts: Vec<String> = candidates.iter().map(text).collect();
        let scores = checked_scores(reranker, &self.query, &texts, &self.connector).await?;
        for (number, (candidate, score)) in candidates.iter_mut().zip(scores).enumerate() {
            let score_before = mem::replace(&mut candidate.result.score, score);
            if self.is_explained {
                candidate.result.explanation.push(ExplanationStep {
                    detail: Some(reranker.name().to_owned()),
                    score_before: Some(score_before),
                    score: Some(score),
                    ..self.step(ExplanationStep::RERANKING, number)
                });
            }
        }
        // Ties keep the order of the search. 0 and -0 are equal, and no score is NaN.
        let order = |left: f64, right: f64| left.partial_cmp(&right).unwrap_or(Ordering::Equal);
        candidates.sort_by(|left, right| order(right.result.score, left.result.score));
        let sorted = candidates.iter_mut().map(|candidate| &mut candidate.result);
        self.rank(sorted, ExplanationStep::RERANKING);
        Ok(())
    }

    /// Returns a step that moves the result at the position `number` of the block.
    fn step(&self, name: &'static str, number: usize) -> ExplanationStep {
        ExplanationStep { rank_before: Some(self.read + number + 1), ..ExplanationStep::new(name) }
    }

    /// Adds the ranks after the step `name`.
    fn rank<'a>(&self, results: impl Iterator<Item = &'a mut Scored<R>>, name: &str) {
        if !self.is_explained {
            return;
        }
        for (result, rank) in results.zip(self.read + 1..) {
            if let Some(step) = result.explanation.step_mut(name) {
                step.rank = Some(rank);
            }
        }
    }

    fn diversified(&self, mut candidates: Vec<Candidate<R>>) -> Vec<Scored<R>> {
        let (Some(lambda), Some((_, distance))) = (self.reordering.lambda, &self.vector) else {
            return candidates.into_iter().map(|candidate| candidate.result).collect();
        };
        if self.is_explained {
            for (number, candidate) in candidates.iter_mut().enumerate() {
                let step = self.step(ExplanationStep::DIVERSITY, number);
                candidate.result.explanation.push(step);
            }
        }
        let scores: Vec<f64> = candidates.iter().map(|candidate| candidate.result.score).collect();
        let apart = |candidate: Candidate<R>| (candidate.vector, Some(candidate.result));
        let (vectors, mut results): (Vec<_>, Vec<_>) = candidates.into_iter().map(apart).unzip();
        let order = diversified(&scores, &vectors, *distance, lambda);
        let ordered = order.into_iter().filter_map(|place| results.get_mut(place)?.take());
        let mut ordered: Vec<_> = ordered.collect();
        self.rank(ordered.iter_mut(), ExplanationStep::DIVERSITY);
        ordered
    }

    /// Without any vector to compare, reports why: the records have none, or their type loses it.
    fn check_vectors(&self, candidates: &[Candidate<R>]) -> Result<()> {
        let (Some(lambda), Some((field, _))) = (self.reordering.lambda, &self.vector) else {
            return Ok(());
        };
        let Some(first) = candidates.first() else { return Ok(()) };
        if candidates.iter().any(|candidate| candidate.vector.is_some()) {
            return Ok(());
        }
        if loses_vector(&first.result.record, field, &self.definition) {
            let name = type_name::<R>();
            let value =
                format!("{lambda} over records of `{name}`, which loses its vector `{field}`");
            let allowed = "a type that is derived, writes its vectors with serde, or overrides `split_vectors`";
            return Err(Error::invalid_options(&self.connector, "diversity", value, allowed));
        }
        tracing::warn!(
            field,
            candidates = candidates.len(),
            "diversity changes nothing: no candidate has the vector"
        );
        Ok(())
    }
}

/// Puts a vector into `record` and checks that it can be split off again.
fn loses_vector<R: CollectionRecord>(
    record: &R,
    field: &str,
    definition: &RecordDefinition,
) -> bool {
    let vector = definition.vectors.iter().find(|known| known.name == field);
    let vector = vec![1.0; vector.map_or(0, |known| known.dimensions)];
    let stored = StoredRecord::from_serialize(record, definition);
    let read = stored.and_then(|stored| R::from_stored(stored.with_vector(field, vector)));
    let split = read.and_then(|record| record.split_vectors(definition));
    // A record that cannot be written or read this way proves nothing.
    split.is_ok_and(|(_, vectors)| !vectors.contains_key(field))
}
