//! A text search over any collection.

use std::{fmt, sync::Arc};

use schemars::Schema;
use serde_json::Value;

use super::{
    Collection, CollectionRecord, DistinctValue, Fusion, Scored, SearchMode, StoredRecord,
    VectorSearchOptions,
    reordering::{Blocks, Reordering},
};
use crate::{
    CheckedOptions, ErrorKind, Filter, FilterableField, Result, SearchOptions, SearchResults,
    TextSearchConnector, filter::FilterValue, invisible::with_hidden, record::schema_of,
    rerank::Reranker, results::ExplanationStep,
};

/// A text search over a collection, with the options, filters and results of a web search.
///
/// Filters may name the definition's filterable fields. They are applied apart from the query, so a
/// fixed filter always holds.
///
/// A search works in this order; steps 2 to 4 are off by default:
///
/// 1. Find records by [mode](Self::with_mode).
/// 2. Drop results worse than the [threshold](Self::with_score_threshold).
/// 3. Score the best again with the [reranker](Self::with_reranker).
/// 4. Move results that repeat others behind new ones ([diversity](Self::with_diversity)).
///
/// ```
/// use textsearch_core::vector::{Collection, Fusion, SearchMode, VectorStoreTextSearch};
///
/// fn search(collection: Collection) -> VectorStoreTextSearch {
///     VectorStoreTextSearch::new(collection)
///         .with_mode(SearchMode::Hybrid)
///         .with_fusion(Fusion::weighted_scores(0.7))
///         .with_diversity(0.5)
/// }
/// ```
pub struct VectorStoreTextSearch<R = StoredRecord> {
    collection: Collection<R>,
    fields: Vec<FilterableField>,
    mode: SearchMode,
    /// The options of each search; a caller's own settings replace them.
    defaults: VectorSearchOptions,
    reordering: Reordering,
}

/// More values are no help to choose from.
const MAX_EXAMPLES: usize = 20;

const MAX_EXAMPLE_CHARS: usize = 60;

/// Returns `None` for a text that is long or looks like another.
fn example(value: DistinctValue) -> Option<Value> {
    if let FilterValue::String(text) = &value.value {
        let is_long = text.chars().nth(MAX_EXAMPLE_CHARS).is_some();
        let is_odd = with_hidden(text).any(|(c, is_hidden)| is_hidden || c.is_control());
        if is_long || is_odd || text.is_empty() {
            return None;
        }
    }
    serde_json::to_value(value.value).ok()
}

impl<R: CollectionRecord> VectorStoreTextSearch<R> {
    /// Searches `collection` by embedding if it has an embedding generator, and by full text if
    /// not.
    pub fn new(collection: Collection<R>) -> Self {
        let fields = collection.definition().filterable_fields();
        Self {
            collection,
            fields,
            mode: SearchMode::default(),
            defaults: VectorSearchOptions::default(),
            reordering: Reordering::default(),
        }
    }

    /// Sets how the records are found.
    #[must_use]
    pub fn with_mode(mut self, mode: SearchMode) -> Self {
        self.mode = mode;
        self
    }

    /// Sets how a hybrid search fuses its rankings: by default [weighted
    /// scores](Fusion::WeightedScores) with [`Fusion::DEFAULT_VECTOR_WEIGHT`].
    #[must_use]
    pub fn with_fusion(mut self, fusion: Fusion) -> Self {
        self.defaults.fusion = fusion;
        self
    }

    /// Drops results whose score is worse than `threshold`, before any reranker. The scale depends
    /// on the mode:
    ///
    /// - By vector: the field's distance, which may be lower-is-better.
    /// - By full text: the store's score.
    /// - Hybrid: the fused score.
    #[must_use]
    pub fn with_score_threshold(mut self, threshold: f64) -> Self {
        self.defaults.score_threshold = Some(threshold);
        self
    }

    /// Compares `field` instead of the first vector field.
    #[must_use]
    pub fn with_vector_field(mut self, field: impl Into<String>) -> Self {
        self.defaults.vector_field = Some(field.into());
        self
    }

