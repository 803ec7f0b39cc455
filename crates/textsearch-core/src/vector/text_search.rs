//! Any collection as a text search.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use schemars::Schema;
use serde_json::Value;

use super::{
    CollectionRecord, Scored, SearchInput, SearchMode, StoredRecord, VectorCollection,
    VectorSearchOptions,
};
use crate::{
    FilterableField, Result, SearchOptions, SearchResults, TextSearchConnector, record::schema_of,
};

/// A collection as a text search: the same options, filters and results as a web engine.
///
/// The filterable fields of the definition are the fields that a filter may name, and the fields for name, value and
/// link make the results. Filters are applied apart from the query, so a fixed filter always holds.
pub struct VectorStoreTextSearch<R = StoredRecord> {
    collection: Arc<dyn VectorCollection<R>>,
    fields: Vec<FilterableField>,
    mode: SearchMode,
    score_threshold: Option<f64>,
    vector_field: Option<String>,
}

impl<R: CollectionRecord> VectorStoreTextSearch<R> {
    /// Searches the records of `collection`, by their embeddings where it has an embedding generator, and by full text
    /// where it has none.
    pub fn new(collection: Arc<dyn VectorCollection<R>>) -> Self {
        let fields = collection.definition().filterable_fields();
        Self {
            collection,
            fields,
            mode: SearchMode::default(),
            score_threshold: None,
            vector_field: None,
        }
    }

    /// Sets how the records are found.
    #[must_use]
    pub fn with_mode(mut self, mode: SearchMode) -> Self {
        self.mode = mode;
        self
    }

    /// Leaves out results whose score is worse than `threshold`.
    #[must_use]
    pub fn with_score_threshold(mut self, threshold: f64) -> Self {
        self.score_threshold = Some(threshold);
        self
    }

    /// Compares with the vector called `field`, in place of the first one.
    #[must_use]
    pub fn with_vector_field(mut self, field: impl Into<String>) -> Self {
        self.vector_field = Some(field.into());
        self
    }

    /// The collection that is searched.
    pub fn collection(&self) -> &Arc<dyn VectorCollection<R>> {
        &self.collection
    }

    fn options(&self, options: &SearchOptions) -> VectorSearchOptions {
        VectorSearchOptions {
            top: options.top,
            skip: options.skip,
            filter: options.filter().map(std::borrow::Cow::into_owned),
            include_total_count: options.include_total_count,
            score_threshold: self.score_threshold,
            vector_field: self.vector_field.clone(),
            ..VectorSearchOptions::default()
        }
    }
}

#[async_trait]
impl<R: CollectionRecord> TextSearchConnector for VectorStoreTextSearch<R> {
    type Record = Scored<R>;

    fn name(&self) -> &str {
        self.collection.store_name()
    }

    async fn search_records(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchResults<Scored<R>>> {
        let options = self.options(options);
        match self.mode {
            SearchMode::Vector => self.collection.search(&SearchInput::from(query), &options).await,
            SearchMode::FullText => self.collection.full_text_search(query, &options).await,
            SearchMode::Hybrid => self.collection.hybrid_search(query, None, &options).await,
        }
    }

    fn fields(&self) -> &[FilterableField] {
        &self.fields
    }

    fn schema(&self) -> Schema {
        let mut schema = schema_of::<Scored<R>>();
        let definition = self.collection.definition();
        // A record defined at run time has no type to take its fields from.
        if let Some(properties) =
            schema.get_mut("properties").and_then(|value| value.as_object_mut())
        {
            for (name, field) in definition.json_properties() {
                properties.entry(name).or_insert(field);
            }
            // A result is written without them.
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
            collection: Arc::clone(&self.collection),
            fields: self.fields.clone(),
            mode: self.mode.clone(),
            score_threshold: self.score_threshold,
            vector_field: self.vector_field.clone(),
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
            .field("score_threshold", &self.score_threshold)
            .field("vector_field", &self.vector_field)
            .finish_non_exhaustive()
    }
}
