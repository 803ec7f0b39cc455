//! The collection type for callers.

use std::{fmt, marker::PhantomData, pin::pin, sync::Arc};

use super::{
    CollectionRecord, DistinctValue, GetOptions, RecordDefinition, RecordKey, ScanOptions, Scored,
    SearchInput, StoredRecord, VectorCollection, VectorSearchOptions, scored::explained,
};
use crate::{
    Filter, Result, SearchResults,
    results::ExplanationStep,
    telemetry::{operations, retrieval::Retrieval},
};

/// A collection of records of type `R` in any store. A clone is cheap and uses the same records.
///
/// [`VectorStoreExt::collection`](super::VectorStoreExt::collection) makes one for a
/// [`VectorRecord`](super::VectorRecord),
/// [`dynamic_collection`](super::VectorStoreExt::dynamic_collection) for a definition made at run
/// time. [`VectorCollection`] lists each method's guarantees. A result that is not an `R` is an
/// [`Undecodable`](crate::ErrorKind::Undecodable) error in the stream.
///
/// Each search emits one `retrieval` span, unless it is part of another search that emits one. Each
/// `upsert` and each deletion of records also emits a span.
///
/// ```
/// use textsearch_core::vector::{Collection, StoredRecord, VectorSearchOptions};
///
/// # async fn example(notes: Collection<StoredRecord>, records: Vec<StoredRecord>) -> textsearch_core::Result<()> {
/// notes.ensure_exists().await?;
/// notes.upsert(records).await?;
/// let results = notes.search("how do I sign in", &VectorSearchOptions::top(3)).await?;
/// for hit in results.into_vec().await? {
///     println!("{:.2} {}", hit.score, hit.record.key);
/// }
/// # Ok(())
/// # }
/// ```
pub struct Collection<R = StoredRecord> {
    stored: Arc<dyn VectorCollection>,
    record: PhantomData<fn() -> R>,
}

impl<R: CollectionRecord> Collection<R> {
    /// Reads and writes records as values of type `R`.
    pub fn new(stored: impl VectorCollection + 'static) -> Self {
        Self::from_arc(Arc::new(stored))
    }

    pub(super) fn from_arc(stored: Arc<dyn VectorCollection>) -> Self {
        Self { stored, record: PhantomData }
    }

    /// Returns the store's own collection.
    pub fn stored(&self) -> &Arc<dyn VectorCollection> {
        &self.stored
    }

    /// Returns the name of the collection.
    pub fn name(&self) -> &str {
        self.stored.name()
    }

    /// Returns the connector's name, such as `inmemory`.
    pub fn store_name(&self) -> &str {
        self.stored.store_name()
    }

    /// Returns the definition of the records.
    pub fn definition(&self) -> &Arc<RecordDefinition> {
        self.stored.definition()
    }

    /// Returns whether the store has the collection.
    ///
    /// # Errors
    ///
    /// Errors of the backend.
    pub async fn exists(&self) -> Result<bool> {
        self.stored.exists().await
    }

    /// Creates the collection unless it exists. An existing collection keeps its records.
    ///
    /// # Errors
    ///
    /// Errors of [`VectorCollection::ensure_exists`].
    pub async fn ensure_exists(&self) -> Result<()> {
        self.stored.ensure_exists().await
    }

    /// Deletes the collection with its records. Does nothing if it doesn't exist.
    ///
    /// # Errors
    ///
    /// Errors of the backend.
    pub async fn delete_collection(&self) -> Result<()> {
        self.stored.delete_collection().await
    }

    /// Stores the records. Each replaces the record with its key.
    ///
    /// # Errors
    ///
    /// Errors of [`VectorCollection::upsert`].
    pub async fn upsert(&self, records: Vec<R>) -> Result<()> {
        let count = records.len();
        let work = async {
            let definition = self.definition();
            let stored: Result<_> =
                records.into_iter().map(|record| record.into_stored(definition)).collect();
            self.stored.upsert(stored?).await
        };
        operations::upsert(self.stored.as_ref(), count, pin!(work)).await
    }

    /// Returns the records with these keys, in this order. Keys without a record are left out.
    ///
    /// # Errors
    ///
    /// [`Undecodable`](crate::ErrorKind::Undecodable) if a record is not an `R`, and errors of the
    /// backend.
    pub async fn get(&self, keys: &[RecordKey], options: &GetOptions) -> Result<Vec<R>> {
        let stored = self.stored.get(keys, options).await?;
        stored.into_iter().map(R::from_stored).collect()
    }

    /// Deletes the records with these keys. A key without a record is no error.
    ///
    /// # Errors
    ///
    /// Errors of the backend.
    pub async fn delete(&self, keys: &[RecordKey]) -> Result<()> {
        let work = self.stored.delete(keys);
        operations::delete(self.stored.as_ref(), Some(keys.len()), pin!(work)).await
    }