    /// Scores the best [candidates](Self::with_candidates) again with `reranker` and sorts them,
    /// best first. Ties keep the order of the search. Results have the reranker's scores.
    ///
    /// The reranker reads the query and the text of each candidate. If it fails, the search fails
    /// with an error that names it. A candidate that cannot be read is an error after the others.
    #[must_use]
    pub fn with_reranker(mut self, reranker: impl Reranker + 'static) -> Self {
        self.reordering.reranker = Some(Arc::new(reranker));
        self
    }

    /// Orders the best [candidates](Self::with_candidates) by maximal marginal relevance
    /// ([Carbonell and Goldstein 1998](https://dl.acm.org/doi/10.1145/290941.291025)): results that
    /// repeat others come after new ones. Scores stay unchanged, so they no longer fall.
    ///
    /// Each step selects the candidate d with the largest
    ///
    /// > `lambda` · relevance(d) − (1 − `lambda`) · max similarity(d, e)
    ///
    /// over the results e before it. `lambda` ranges from 0, as different as possible, to 1, as
    /// relevant as possible; 0.5 is usual.
    ///
    /// Relevance is the score of the search or the reranker. Similarity is the distance of the
    /// [compared](Self::with_vector_field) field, whatever the mode. Both are scaled over the
    /// candidates: 1 for the best score and the most similar pair, 0 for the worst and the least
    /// similar.
    ///
    /// A candidate without a vector keeps its position. If none has a vector, the search logs a
    /// warning, or returns [`InvalidOptions`](crate::ErrorKind::InvalidOptions) if the record type
    /// reads its vectors but [`split_vectors`](CollectionRecord::split_vectors) does not return
    /// them. A candidate that cannot be read is an error after the others.
    ///
    /// The search fetches the vectors and leaves them out of the results. The time grows with the
    /// square of the number of candidates.
    #[must_use]
    pub fn with_diversity(mut self, lambda: f64) -> Self {
        self.reordering.lambda = Some(lambda);
        self
    }

    /// Sets how many of the best results the reranker and the diversity process at once; 50 by
    /// default.
    ///
    /// A search for fewer results still processes this many, so `skip` and `top` select a window of
    /// one ranking. A longer search processes the next block when its results are read.
    #[must_use]
    pub fn with_candidates(mut self, candidates: usize) -> Self {
        self.reordering.candidates = candidates;
        self
    }

    /// Adds examples to the schemas of these fields, so that a model knows what to filter by: all
    /// values of a field that has at most 20. Values of more than 60 characters, or with hidden
    /// characters, are left out.
    ///
    /// Reads the values once, among the records that match `filter`: pass the fixed filter of the
    /// searches, because the examples would tell what it hides. The values are text of the records,
    /// and as untrusted. A field that isn't filterable stays as it is, and so does every field if the
    /// store doesn't count values.
    ///
    /// # Errors
    ///
    /// Errors of [`VectorCollection::distinct_values`](super::VectorCollection::distinct_values).
    pub async fn with_example_values(
        mut self,
        fields: &[impl AsRef<str> + Sync],
        filter: Option<&Filter>,
    ) -> Result<Self> {
        for name in fields.iter().map(AsRef::as_ref) {
            let Some(place) = self.fields.iter().position(|field| field.name == name) else {
                continue;
            };
            let counted = self.collection.distinct_values(name, filter, MAX_EXAMPLES + 1).await;
            let values = match counted {
                Ok(values) if values.len() <= MAX_EXAMPLES => values,
                Ok(_) => continue,
                Err(error) if matches!(error.kind(), ErrorKind::InvalidOptions { .. }) => continue,
                Err(error) => return Err(error),
            };
            let examples: Vec<Value> = values.into_iter().filter_map(example).collect();
            if !examples.is_empty() {
                let field = self.fields.remove(place);
                self.fields.insert(place, field.with_examples(examples));
            }
        }
        Ok(self)
    }

