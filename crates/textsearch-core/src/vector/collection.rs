//! A collection of records: what a back end implements, and its typed form.

use std::{fmt, marker::PhantomData, sync::Arc};

use async_trait::async_trait;

use super::{
    CollectionRecord, GetOptions, RecordDefinition, RecordKey, ScanOptions, Scored, SearchInput,
    StoredRecord, VectorSearchOptions,
};
use crate::{Filter, Result, SearchResults};

/// A collection of records of type `R` in a store.
///
/// Back ends implement it for [`StoredRecord`]; [`Collection`] gives it for types of the user's own.
///
/// # Behavior
///
/// - Results come best first; records of equal score come in the order of their keys.
/// - A filter that names a field which is not [filterable](super::DataField::filterable), and is not the key, is
///   [`UnsupportedFilter`](crate::ErrorKind::UnsupportedFilter).
/// - Any call but [`exists`](Self::exists), [`ensure_exists`](Self::ensure_exists) and
///   [`delete_collection`](Self::delete_collection) on a collection that does not exist is
///   [`CollectionNotFound`](crate::ErrorKind::CollectionNotFound).
/// - Records are copied in and out: changing one that was returned does not change the collection.
#[async_trait]
pub trait VectorCollection<R: Send + 'static>: Send + Sync {
    /// The name of the collection.
    fn name(&self) -> &str;

    /// The name of the store's connector, such as `inmemory`: it appears in errors and spans.
    fn store_name(&self) -> &str;

    /// What the records look like.
    fn definition(&self) -> &Arc<RecordDefinition>;

    /// Whether the collection exists in the store.
    ///
    /// # Errors
    ///
    /// Any kind that a store which cannot be reached answers with.
    async fn exists(&self) -> Result<bool>;

    /// Creates the collection unless it exists.
    ///
    /// # Errors
    ///
    /// [`InvalidOptions`](crate::ErrorKind::InvalidOptions) where it exists with a definition that does not fit.
    async fn ensure_exists(&self) -> Result<()>;

    /// Deletes the collection with all its records; it is no error if there is none.
    ///
    /// # Errors
    ///
    /// Any kind that a store which cannot be reached answers with.
    async fn delete_collection(&self) -> Result<()>;

    /// Stores the records, each in place of the one with its key. Of two with the same key in one call the last holds.
    ///
    /// # Errors
    ///
    /// [`InvalidRecord`](crate::ErrorKind::InvalidRecord) that names the key, where a record does not fit the
    /// definition; nothing of the batch is stored then, in stores that can undo.
    async fn upsert(&self, records: Vec<R>) -> Result<()>;

    /// The records with these keys, in the order of `keys`; keys without a record are left out.
    ///
    /// # Errors
    ///
    /// [`Undecodable`](crate::ErrorKind::Undecodable) where a record is not an `R`.
    async fn get(&self, keys: &[RecordKey], options: &GetOptions) -> Result<Vec<R>>;

    /// Deletes the records with these keys; a key without a record is no error.
    ///
    /// # Errors
    ///
    /// Those of the back end.
    async fn delete(&self, keys: &[RecordKey]) -> Result<()>;

    /// Deletes all records that `filter` lets through.
    ///
    /// # Errors
    ///
    /// [`UnsupportedFilter`](crate::ErrorKind::UnsupportedFilter), and those of the back end.
    async fn delete_matching(&self, filter: &Filter) -> Result<()>;

    /// The records that fit the options, in their order, with an exact total count.
    ///
    /// # Errors
    ///
    /// [`UnsupportedFilter`](crate::ErrorKind::UnsupportedFilter), and those of the back end.
    async fn scan(&self, options: &ScanOptions) -> Result<SearchResults<R>>;

    /// The records that fit `input` best: by vector, or for a text by its embedding where the collection has an
    /// embedding generator, and by full text where it has none.
    ///
    /// # Errors
    ///
    /// [`InvalidOptions`](crate::ErrorKind::InvalidOptions) for a vector of the wrong length or with values that are
    /// not numbers; [`UnsupportedFilter`](crate::ErrorKind::UnsupportedFilter); and those of the back end.
    async fn search(
        &self,
        input: &SearchInput,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<R>>>;

    /// What [`search`](Self::search) finds for each of `inputs`, in their order.
    ///
    /// One after another unless the back end can share work between them.
    ///
    /// # Errors
    ///
    /// Those of [`search`](Self::search) for any of the inputs.
    async fn search_batch(
        &self,
        inputs: &[SearchInput],
        options: &VectorSearchOptions,
    ) -> Result<Vec<SearchResults<Scored<R>>>> {
        let mut found = Vec::with_capacity(inputs.len());
        for input in inputs {
            found.push(self.search(input, options).await?);
        }
        Ok(found)
    }

    /// The records whose full-text fields fit the words of `text` best.
    ///
    /// # Errors
    ///
    /// [`InvalidOptions`](crate::ErrorKind::InvalidOptions) where the collection has no full-text field.
    async fn full_text_search(
        &self,
        text: &str,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<R>>>;

    /// The records that fit best by words and by vector, the two rankings fused as the options say. The embedding of
    /// `text` stands in for a `vector` that is not given, where the collection has an embedding generator.
    ///
    /// # Errors
    ///
    /// [`InvalidOptions`](crate::ErrorKind::InvalidOptions) where there is no vector to search with or a weight is not
    /// from 0 to 1, and those of
    /// [`search`](Self::search) and [`full_text_search`](Self::full_text_search).
    async fn hybrid_search(
        &self,
        text: &str,
        vector: Option<Arc<[f32]>>,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<R>>>;
}

/// A collection whose records are a type of the user's own, over the stored form of any back end.
pub struct Collection<R> {
    stored: Arc<dyn VectorCollection<StoredRecord>>,
    record: PhantomData<fn() -> R>,
}

impl<R: CollectionRecord> Collection<R> {
    /// Reads and writes the records of `stored` as values of type `R`.
    pub fn new(stored: Arc<dyn VectorCollection<StoredRecord>>) -> Self {
        Self { stored, record: PhantomData }
    }

    /// The same collection in its stored form.
    pub fn stored(&self) -> &Arc<dyn VectorCollection<StoredRecord>> {
        &self.stored
    }
}

#[async_trait]
impl<R: CollectionRecord> VectorCollection<R> for Collection<R> {
    fn name(&self) -> &str {
        self.stored.name()
    }

    fn store_name(&self) -> &str {
        self.stored.store_name()
    }

    fn definition(&self) -> &Arc<RecordDefinition> {
        self.stored.definition()
    }

    async fn exists(&self) -> Result<bool> {
        self.stored.exists().await
    }

    async fn ensure_exists(&self) -> Result<()> {
        self.stored.ensure_exists().await
    }

    async fn delete_collection(&self) -> Result<()> {
        self.stored.delete_collection().await
    }

    async fn upsert(&self, records: Vec<R>) -> Result<()> {
        let definition = self.definition();
        let stored: Result<_> =
            records.into_iter().map(|record| record.into_stored(definition)).collect();
        self.stored.upsert(stored?).await
    }

    async fn get(&self, keys: &[RecordKey], options: &GetOptions) -> Result<Vec<R>> {
        let stored = self.stored.get(keys, options).await?;
        stored.into_iter().map(R::from_stored).collect()
    }

    async fn delete(&self, keys: &[RecordKey]) -> Result<()> {
        self.stored.delete(keys).await
    }

    async fn delete_matching(&self, filter: &Filter) -> Result<()> {
        self.stored.delete_matching(filter).await
    }

    async fn scan(&self, options: &ScanOptions) -> Result<SearchResults<R>> {
        Ok(self.stored.scan(options).await?.try_map(R::from_stored))
    }

    async fn search(
        &self,
        input: &SearchInput,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<R>>> {
        Ok(typed(self.stored.search(input, options).await?))
    }

    async fn search_batch(
        &self,
        inputs: &[SearchInput],
        options: &VectorSearchOptions,
    ) -> Result<Vec<SearchResults<Scored<R>>>> {
        let found = self.stored.search_batch(inputs, options).await?;
        Ok(found.into_iter().map(typed).collect())
    }

    async fn full_text_search(
        &self,
        text: &str,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<R>>> {
        Ok(typed(self.stored.full_text_search(text, options).await?))
    }

    async fn hybrid_search(
        &self,
        text: &str,
        vector: Option<Arc<[f32]>>,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<R>>> {
        Ok(typed(self.stored.hybrid_search(text, vector, options).await?))
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