    /// Deletes all records that match `filter`.
    ///
    /// # Errors
    ///
    /// Errors of [`VectorCollection::delete_matching`].
    pub async fn delete_matching(&self, filter: &Filter) -> Result<()> {
        let work = self.stored.delete_matching(filter);
        operations::delete(self.stored.as_ref(), None, pin!(work)).await
    }

    /// Returns the records that match the options, in their order, with an exact total count.
    ///
    /// # Errors
    ///
    /// Errors of [`VectorCollection::scan`].
    pub async fn scan(&self, options: &ScanOptions) -> Result<SearchResults<R>> {
        Ok(self.stored.scan(options).await?.try_map(R::from_stored))
    }

    /// Returns the most frequent values of a filterable field, among the records that match `filter`,
    /// each with its number of records. Not every store counts values.
    ///
    /// # Errors
    ///
    /// Errors of [`VectorCollection::distinct_values`].
    pub async fn distinct_values(
        &self,
        field: &str,
        filter: Option<&Filter>,
        limit: usize,
    ) -> Result<Vec<DistinctValue>> {
        self.stored.distinct_values(field, filter, limit).await
    }

    /// Searches by vector. A text is embedded if the collection has an embedding generator, and
    /// searched by its words if not.
    ///
    /// # Errors
    ///
    /// Errors of [`VectorCollection::search`].
    pub async fn search(
        &self,
        input: impl Into<SearchInput> + Send,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<R>>> {
        let input = input.into();
        let work = async {
            let results = self.stored.search(&input, options).await?;
            Ok(typed(explained(results, options, step(&input))))
        };
        let query = match &input {
            SearchInput::Text(text) => Some(text.as_str()),
            SearchInput::Vector(_) => None,
        };
        self.retrieval(query, options).observe(pin!(work)).await
    }

    /// Runs [`search`](Self::search) for each of `inputs`, with results in the same order.
    ///
    /// # Errors
    ///
    /// Errors of [`search`](Self::search).
    pub async fn search_batch(
        &self,
        inputs: &[SearchInput],
        options: &VectorSearchOptions,
    ) -> Result<Vec<SearchResults<Scored<R>>>> {
        let work = async {
            let results = self.stored.search_batch(inputs, options).await?;
            let explained = results
                .into_iter()
                .zip(inputs)
                .map(|(results, input)| typed(explained(results, options, step(input))));
            Ok(explained.collect())
        };
        let retrieval = Retrieval { queries: Some(inputs.len()), ..self.retrieval(None, options) };
        retrieval.observe_batch(pin!(work)).await
    }

    /// Searches the full-text fields for the words of `text`.
    ///
    /// # Errors
    ///
    /// Errors of [`VectorCollection::full_text_search`].
    pub async fn full_text_search(
        &self,
        text: &str,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<R>>> {
        let work = async {
            let results = self.stored.full_text_search(text, options).await?;
            Ok(typed(explained(results, options, ExplanationStep::FULL_TEXT)))
        };
        self.retrieval(Some(text), options).observe(pin!(work)).await
    }

    /// Searches by words and by vector, and fuses the rankings. If `vector` is `None`, an embedding
    /// generator embeds `text`.
    ///
    /// # Errors
    ///
    /// Errors of [`VectorCollection::hybrid_search`].
    pub async fn hybrid_search(
        &self,
        text: &str,
        vector: Option<Arc<[f32]>>,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<R>>> {
        let work = async {
            let results = self.stored.hybrid_search(text, vector, options).await?;
            Ok(typed(explained(results, options, ExplanationStep::FUSION)))
        };
        self.retrieval(Some(text), options).observe(pin!(work)).await
    }

    fn retrieval<'a>(
        &'a self,
        query: Option<&'a str>,
        options: &VectorSearchOptions,
    ) -> Retrieval<'a> {
        Retrieval {
            provider: self.store_name(),
            data_source: self.name(),
            query,
            top: options.top,
            skip: options.skip,
            queries: None,
        }
    }
}

/// Returns the step of a search by `input`. A collection that embeds texts adds its step itself.
fn step(input: &SearchInput) -> &'static str {
    match input {
        SearchInput::Vector(_) => ExplanationStep::VECTOR,
        SearchInput::Text(_) => ExplanationStep::FULL_TEXT,
    }
}

fn typed<R: CollectionRecord>(
    results: SearchResults<Scored<StoredRecord>>,
) -> SearchResults<Scored<R>> {
    results.try_map(|scored| scored.try_map(R::from_stored))
}

impl<R> Clone for Collection<R> {
    fn clone(&self) -> Self {
        Self { stored: Arc::clone(&self.stored), record: PhantomData }
    }
}

impl<R> fmt::Debug for Collection<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Collection")
            .field("store", &self.stored.store_name())
            .field("name", &self.stored.name())
            .finish()
    }
}
