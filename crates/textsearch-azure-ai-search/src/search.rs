//! Searches: the window of a ranking, and its size.
//!
//! The service orders equal scores in any way, and ends a ranking between them. So a search reads
//! until the last wanted record differs from the last one read, and sorts equal scores by key.

use std::sync::Arc;

use textsearch_core::{
    Result, SearchResults,
    results::TotalCount,
    vector::{self, SearchInput, StoredRecord, VectorSearchOptions},
};

use crate::{
    CONNECTOR, error::refused, index::Index, ranking::Ranking, read::matches,
    request::SearchRequest, score::Scored,
};

type Results = SearchResults<vector::Scored<StoredRecord>>;

/// The beginning of a ranking.
struct Found {
    /// All that match the filter, the best first.
    matching: Vec<Scored>,
    /// The score of the last record, matching or not; `None` if there are no more.
    last: Option<f64>,
}

impl Index {
    pub(crate) async fn search(
        &self,
        input: &SearchInput,
        options: &VectorSearchOptions,
    ) -> Result<Results> {
        match input {
            SearchInput::Vector(vector) => {
                check_threshold(options)?;
                let ranking = self.by_vector(vector, options)?;
                self.results(Some(ranking), options).await
            }
            SearchInput::Text(text) => {
                self.definition.check_text_input(CONNECTOR)?;
                self.full_text_search(text, options).await
            }
        }
    }

    pub(crate) async fn full_text_search(
        &self,
        text: &str,
        options: &VectorSearchOptions,
    ) -> Result<Results> {
        check_threshold(options)?;
        let ranking = self.by_words(text, options)?;
        self.results(ranking, options).await
    }

    pub(crate) async fn hybrid_search(
        &self,
        text: &str,
        vector: Option<Arc<[f32]>>,
        options: &VectorSearchOptions,
    ) -> Result<Results> {
        check_threshold(options)?;
        let Some(vector) = vector else {
            let allowed = "a vector to search with, or a store with an embedding generator, see \
                           `VectorStoreExt::with_embedding_generator`";
            return Err(refused("vector", "not given", allowed));
        };
        let ranking = self.by_both(text, &vector, options)?;
        self.results(Some(ranking), options).await
    }

    /// Without a ranking, nothing is found.
    async fn results(
        &self,
        ranking: Option<Ranking>,
        options: &VectorSearchOptions,
    ) -> Result<Results> {
        let count = |count| options.include_total_count.then_some(count);
        let Some(ranking) = ranking.filter(|ranking| !ranking.preselection.is_empty) else {
            self.check_exists().await?;
            let none = SearchResults::from_vec(Vec::new());
            return Ok(none.with_total_count(count(TotalCount::Exact(0))));
        };
        let mut found = self.read(&ranking, options).await?;
        let scoring = &ranking.scoring;
        found.matching.retain(|one| scoring.reaches(one.score, options.score_threshold));
        let total = if options.include_total_count {
            Some(self.total(&ranking, &found, options).await?)
        } else {
            None
        };
        let window = found.matching.into_iter().skip(options.skip).take(options.top);
        let scored = window
            .map(|one| vector::Scored::new(one.record, one.score, Arc::clone(&self.definition)));
        Ok(SearchResults::from_vec(scored.collect()).with_total_count(total))
    }

    /// Reads as much as the window and the count need.
    async fn read(&self, ranking: &Ranking, options: &VectorSearchOptions) -> Result<Found> {
        let wanted = options.skip.saturating_add(options.top);
        // The service can't count records that only this crate can check.
        let is_counted_here = options.include_total_count
            && (!ranking.preselection.is_exact || options.score_threshold.is_some());
        // One more than wanted shows whether the last result has ties.
        let mut depth = wanted.saturating_add(1).min(ranking.max);
        loop {
            let found = self.read_to(ranking, depth, options).await?;
            let Some(last) = found.last else { return Ok(found) };
            let is_past = !ranking.scoring.reaches(last, options.score_threshold);
            let is_better = |one: &&Scored| ranking.scoring.compare(one.score, last).is_lt();
            let certain = found.matching.iter().take_while(is_better).count();
            if is_past || (certain >= wanted && !is_counted_here) {
                return Ok(found);
            }
            if depth >= ranking.max {
                return checked_end(found, ranking, options, wanted);
            }
            depth = depth.saturating_mul(4).max(64).min(ranking.max);
        }
    }

    async fn read_to(
        &self,
        ranking: &Ranking,
        depth: usize,
        options: &VectorSearchOptions,
    ) -> Result<Found> {
        let mut request = ranking.request.clone();
        for query in request.vector_queries.iter_mut().filter(|query| query.k == 0) {
            query.k = depth;
        }
        let (hits, is_complete) = self.ranked(request, depth).await?;
        let (mut matching, mut last) = (Vec::with_capacity(hits.len()), None::<f64>);
        for hit in hits {
            let score = ranking.scoring.score(&hit)?;
            let is_worse = last.is_none_or(|last| ranking.scoring.compare(last, score).is_lt());
            last = if is_worse { Some(score) } else { last };
            let record = self.record(hit.fields, options.include_vectors)?;
            if matches(options.filter.as_ref(), &record) {
                matching.push(Scored { record, score });
            }
        }
        ranking.scoring.sort(&mut matching);
        Ok(Found { matching, last: last.filter(|_| !is_complete) })
    }

    async fn total(
        &self,
        ranking: &Ranking,
        found: &Found,
        options: &VectorSearchOptions,
    ) -> Result<TotalCount> {
        let read = found.matching.len() as u64;
        let is_past = |last| !ranking.scoring.reaches(last, options.score_threshold);
        if found.last.is_none_or(is_past) {
            return Ok(TotalCount::Exact(read));
        }
        if !ranking.preselection.is_exact || options.score_threshold.is_some() {
            return Ok(TotalCount::Estimated(read));
        }
        let mut request =
            SearchRequest { top: Some(0), count: Some(true), ..ranking.request.clone() };
        for query in request.vector_queries.iter_mut().filter(|query| query.k == 0) {
            (query.k, query.exhaustive) = (ranking.max, true);
        }
        let count = self.page(&request).await?.count.unwrap_or_default();
        // The service calls its counts approximate.
        Ok(TotalCount::Estimated(count.max(read)))
    }
}

/// The ranking goes on, but the service shows no more of it.
fn checked_end(
    found: Found,
    ranking: &Ranking,
    options: &VectorSearchOptions,
    wanted: usize,
) -> Result<Found> {
    if found.matching.len() >= wanted {
        return Ok(found);
    }
    let max = ranking.max;
    if !ranking.preselection.is_exact {
        let matching = found.matching.len();
        let value = format_args!("matched by {matching} of the best {max} records");
        let allowed = "a filter that the service evaluates, or one together with it: it ranks no more \
                       records for this search";
        return Err(refused("filter", value, allowed));
    }
    let (option, value) =
        if options.skip >= max { ("skip", options.skip) } else { ("top", options.top) };
    let allowed =
        format!("a window within the best {max} records, which is all that the service ranks");
    Err(refused(option, value, &allowed))
}

fn check_threshold(options: &VectorSearchOptions) -> Result<()> {
    match options.score_threshold {
        Some(threshold) if threshold.is_nan() => {
            Err(refused("score_threshold", "not a number", "a number"))
        }
        _ => Ok(()),
    }
}
