//! Searches: the window of a ranking, and its size.
//!
//! The service orders equal scores in any way, and ends a ranking between them. So a search reads
//! until the last wanted record differs from the last one read, and sorts equal scores by key.

use std::sync::Arc;

use textsearch_core::{
    Result, SearchResults,
    results::TotalCount,
    vector::{Scored, SearchInput, StoredRecord, VectorSearchOptions},
};

use crate::{CONNECTOR, error::refused, handle::Index, ranking::Ranking, wire::SearchRequest};

type Results = SearchResults<Scored<StoredRecord>>;

/// The beginning of a ranking.
struct RankedRecords {
    /// All that match the filter and reach the threshold, the best first.
    matching: Vec<Scored<StoredRecord>>,
    /// The score of the last record, matching or not; `None` if there are no more.
    last: Option<f64>,
}

impl Index {
    pub(crate) async fn search_by(
        &self,
        input: &SearchInput,
        options: &VectorSearchOptions,
    ) -> Result<Results> {
        match input {
            SearchInput::Vector(vector) => {
                let ranking = self.by_vector(vector, options)?;
                self.results(Some(ranking), options).await
            }
            SearchInput::Text(text) => {
                self.definition.check_text_input(CONNECTOR)?;
                self.search_words(text, options).await
            }
        }
    }

    pub(crate) async fn search_words(
        &self,
        text: &str,
        options: &VectorSearchOptions,
    ) -> Result<Results> {
        let ranking = self.by_words(text, options)?;
        self.results(ranking, options).await
    }

    pub(crate) async fn search_both(
        &self,
        text: &str,
        vector: Option<Arc<[f32]>>,
        options: &VectorSearchOptions,
    ) -> Result<Results> {
        let vector = options.hybrid_vector(vector, CONNECTOR)?;
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
        let ranked = self.read_ranking(&ranking, options).await?;
        let total = if options.include_total_count {
            Some(self.total(&ranking, &ranked, options).await?)
        } else {
            None
        };
        let window = options.window(ranked.matching).collect();
        Ok(SearchResults::from_vec(window).with_total_count(total))
    }

    /// Reads as much as the window and the count need.
    async fn read_ranking(
        &self,
        ranking: &Ranking,
        options: &VectorSearchOptions,
    ) -> Result<RankedRecords> {
        let end = options.end();
        // The service can't count records that only this crate can check.
        let is_counted_here = options.include_total_count
            && (!ranking.preselection.is_exact || options.score_threshold.is_some());
        // One more than wanted shows whether the last result has ties.
        let mut depth = end.saturating_add(1).min(ranking.max);
        loop {
            let ranked = self.read_to(ranking, depth, options).await?;
            let Some(last) = ranked.last else { return Ok(ranked) };
            let is_better = |score: f64| ranking.order.compare(score, last).is_lt();
            let certain =
                ranked.matching.iter().take_while(|scored| is_better(scored.score)).count();
            if !ranking.order.reaches(last) || (certain >= end && !is_counted_here) {
                return Ok(ranked);
            }
            if depth >= ranking.max {
                return checked_end(ranked, ranking, options, end);
            }
            depth = depth.saturating_mul(4).max(64).min(ranking.max);
        }
    }

    async fn read_to(
        &self,
        ranking: &Ranking,
        depth: usize,
        options: &VectorSearchOptions,
    ) -> Result<RankedRecords> {
        let mut request = ranking.request.clone();
        for query in request.vector_queries.iter_mut().filter(|query| query.k == 0) {
            query.k = depth;
        }
        let (documents, is_complete) = self.ranked(request, depth).await?;
        let mut matching = Vec::with_capacity(documents.len());
        let mut last = None::<f64>;
        for document in documents {
            let score = ranking.scoring.score(&document)?;
            let is_worse = last.is_none_or(|last| ranking.order.compare(last, score).is_lt());
            last = if is_worse { Some(score) } else { last };
            let record = self.record(document.fields, options.include_vectors)?;
            if record.matches(options.filter.as_ref()) {
                matching.push(Scored::new(record, score, Arc::clone(&self.definition)));
            }
        }
        ranking.order.rank(&mut matching, |scored| (scored.score, &scored.record.key));
        Ok(RankedRecords { matching, last: last.filter(|_| !is_complete) })
    }

    async fn total(
        &self,
        ranking: &Ranking,
        ranked: &RankedRecords,
        options: &VectorSearchOptions,
    ) -> Result<TotalCount> {
        let read = ranked.matching.len() as u64;
        if ranked.last.is_none_or(|last| !ranking.order.reaches(last)) {
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
    ranked: RankedRecords,
    ranking: &Ranking,
    options: &VectorSearchOptions,
    end: usize,
) -> Result<RankedRecords> {
    if ranked.matching.len() >= end {
        return Ok(ranked);
    }
    let max = ranking.max;
    if !ranking.preselection.is_exact {
        let matching = ranked.matching.len();
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
