//! The collection type for callers, with records of any type.

use std::{fmt, marker::PhantomData, pin::pin, sync::Arc};

use super::{
    CollectionRecord, GetOptions, RecordDefinition, RecordKey, ScanOptions, Scored, SearchInput,
    StoredRecord, VectorCollection, VectorSearchOptions,
};
use crate::{
    Filter, Result, SearchResults,
    telemetry::{operations, retrieval::Retrieval},
};

/// A collection of records of type `R` in any store.
///
/// [`VectorStoreExt::collection`](super::VectorStoreExt::collection) makes one for a type that
/// implements [`VectorRecord`](super::VectorRecord).
/// [`VectorStoreExt::dynamic_collection`](super::VectorStoreExt::dynamic_collection) makes one for
/// a definition made at run time. A clone is cheap and uses the same records.
///
/// [`VectorCollection`] lists what every store guarantees for each method.
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
/// let found = notes.search("how do I sign in", &VectorSearchOptions::top(3)).await?;
/// for hit in found.into_vec().await? {
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
    /// Reads and writes the records of `stored` as values of type `R`.
    pub fn new(stored: impl VectorCollection + 'static) -> Self {
        Self::of(Arc::new(stored))
    }

    /// Wraps a store's collection without another pointer around it.
    pub(super) fn of(stored: Arc<dyn VectorCollection>) -> Self {
        Self { stored, record: PhantomData }
    }

    /// Returns the collection as the store implements it.
    pub fn stored(&self) -> &Arc<dyn VectorCollection> {
        &self.stored
    }

    /// Returns the name of the collection.
    pub fn name(&self) -> &str {
        self.stored.name()
    }

    /// Returns the name of the store's connector, such as `inmemory`.
    pub fn store_name(&self) -> &str {
        self.stored.store_name()
    }

    /// Returns the definition of the records.
    pub fn definition(&self) -> &Arc<RecordDefinition> {
        self.stored.definition()
    }

    /// Returns whether the collection exists in the store.
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
    /// Returns [`InvalidOptions`](crate::ErrorKind::InvalidOptions) with the field's name if the
    /// existing collection has an incompatible definition. Also errors of the backend.
    pub async fn ensure_exists(&self) -> Result<()> {
        self.stored.ensure_exists().await
    }

    /// Deletes the collection with all its records. Does nothing if it doesn't exist.
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
    /// Returns [`InvalidRecord`](crate::ErrorKind::InvalidRecord) with the key of a record that
    /// does not fit the definition. Also errors of the backend.
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

    /// Returns the records with these keys, in the order of `keys`. Keys without a record are left
    /// out.
    ///
    /// # Errors
    ///
    /// Returns [`Undecodable`](crate::ErrorKind::Undecodable) if a record is not an `R`. Also
    /// errors of the backend.
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
    /// [`UnsupportedFilter`](crate::ErrorKind::UnsupportedFilter), and errors of the backend. An
    /// unsupported filter deletes nothing.
    pub async fn delete_matching(&self, filter: &Filter) -> Result<()> {
        let work = self.stored.delete_matching(filter);
        operations::delete(self.stored.as_ref(), None, pin!(work)).await
    }

    /// Returns the records that match the options, in their order, with an exact total count.
    ///
    /// # Errors
    ///
    /// Errors of [`VectorCollection::scan`]. A record that is not an `R` is an error in the stream.
    pub async fn scan(&self, options: &ScanOptions) -> Result<SearchResults<R>> {
        Ok(self.stored.scan(options).await?.try_map(R::from_stored))
    }

    /// Searches by vector. A text is embedded if the collection has an embedding generator, and
    /// searched by its words if not.
    ///
    /// # Errors
    ///
    /// Errors of [`VectorCollection::search`]. A record that is not an `R` is an error in the
    /// stream.
    pub async fn search(
        &self,
        input: impl Into<SearchInput> + Send,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<R>>> {
        let input = input.into();
        let work = async { Ok(typed(self.stored.search(&input, options).await?)) };
        self.retrieval(options).observe(pin!(work)).await
    }

    /// Runs [`search`](Self::search) for each of `inputs`. The results are in the order of the
    /// inputs.
    ///
    /// # Errors
    ///
    /// Errors of [`search`](Self::search) for any of the inputs.
    pub async fn search_batch(
        &self,
        inputs: &[SearchInput],
        options: &VectorSearchOptions,
    ) -> Result<Vec<SearchResults<Scored<R>>>> {
        let work = async {
            let found = self.stored.search_batch(inputs, options).await?;
            Ok(found.into_iter().map(typed).collect())
        };
        let retrieval = Retrieval { queries: Some(inputs.len()), ..self.retrieval(options) };
        retrieval.observe_batch(pin!(work)).await
    }

    /// Searches the full-text fields for the words of `text`.
    ///
    /// # Errors
    ///
    /// Errors of [`VectorCollection::full_text_search`]. A record that is not an `R` is an error in
    /// the stream.
    pub async fn full_text_search(
        &self,
        text: &str,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<R>>> {
        let work = async { Ok(typed(self.stored.full_text_search(text, options).await?)) };
        self.retrieval(options).observe(pin!(work)).await
    }

    /// Searches by words and by vector, and fuses the two rankings as the options say. If `vector`
    /// is `None`, the collection's embedding generator embeds `text`.
    ///
    /// # Errors
    ///
    /// Errors of [`VectorCollection::hybrid_search`]. A record that is not an `R` is an error in
    /// the stream.
    pub async fn hybrid_search(
        &self,
        text: &str,
        vector: Option<Arc<[f32]>>,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<R>>> {
        let work = async { Ok(typed(self.stored.hybrid_search(text, vector, options).await?)) };
        self.retrieval(options).observe(pin!(work)).await
    }

    fn retrieval(&self, options: &VectorSearchOptions) -> Retrieval<'_> {
        Retrieval {
            provider: self.store_name(),
            data_source: self.name(),
            top: options.top,
            skip: options.skip,
            queries: None,
        }
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
