//! Rankings that are read in blocks, each scored again and sorted by itself.
//!
//! So a result has the same place on every page, `top` and `skip` are exact, and a block is scored
//! only when it is read.

use std::cmp::Ordering;

use textsearch_core::{
    Error, Result, SearchOptions, SearchResults, TextSearch, TextSearchRecord as _,
    connector::Mapped,
    results::{AnyRecord, ExplanationStep, Page},
};

/// The usual number of results in a block.
pub(crate) const CANDIDATES: usize = 50;

/// Scores the results of a block again.
pub(crate) trait Rescore: Send + Sync + 'static {
    /// Returns a score for each record, in order; higher is better. None is NaN. `before` results
    /// precede the block.
    fn rescore(
        &self,
        records: &[AnyRecord],
        before: usize,
    ) -> impl Future<Output = Result<Vec<Rescored>>> + Send;
}

pub(crate) struct Rescored {
    pub(crate) score: f64,
    /// What happened, without ranks, if the search is explained.
    pub(crate) step: Option<ExplanationStep>,
}

/// Searches for `query`, and sorts each block of `candidates` results by their new scores.
pub(crate) async fn resorted(
    search: &dyn TextSearch,
    query: &str,
    options: &SearchOptions,
    candidates: usize,
    rescore: impl Rescore,
) -> Result<SearchResults<AnyRecord>> {
    if candidates == 0 {
        return Err(Error::invalid_options(search.name(), "candidates", 0, "at least 1"));
    }
    if options.top == 0 {
        return search.search_any(query, options).await;
    }
    let before = options.skip % candidates;
    let last = before.saturating_add(options.top);
    let mut widened = options.clone();
    widened.skip -= before;
    widened.top = last.div_ceil(candidates).saturating_mul(candidates);
    let results = search.search_any(query, &widened).await?;
    let count = results.total_count();
    let metadata = results.metadata().clone();
    let mut blocks = Blocks { rescore, candidates, before: widened.skip, results };
    let first = blocks.next().await?;
    let is_enough = first.last || last <= candidates;
    let ranked = if is_enough && first.failed.is_empty() {
        SearchResults::from_vec(first.ranked)
    } else {
        SearchResults::paged(blocks.page_of(first), Blocks::into_page).try_map(|item| item)
    };
    let ranked = ranked.window(before, options.top).map(into_record);
    Ok(ranked.with_metadata(metadata).with_total_count(count))
}

/// The rest of a search.
struct Blocks<R> {
    rescore: R,
    candidates: usize,
    /// The number of results before the next block.
    before: usize,
    results: SearchResults<AnyRecord>,
}

/// A block, best first, and the errors of results that could not be read.
struct Block {
    ranked: Vec<Ranked>,
    failed: Vec<Error>,
    last: bool,
}

type Ranked = (AnyRecord, Rescored);

impl<R: Rescore> Blocks<R> {
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
        let count = records.len() + failed.len();
        let ranked = self.ranked(records).await?;
        self.before += count;
        Ok(Block { ranked, failed, last: count < self.candidates })
    }

    async fn ranked(&self, records: Vec<AnyRecord>) -> Result<Vec<Ranked>> {
        if records.is_empty() {
            return Ok(Vec::new());
        }
        let rescored = self.rescore.rescore(&records, self.before).await?;
        let mut ranked: Vec<_> = records.into_iter().zip(rescored).collect();
        let steps = |ranked: &mut [Ranked], set: fn(&mut ExplanationStep) -> &mut Option<usize>| {
            for ((_, rescored), rank) in ranked.iter_mut().zip(self.before + 1..) {
                if let Some(step) = &mut rescored.step {
                    *set(step) = Some(rank);
                }
            }
        };
        steps(&mut ranked, |step| &mut step.rank_before);
        // Ties keep their order. No score is NaN.
        ranked.sort_by(|(_, left), (_, right)| {
            right.score.partial_cmp(&left.score).unwrap_or(Ordering::Equal)
        });
        steps(&mut ranked, |step| &mut step.rank);
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

fn into_record((record, Rescored { score, step }): Ranked) -> AnyRecord {
    let record = match step {
        Some(step) => record.with_step(step),
        None => record,
    };
    let result = record.to_result().with_score(score);
    Mapped::new(record, result).into_any_record()
}
