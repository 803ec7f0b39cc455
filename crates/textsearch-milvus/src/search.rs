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
    ranking::{Ranked, RankedKey, Ranking, Target},
    terms::{self, Weights},
    words,
};

pub(crate) type Results = SearchResults<Scored<StoredRecord>>;

impl Handle {
    /// A text searches by words, because a plain collection has no embedding generator.
    pub(crate) async fn search_by(
        &self,
        input: &SearchInput,
        options: &VectorSearchOptions,
    ) -> Result<Results> {
        match input {
            SearchInput::Vector(vector) => self.by_vector(vector, options)?.run().await,
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
            Some(ranking) => ranking.run().await,
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
        field.check_query(vector, CONNECTOR)?;
        if hnsw(field).is_some() {
            options.ef_search.map_or(Ok(()), check_ef_search)?;
        }
        let Some(column) = self.columns.vector(&field.name) else {
            return Err(refused("vector_field", &field.name, "a vector of the collection"));
        };
        self.ranking(Target::Vector { field, column, vector: Arc::clone(vector) }, options)
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
        let ranking = self.ranking(Target::Words(Weights::default()), options)?;
        if counts.is_empty() {
            return Ok(None);
        }
        let target = Target::Words(words::weighted(self, counts).await?);
        Ok(Some(Ranking { target, ..ranking }))
    }

    fn ranking<'a>(
        &'a self,
        target: Target<'a>,
        options: &'a VectorSearchOptions,
    ) -> Result<Ranking<'a>> {
        let filter = options.filter.as_ref();
        self.definition.check_filter(filter, CONNECTOR)?;
        Ok(Ranking {
            handle: self,
            options,
            order: options.order(target.is_higher_better(), CONNECTOR)?,
            condition: Condition::new(filter, &self.columns),
            target,
        })
    }

    /// Reads the records of ranked keys that don't have them yet. Leaves out records that are gone
    /// or no longer match.
    pub(crate) async fn scored(
        &self,
        ranked_keys: Vec<RankedKey>,
        options: &VectorSearchOptions,
    ) -> Result<Vec<Scored<StoredRecord>>> {
        let missing = ranked_keys.iter().filter(|ranked_key| ranked_key.record.is_none());
        let missing: Vec<_> = missing.map(|ranked_key| ranked_key.key.clone()).collect();
        let mut records = if missing.is_empty() {
            Default::default()
        } else {
            self.records_of(&missing, options.include_vectors).await?
        };
        let scored = ranked_keys.into_iter().filter_map(|ranked_key| {
            let record = ranked_key.record.or_else(|| records.remove(&ranked_key.key));
            let record = record.filter(|record| record.matches(options.filter.as_ref()))?;
            Some(Scored::new(record, ranked_key.score, Arc::clone(&self.definition)))
        });
        Ok(scored.collect())
    }
}

impl Ranking<'_> {
    async fn run(&self) -> Result<Results> {
        let options = self.options;
        let Ranked { ranked_keys, whole } = self.best(options.end(), true).await?;
        let count = if !options.include_total_count {
            None
        } else if whole {
            Some(ranked_keys.len() as u64)
        } else {
            Some(self.count().await?)
        };
        let results = self.handle.scored(options.window(ranked_keys).collect(), options).await?;
        Ok(SearchResults::from_vec(results).with_total_count(count.map(TotalCount::Exact)))
    }

    /// Counts all records of the ranking.
    async fn count(&self) -> Result<u64> {
        if self.options.score_threshold.is_none() && self.condition.is_exact {
            let candidates = self.candidates();
            let count = match &self.target {
                Target::Vector { .. } => Some(self.handle.count(&candidates).await?),
                Target::Words(weights) => {
                    words::count_any(self.handle, &candidates, weights).await?
                }
            };
            if let Some(count) = count {
                return Ok(count);
            }
        }
        Ok(self.best(usize::MAX, false).await?.ranked_keys.len() as u64)
    }
}
