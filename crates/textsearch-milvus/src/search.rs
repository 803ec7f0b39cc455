//! Searches by one ranking.

use std::sync::Arc;

use textsearch_core::{
    Result, SearchResults,
    results::TotalCount,
    vector::{Scored, SearchInput, StoredRecord, VectorSearchOptions},
};

use crate::{
    CONNECTOR,
    definition::{check_ef_search, hnsw},
    error::refused,
    filter::Condition,
    handle::Handle,
    ranking::{Hit, Ranked, Ranking, Target},
    read::matches,
    terms, words,
};

type Results = SearchResults<Scored<StoredRecord>>;

impl Handle {
    /// A text searches by words, because a plain collection has no embedding generator.
    pub(crate) async fn search(
        &self,
        input: &SearchInput,
        options: &VectorSearchOptions,
    ) -> Result<Results> {
        match input {
            SearchInput::Vector(vector) => {
                let ranking = self.by_vector(vector, options)?;
                self.results(&ranking, options).await
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
        match self.by_words(text, options).await? {
            Some(ranking) => self.results(&ranking, options).await,
            None => {
                self.check_exists().await?;
                let count = options.include_total_count.then_some(TotalCount::Exact(0));
                Ok(SearchResults::from_vec(Vec::new()).with_total_count(count))
            }
        }
    }

    /// Checks a search before anything is sent.
    pub(crate) fn by_vector<'a>(
        &'a self,
        vector: &Arc<[f32]>,
        options: &'a VectorSearchOptions,
    ) -> Result<Ranking<'a>> {
        let field = self.definition.vector_field(options.vector_field.as_deref(), CONNECTOR)?;
        if let Some(fault) = field.fault(vector) {
            return Err(refused("vector", fault, "a vector that fits"));
        }
        if hnsw(field).is_some() {
            options.ef_search.map_or(Ok(()), check_ef_search)?;
        }
        let condition = self.condition(options)?;
        let Some(column) = self.columns.vector(&field.name) else {
            return Err(refused("vector_field", &field.name, "a vector of the collection"));
        };
        let target = Target::Vector { field, column, vector: Arc::clone(vector) };
        Ok(self.ranking(target, condition, options))
    }

    /// Returns `None` if the text has no words.
    pub(crate) async fn by_words<'a>(
        &'a self,
        text: &str,
        options: &'a VectorSearchOptions,
    ) -> Result<Option<Ranking<'a>>> {
        let names = &options.full_text_fields;
        let counts = self.text_fields.query(&self.definition, names, text, CONNECTOR)?;
        let counts = terms::weights(counts);
        let condition = self.condition(options)?;
        if counts.is_empty() {
            return Ok(None);
        }
        let weights = words::weighted(self, counts).await?;
        Ok(Some(self.ranking(Target::Words(weights), condition, options)))
    }

    fn ranking<'a>(
        &'a self,
        target: Target<'a>,
        condition: Condition,
        options: &'a VectorSearchOptions,
    ) -> Ranking<'a> {
        Ranking {
            handle: self,
            target,
            filter: options.filter.as_ref(),
            condition,
            ef_search: options.ef_search,
            is_exact: options.exact,
        }
    }

    fn condition(&self, options: &VectorSearchOptions) -> Result<Condition> {
        if options.score_threshold.is_some_and(f64::is_nan) {
            return Err(refused("score_threshold", "not a number", "a number"));
        }
        if let Some(filter) = &options.filter {
            self.definition.check_filter(filter, CONNECTOR)?;
        }
        Ok(Condition::new(options.filter.as_ref(), &self.columns))
    }

    async fn results(
        &self,
        ranking: &Ranking<'_>,
        options: &VectorSearchOptions,
    ) -> Result<Results> {
        let wanted = options.skip.saturating_add(options.top);
        let Ranked { mut hits, whole } =
            ranking.best(wanted, true, options.include_vectors).await?;
        let is_higher_better = ranking.is_higher_better();
        let is_within = |hit: &Hit| reaches(hit.score, options.score_threshold, is_higher_better);
        hits.retain(is_within);
        let count = if !options.include_total_count {
            None
        } else if whole {
            Some(hits.len() as u64)
        } else {
            Some(count(ranking, options, is_within).await?)
        };
        let window = hits.into_iter().skip(options.skip).take(options.top).collect();
        let results = self.scored(window, options).await?;
        Ok(SearchResults::from_vec(results).with_total_count(count.map(TotalCount::Exact)))
    }

    /// Reads the records of hits that don't have them yet. Records that are gone or no longer match
    /// are left out.
    pub(crate) async fn scored(
        &self,
        hits: Vec<Hit>,
        options: &VectorSearchOptions,
    ) -> Result<Vec<Scored<StoredRecord>>> {
        let missing = hits.iter().filter(|hit| hit.record.is_none());
        let missing: Vec<_> = missing.map(|hit| hit.key.clone()).collect();
        let mut records = if missing.is_empty() {
            Default::default()
        } else {
            self.records_of(&missing, options.include_vectors).await?
        };
        let scored = hits.into_iter().filter_map(|hit| {
            let record = hit.record.or_else(|| records.remove(&hit.key));
            let record = record.filter(|record| matches(options.filter.as_ref(), record))?;
            Some(Scored::new(record, hit.score, Arc::clone(&self.definition)))
        });
        Ok(scored.collect())
    }
}

/// Counts all records of a ranking.
async fn count(
    ranking: &Ranking<'_>,
    options: &VectorSearchOptions,
    is_within: impl Fn(&Hit) -> bool,
) -> Result<u64> {
    if options.score_threshold.is_none() && ranking.condition.is_exact {
        let (handle, candidates) = (ranking.handle, ranking.candidates());
        let count = match &ranking.target {
            Target::Vector { .. } => Some(handle.count(&candidates).await?),
            Target::Words(weights) => words::count_any(handle, &candidates, weights).await?,
        };
        if let Some(count) = count {
            return Ok(count);
        }
    }
    let all = ranking.best(usize::MAX, false, false).await?;
    Ok(all.hits.iter().filter(|hit| is_within(hit)).count() as u64)
}

/// Compares within the precision of the server's scores.
pub(crate) fn reaches(score: f64, threshold: Option<f64>, is_higher_better: bool) -> bool {
    threshold.is_none_or(|threshold| {
        let (score, threshold) = (score as f32, threshold as f32);
        if is_higher_better { score >= threshold } else { score <= threshold }
    })
}