    /// Returns the searched collection.
    pub fn collection(&self) -> &Collection<R> {
        &self.collection
    }

    fn options(&self, options: &SearchOptions) -> VectorSearchOptions {
        VectorSearchOptions {
            top: options.top,
            skip: options.skip,
            filter: options.filter().map(std::borrow::Cow::into_owned),
            include_total_count: options.include_total_count,
            include_explanation: options.include_explanation,
            ..self.defaults.clone()
        }
    }

    async fn find(
        &self,
        query: &str,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<R>>> {
        let results = match self.mode {
            SearchMode::Vector => self.collection.search(query, options).await,
            SearchMode::FullText => self.collection.full_text_search(query, options).await,
            SearchMode::Hybrid => self.collection.hybrid_search(query, None, options).await,
        }?;
        if !options.include_explanation || options.score_threshold.is_none() {
            return Ok(results);
        }
        let score = options.score_threshold;
        let threshold =
            ExplanationStep { score, ..ExplanationStep::new(ExplanationStep::THRESHOLD) };
        Ok(results.map(move |scored| scored.with_step(threshold.clone())))
    }

    async fn find_reordered(
        &self,
        query: &str,
        mut options: VectorSearchOptions,
    ) -> Result<SearchResults<Scored<R>>> {
        let connector = self.name();
        let definition = self.collection.definition();
        self.reordering.check(connector)?;
        let vector = match self.reordering.lambda {
            Some(_) => {
                let field = definition.vector_field(options.vector_field.as_deref(), connector)?;
                Some((field.name.clone(), field.distance))
            }
            None => None,
        };
        let top = options.top;
        let before = self.reordering.widen(&mut options);
        let blocks = Blocks {
            reordering: self.reordering.clone(),
            query: query.to_owned(),
            definition: Arc::clone(definition),
            vector,
            connector: connector.to_owned(),
            read: options.skip,
            is_explained: options.include_explanation,
            results: self.find(query, &options).await?,
        };
        Ok(blocks.into_results().await?.window(before, top))
    }
}

impl<R: CollectionRecord> TextSearchConnector for VectorStoreTextSearch<R> {
    type Record = Scored<R>;

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
    ) -> Result<SearchResults<Scored<R>>> {
        let options = self.options(options);
        if self.reordering.is_any() && options.top > 0 {
            return self.find_reordered(query, options).await;
        }
        self.find(query, &options).await
    }

    fn fields(&self) -> &[FilterableField] {
        &self.fields
    }

    fn schema(&self) -> Schema {
        let mut schema = schema_of::<Scored<R>>();
        let definition = self.collection.definition();
        // A record defined at run time has no Rust type that lists its fields.
        if let Some(properties) =
            schema.get_mut("properties").and_then(|value| value.as_object_mut())
        {
            for (name, field) in definition.json_properties() {
                properties.entry(name).or_insert(field);
            }
            for vector in &definition.vectors {
                properties.remove(&vector.name);
            }
        }
        if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|name| definition.vectors.iter().all(|vector| *name != vector.name));
        }
        schema
    }

    fn supports_fixed_filter(&self) -> bool {
        true
    }
}

impl<R> Clone for VectorStoreTextSearch<R> {
    fn clone(&self) -> Self {
        Self {
            collection: self.collection.clone(),
            fields: self.fields.clone(),
            mode: self.mode.clone(),
            defaults: self.defaults.clone(),
            reordering: self.reordering.clone(),
        }
    }
}

impl<R: CollectionRecord> fmt::Debug for VectorStoreTextSearch<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("VectorStoreTextSearch")
            .field("store", &self.collection.store_name())
            .field("collection", &self.collection.name())
            .field("mode", &self.mode)
            .field("defaults", &self.defaults)
            .field("reranker", &self.reordering.reranker.as_deref().map(Reranker::name))
            .field("diversity", &self.reordering.lambda)
            .field("candidates", &self.reordering.candidates)
            .finish_non_exhaustive()
    }
}
