//! The trait for collections.

use std::sync::Arc;

use async_trait::async_trait;

use super::{
    DistinctValue, GetOptions, RecordDefinition, RecordKey, ScanOptions, Scored, SearchInput,
    StoredRecord, VectorSearchOptions,
};
use crate::{Error, Filter, Result, SearchResults};

/// A collection of stored records, as a backend implements it. Callers use
/// [`Collection`](super::Collection).
///
/// Put [`#[async_trait]`](crate::async_trait) on each `impl`. Without it, the compiler reports E0195:
/// "lifetimes do not match method in trait".
///
/// # Behavior
///
/// A store returns an error for anything it does not support. It never ignores or does part of it.
///
/// Collections:
///
/// - Handles with one name in one store share their records. Different names share nothing.
/// - Calls on a missing collection return
///   [`CollectionNotFound`](crate::ErrorKind::CollectionNotFound) with its name, and create
///   nothing; except [`exists`](Self::exists), [`ensure_exists`](Self::ensure_exists) and
///   [`delete_collection`](Self::delete_collection).
/// - Many callers may write and read at once. No call fails because of it and no write is lost. A
///   reader sees a record as one writer wrote it, its vectors with its data.
/// - A dropped call may or may not take effect. The collection still works afterwards.
/// - No call blocks its thread: it waits for I/O, locks and other threads asynchronously.
/// - Stored records outlive the handle. If the store persists them, they outlive the program.
///
/// Records:
///
/// - Data are returned as they were stored, bit for bit, including fields outside the definition.
///   Null and missing are distinct, and so are `1` and `1.0`.
/// - Vectors are returned only on request, as they were stored. A store may normalise vectors that
///   it compares by cosine to length one.
/// - Changing a returned record does not change the collection.
/// - Keys differ if any character differs, except UUIDs, which are the same key in any spelling.
///   Integers may be as large as [`u64::MAX`].
///
/// Searches and scans:
///
/// - The best results come first. Ties are ordered by key: texts by code point, integers by value.
/// - Scores are as [`Distance`](super::Distance) defines them, except for rounding.
/// - `top` and `skip` select a window of one ranking or order. No number is too large for them.
/// - A filter keeps the records that [`Filter::matches`] accepts. Other records take no place among
///   the best.
/// - A filter is [`UnsupportedFilter`](crate::ErrorKind::UnsupportedFilter) with the field's name
///   if any part of it names a field that is neither [filterable](super::DataField::filterable) nor
///   the key, or uses an operator that the store does not support.
/// - A total count is returned only on request. It counts all records that match the filter and the
///   threshold, whatever the window, and may be an
///   [estimate](crate::results::TotalCount::Estimated).
/// - A request for an [explanation](VectorSearchOptions::include_explanation) changes no result. A
///   store adds a step for each ranking whose rank and score it knows, as
///   [`Fusion::explain`](super::Fusion::explain) does, or none. [`Collection`](super::Collection) adds
///   the final rank and score for every store.
#[async_trait]
pub trait VectorCollection: Send + Sync {
    /// Returns the name of the collection.
    fn name(&self) -> &str;

    /// Returns the connector's name, such as `inmemory`.
    fn store_name(&self) -> &str;

    /// Returns the definition of the records.
    fn definition(&self) -> &Arc<RecordDefinition>;

    /// Returns whether the store has the collection.
    ///
    /// # Errors
    ///
    /// Any kind that an unreachable store causes.
    async fn exists(&self) -> Result<bool>;

    /// Creates the collection unless it exists. An existing collection keeps its records.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](crate::ErrorKind::InvalidOptions) with the field's name if the
    /// collection exists with an incompatible definition: its keys are of another kind, a vector has
    /// other dimensions or another distance, or the new definition lacks an existing vector.
    async fn ensure_exists(&self) -> Result<()>;

    /// Deletes the collection with all its records. Does nothing if it does not exist.
    ///
    /// # Errors
    ///
    /// Any kind that an unreachable store causes.
    async fn delete_collection(&self) -> Result<()>;

    /// Stores the records. Each replaces the record with its key.
    ///
    /// # Behavior
    ///
    /// - No search or filter finds a replaced record by its old fields, words or vectors.
    /// - If two records in one call have the same key, the last one is stored.
    /// - A call takes any number of records, including none.
    /// - A record may lack its vectors. It can be read and filtered, but no vector search finds it.
    /// - A field may hold values of another kind than defined, if the store can keep them.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidRecord`](crate::ErrorKind::InvalidRecord) with the key if a record does not
    /// fit the definition. That record is not stored. Stores that can roll back store nothing of
    /// the batch. A record does not fit if:
    ///
    /// - its key is of another kind, or an empty text;
    /// - a vector has the wrong length, has elements that are not finite numbers, is not in the
    ///   definition, or is all zeros although the distance [needs a
    ///   direction](super::Distance::needs_direction);
    /// - the store cannot keep its data, such as very large whole numbers, values of another kind,
    ///   or very deeply nested lists.
    async fn upsert(&self, records: Vec<StoredRecord>) -> Result<()>;

