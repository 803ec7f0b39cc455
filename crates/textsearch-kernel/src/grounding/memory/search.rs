//! A memory as a search.

use textsearch_core::{
    CheckedOptions, Error, Filter, FilterableField, SearchOptions, SearchResults,
    TextSearchConnector, TextSearchRecord as _, TextSearchResult,
    vector::{SearchMode, VectorSearchOptions},
};

use super::TextMemory;

impl TextMemory {
    /// Returns at most `limit` records that match `query`, best first, whose score reaches or beats
    /// `min_score` and the [memory's own](Self::with_min_score). A blank query finds nothing.
    ///
    /// # Errors
    ///
    /// Errors of the store.
    pub async fn recall(
        &self,
        query: &str,
        limit: usize,
        min_score: Option<f64>,
    ) -> Result<Vec<TextSearchResult>, Error> {
        if query.trim().is_empty() {
            return Ok(Vec::new());
        }
        let memory = Self { min_score: self.stricter(min_score)?, ..self.clone() };
        memory.records(query, &SearchOptions::top(limit)).await?.into_vec().await
    }

    /// Returns the threshold that fewer records reach.
    fn stricter(&self, min_score: Option<f64>) -> Result<Option<f64>, Error> {
        let (Some(own), Some(other)) = (self.min_score, min_score) else {
            return Ok(self.min_score.or(min_score));
        };
        Ok(Some(if self.is_higher_better()? { own.max(other) } else { own.min(other) }))
    }

    fn is_higher_better(&self) -> Result<bool, Error> {
        let definition = self.collection.definition();
        // A collection without vectors searches by words.
        if self.mode != SearchMode::Vector || definition.vectors.is_empty() {
            return Ok(true);
        }
        let field = definition.vector_field(None, self.collection.store_name())?;
        Ok(field.distance.is_higher_better())
    }

    fn vector_options(&self, options: &SearchOptions) -> VectorSearchOptions {
        let filters = [self.namespace_filter(), options.filter().map(|filter| filter.into_owned())];
        let mut vector_options = VectorSearchOptions::top(options.top)
            .with_skip(options.skip)
            .with_total_count(options.include_total_count);
        vector_options.filter = filters.into_iter().flatten().reduce(Filter::and);
        vector_options.score_threshold = self.min_score;
        vector_options
    }
}

impl TextSearchConnector for TextMemory {
    type Record = TextSearchResult;

    fn name(&self) -> &str {
        self.collection.store_name()
    }

    fn data_source(&self) -> &str {
        self.collection.name()
    }

    async fn search_records(
        &self,
        query: &str,
        options: &CheckedOptions<'_, Self>,
    ) -> Result<SearchResults<TextSearchResult>, Error> {
        let options = self.vector_options(options);
        let results = match self.mode {
            SearchMode::FullText => self.collection.full_text_search(query, &options).await?,
            SearchMode::Hybrid => self.collection.hybrid_search(query, None, &options).await?,
            SearchMode::Vector => self.collection.search(query, &options).await?,
        };
        let memory = self.clone();
        let source = self.name().to_owned();
        Ok(results.map(move |record| {
            let result = record.to_result().with_source(source.as_str());
            memory.with_own_key(result)
        }))
    }

    fn fields(&self) -> &[FilterableField] {
        &self.fields
    }

    fn supports_fixed_filter(&self) -> bool {
        true
    }
}