    /// Returns the records with these keys, in this order. A key without a record is left out.
    ///
    /// # Behavior
    ///
    /// - A repeated key returns its record repeatedly. No keys return no records.
    /// - A key of another kind has no record.
    ///
    /// # Errors
    ///
    /// Errors of the backend.
    async fn get(&self, keys: &[RecordKey], options: &GetOptions) -> Result<Vec<StoredRecord>>;

    /// Deletes the records with these keys. A key without a record is no error.
    ///
    /// # Behavior
    ///
    /// - No search or read finds a deleted record until its key is stored again.
    /// - A key of another kind has no record.
    ///
    /// # Errors
    ///
    /// Errors of the backend.
    async fn delete(&self, keys: &[RecordKey]) -> Result<()>;

    /// Deletes all records that match `filter`, if any.
    ///
    /// # Errors
    ///
    /// [`UnsupportedFilter`](crate::ErrorKind::UnsupportedFilter), which deletes nothing, and
    /// errors of the backend.
    async fn delete_matching(&self, filter: &Filter) -> Result<()>;

    /// Returns the records that match the options, in their order, with an exact total count.
    ///
    /// # Behavior
    ///
    /// - Records are ordered by one field after another, then by key.
    /// - Numbers order by value, whole or not, texts by code point, dates by instant, and false
    ///   before true. A field that is null or missing comes last in either direction.
    /// - The key can be an order field, too.
    ///
    /// # Errors
    ///
    /// - [`InvalidOptions`](crate::ErrorKind::InvalidOptions) with the names of the existing fields
    ///   if an order field does not exist, or if the store cannot sort that kind of field.
    /// - [`UnsupportedFilter`](crate::ErrorKind::UnsupportedFilter), and errors of the backend.
    async fn scan(&self, options: &ScanOptions) -> Result<SearchResults<StoredRecord>>;

    /// Returns the records that match `input` best.
    ///
    /// A text is embedded if the collection has an embedding generator, and searched by full text
    /// if not.
    ///
    /// # Behavior
    ///
    /// - The search compares the vector field that the options name, or the first one. It does not
    ///   find records without that vector.
    /// - A record whose score equals the threshold in single precision is found.
    /// - An [exact](VectorSearchOptions::exact) search finds the true nearest, whatever the index.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](crate::ErrorKind::InvalidOptions), even if the collection is
    /// empty, if:
    ///
    /// - a vector has the wrong length, has elements that are not finite numbers, or is all zeros
    ///   although the distance [needs a direction](super::Distance::needs_direction);
    /// - the [`vector_field`](VectorSearchOptions::vector_field) does not exist (the error names
    ///   the existing ones), or the input is a vector and the definition has no vector field;
    /// - the input is a text and the collection has neither an embedding generator nor full text;
    /// - the threshold is not a number, or the store does not support thresholds.
    ///
    /// Also [`UnsupportedFilter`](crate::ErrorKind::UnsupportedFilter), and errors of the backend.
    async fn search(
        &self,
        input: &SearchInput,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>>;

    /// Runs [`search`](Self::search) for each of `inputs`, with results in the same order.
    ///
    /// The searches run one after another unless the backend can share work between them.
    ///
    /// # Errors
    ///
    /// Errors of [`search`](Self::search).
    async fn search_batch(
        &self,
        inputs: &[SearchInput],
        options: &VectorSearchOptions,
    ) -> Result<Vec<SearchResults<Scored<StoredRecord>>>> {
        let mut results = Vec::with_capacity(inputs.len());
        for input in inputs {
            results.push(self.search(input, options).await?);
        }
        Ok(results)
    }

    /// Returns the records whose full-text fields match the words of `text` best.
    ///
    /// # Behavior
    ///
    /// - One matching word in one field is enough. Case is ignored. Among otherwise equal records,
    ///   the one that matches more words comes first.
    /// - The search reads the fields that the options name, or all full-text fields, each with its
    ///   [language, mean length and weight](super::FullText).
    /// - Scores depend on all records of the collection, so a record scores the same with and
    ///   without a filter.
    /// - A text without words finds nothing. No character is an operator, and a long text is no
    ///   error.
    ///
    /// # Errors
    ///
    /// - [`InvalidOptions`](crate::ErrorKind::InvalidOptions) if the collection has no full-text
    ///   field, or with the names of the full-text fields if the options name another field.
    /// - [`UnsupportedFilter`](crate::ErrorKind::UnsupportedFilter), and errors of the backend.
    async fn full_text_search(
        &self,
        text: &str,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>>;

    /// Returns the records that match best by words and by vector, in one fused ranking. If
    /// `vector` is `None`, an embedding generator embeds `text`.
    ///
    /// # Behavior
    ///
    /// - [`Fusion`](super::Fusion) computes the scores from the rankings of
    ///   [`search`](Self::search) and [`full_text_search`](Self::full_text_search). A record needs
    ///   to be in only one of them.
    /// - The filter applies to both rankings, the threshold to the fused score.
    /// - For a text without words, only the vector ranking counts.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](crate::ErrorKind::InvalidOptions) if there is no vector to search
    /// with, or a weight is not from 0 to 1. Also errors of [`search`](Self::search) and
    /// [`full_text_search`](Self::full_text_search).
    async fn hybrid_search(
        &self,
        text: &str,
        vector: Option<Arc<[f32]>>,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>>;

    /// Returns the most frequent values of a filterable field, among the records that match `filter`.
    ///
    /// Not every store counts values. The default implementation returns the error.
    ///
    /// # Behavior
    ///
    /// - At most `limit` values, the most frequent first. Ties are ordered by value: false before
    ///   true, numbers by value, texts by code point.
    /// - A record with a list counts once for each of its members. Null, missing fields and values of
    ///   another kind than the field's don't count.
    /// - A value that only excluded records have is left out.
    ///
    /// # Errors
    ///
    /// - [`InvalidOptions`](crate::ErrorKind::InvalidOptions) if the store doesn't count values, or if
    ///   the field isn't filterable or holds neither texts, lists of texts, integers nor booleans.
    /// - [`UnsupportedFilter`](crate::ErrorKind::UnsupportedFilter), and errors of the backend.
    async fn distinct_values(
        &self,
        field: &str,
        filter: Option<&Filter>,
        limit: usize,
    ) -> Result<Vec<DistinctValue>> {
        let _ = (filter, limit);
        let value = format!("about `{field}`");
        let allowed = "a store that counts values";
        Err(Error::invalid_options(self.store_name(), "distinct_values", value, allowed))
    }
}

#[async_trait]
impl<C: VectorCollection + ?Sized> VectorCollection for Arc<C> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn store_name(&self) -> &str {
        (**self).store_name()
    }

    fn definition(&self) -> &Arc<RecordDefinition> {
        (**self).definition()
    }

    async fn exists(&self) -> Result<bool> {
        (**self).exists().await
    }

    async fn ensure_exists(&self) -> Result<()> {
        (**self).ensure_exists().await
    }

    async fn delete_collection(&self) -> Result<()> {
        (**self).delete_collection().await
    }

    async fn upsert(&self, records: Vec<StoredRecord>) -> Result<()> {
        (**self).upsert(records).await
    }

    async fn get(&self, keys: &[RecordKey], options: &GetOptions) -> Result<Vec<StoredRecord>> {
        (**self).get(keys, options).await
    }

    async fn delete(&self, keys: &[RecordKey]) -> Result<()> {
        (**self).delete(keys).await
    }

    async fn delete_matching(&self, filter: &Filter) -> Result<()> {
        (**self).delete_matching(filter).await
    }

    async fn scan(&self, options: &ScanOptions) -> Result<SearchResults<StoredRecord>> {
        (**self).scan(options).await
    }

    async fn search(
        &self,
        input: &SearchInput,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        (**self).search(input, options).await
    }

    async fn search_batch(
        &self,
        inputs: &[SearchInput],
        options: &VectorSearchOptions,
    ) -> Result<Vec<SearchResults<Scored<StoredRecord>>>> {
        (**self).search_batch(inputs, options).await
    }

    async fn full_text_search(
        &self,
        text: &str,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        (**self).full_text_search(text, options).await
    }

    async fn hybrid_search(
        &self,
        text: &str,
        vector: Option<Arc<[f32]>>,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        (**self).hybrid_search(text, vector, options).await
    }

    async fn distinct_values(
        &self,
        field: &str,
        filter: Option<&Filter>,
        limit: usize,
    ) -> Result<Vec<DistinctValue>> {
        (**self).distinct_values(field, filter, limit).await
    }
}
