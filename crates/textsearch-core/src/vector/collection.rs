//! What a backend implements for a collection of records.

use std::sync::Arc;

use async_trait::async_trait;

use super::{
    GetOptions, RecordDefinition, RecordKey, ScanOptions, Scored, SearchInput, StoredRecord,
    VectorSearchOptions,
};
use crate::{Filter, Result, SearchResults};

/// What a backend implements for a collection of stored records. Callers use [`Collection`](super::Collection), which has the same
/// methods for records of any type.
///
/// # Behavior
///
/// What a store cannot do at all, such as one of the distances, is an error in it, and never done in part or ignored.
///
/// Collections:
///
/// - All handles on a name in one store are on the same records. Collections of different names share nothing.
/// - Any call but [`exists`](Self::exists), [`ensure_exists`](Self::ensure_exists) and
///   [`delete_collection`](Self::delete_collection) on a collection that does not exist is
///   [`CollectionNotFound`](crate::ErrorKind::CollectionNotFound) with its name, and creates nothing.
/// - Many callers may write and read at once: nobody fails for it, nothing is lost, and a record is read as one of them
///   wrote it, its vectors with its data.
/// - A call that is dropped may be done or not, and leaves a collection that works.
///
/// Records:
///
/// - Their data come back as they were stored, bit for bit, in fields that the definition does not have, too. Null and
///   missing stay apart, and `1` is not `1.0`.
/// - Their vectors come only where the options ask for them, as they were stored; a store may keep those that are
///   compared by a cosine at length one.
/// - They are copied in and out: changing one that was returned does not change the collection.
/// - Keys are told apart by every character, but for UUIDs, which are one key in any spelling. Integers may be as large
///   as [`u64::MAX`].
///
/// Searches and scans:
///
/// - Results come best first; records of equal score come in the order of their keys: texts by code point, integers by
///   value.
/// - Scores are those that [`Distance`](super::Distance) defines, but for rounding.
/// - `top` and `skip` cut windows out of one ranking or order, and no number is too large for them.
/// - A filter lets through what [`Filter::matches`] does. What it keeps out takes no place among the best.
/// - A filter that names a field which is not [filterable](super::DataField::filterable), and is not the key, is
///   [`UnsupportedFilter`](crate::ErrorKind::UnsupportedFilter) with the name of the field, wherever in the filter that
///   stands; so is an operator that the store does not have.
/// - A search counts where the options ask for it, and says nothing where they do not: all records that fit its filter
///   and threshold, whatever the window. The count may be an
///   [estimate](crate::results::TotalCount::Estimated).
#[async_trait]
pub trait VectorCollection: Send + Sync {
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

    /// Creates the collection unless it exists; one that does keeps its records.
    ///
    /// # Errors
    ///
    /// [`InvalidOptions`](crate::ErrorKind::InvalidOptions) that names the field, where it exists with a definition
    /// that does not fit: a vector of other dimensions or another distance, or none where one is stored; its records
    /// stay.
    async fn ensure_exists(&self) -> Result<()>;

    /// Deletes the collection with all its records, so that it is empty when it is created again; it is no error if
    /// there is none.
    ///
    /// # Errors
    ///
    /// Any kind that a store which cannot be reached answers with.
    async fn delete_collection(&self) -> Result<()>;

    /// Stores the records, each in place of the one with its key.
    ///
    /// # Behavior
    ///
    /// - Nothing finds a record by a field, a word or a vector that it had before it was replaced.
    /// - Of two with the same key in one call the last holds.
    /// - One call takes as many records as there are; none are no error.
    /// - A record may lack its vectors: it is read and filtered as others are, and no search by vector finds it.
    /// - A field may hold values of another kind than the definition says, in stores that can keep them.
    ///
    /// # Errors
    ///
    /// [`InvalidRecord`](crate::ErrorKind::InvalidRecord) that names the key, where a record does not fit the
    /// definition; that record is not stored, and in stores that can undo nothing of the batch is:
    ///
    /// - its key is of another kind, or an empty text;
    /// - one of its vectors is of another length, has elements that are not finite numbers, is not in the definition,
    ///   or is all zeros where directions are compared ([`needs_direction`](super::Distance::needs_direction));
    /// - its data are what the store cannot keep, such as very large whole numbers, values of another kind, or lists in
    ///   each other very many levels deep.
    async fn upsert(&self, records: Vec<StoredRecord>) -> Result<()>;

    /// The records with these keys, in the order of `keys`; keys without a record are left out.
    ///
    /// # Behavior
    ///
    /// - A key that is given twice brings its record twice; no keys bring nothing.
    /// - A key of another kind than those of the collection is one without a record.
    ///
    /// # Errors
    ///
    /// Those of the backend.
    async fn get(&self, keys: &[RecordKey], options: &GetOptions) -> Result<Vec<StoredRecord>>;

    /// Deletes the records with these keys; a key without a record is no error.
    ///
    /// # Behavior
    ///
    /// - Nothing finds a record that was deleted, until one is stored under its key again.
    /// - A key of another kind than those of the collection is one without a record; no keys are no error.
    ///
    /// # Errors
    ///
    /// Those of the backend.
    async fn delete(&self, keys: &[RecordKey]) -> Result<()>;

    /// Deletes all records that `filter` lets through; it is no error if there are none.
    ///
    /// # Errors
    ///
    /// [`UnsupportedFilter`](crate::ErrorKind::UnsupportedFilter), in which case nothing is deleted, and those of the
    /// backend.
    async fn delete_matching(&self, filter: &Filter) -> Result<()>;

    /// The records that fit the options, in their order, with an exact total count.
    ///
    /// # Behavior
    ///
    /// - They are ordered by one field after another, and by key where these are equal, or there are none.
    /// - Numbers order by value, whole or not, texts by code point, dates by instant, false before true. A field that
    ///   is null or missing comes last, whichever way round.
    /// - The key is a field to order by, too.
    ///
    /// # Errors
    ///
    /// - [`InvalidOptions`](crate::ErrorKind::InvalidOptions) that names the fields that there are, for an order by one
    ///   that there is not; and for an order by a kind of field that the store cannot put in order.
    /// - [`UnsupportedFilter`](crate::ErrorKind::UnsupportedFilter), and those of the backend.
    async fn scan(&self, options: &ScanOptions) -> Result<SearchResults<StoredRecord>>;

    /// The records that fit `input` best: by vector, or for a text by its embedding where the collection has an
    /// embedding generator, and by full text where it has none.
    ///
    /// # Behavior
    ///
    /// - Records are compared by the vector that the options name, or the first of the definition; those that lack it
    ///   are not found.
    /// - A record whose score is the threshold is found.
    /// - An [exact](VectorSearchOptions::exact) search finds the true nearest, whatever index there is.
    ///
    /// # Errors
    ///
    /// [`InvalidOptions`](crate::ErrorKind::InvalidOptions), whether there are records or not:
    ///
    /// - for a vector of the wrong length, with elements that are not finite numbers, or all zeros where directions are
    ///   compared ([`needs_direction`](super::Distance::needs_direction));
    /// - for a [`vector_field`](VectorSearchOptions::vector_field) that there is not, with the names of those that
    ///   there are, and for a vector where the definition has none;
    /// - for a text where the collection has neither an embedding generator nor full text;
    /// - for a threshold that is not a number, and for any in a store that has none.
    ///
    /// [`UnsupportedFilter`](crate::ErrorKind::UnsupportedFilter), and those of the backend.
    async fn search(
        &self,
        input: &SearchInput,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>>;

    /// What [`search`](Self::search) finds for each of `inputs`, in their order; nothing for none.
    ///
    /// One after another unless the backend can share work between them.
    ///
    /// # Errors
    ///
    /// Those of [`search`](Self::search) for any of the inputs.
    async fn search_batch(
        &self,
        inputs: &[SearchInput],
        options: &VectorSearchOptions,
    ) -> Result<Vec<SearchResults<Scored<StoredRecord>>>> {
        let mut found = Vec::with_capacity(inputs.len());
        for input in inputs {
            found.push(self.search(input, options).await?);
        }
        Ok(found)
    }

    /// The records whose full-text fields fit the words of `text` best.
    ///
    /// # Behavior
    ///
    /// - Any one of the words is enough, in any of the fields, in capitals or not. Of records that are alike otherwise,
    ///   one that has more of the words comes first.
    /// - The fields that the options name are read, or all full-text fields.
    /// - A text without words finds nothing.
    /// - No sign in the text is an operator, and a long text is no error.
    ///
    /// # Errors
    ///
    /// - [`InvalidOptions`](crate::ErrorKind::InvalidOptions) where the collection has no full-text field; and with the
    ///   names of those that it has, where the options name a field that is none.
    /// - [`UnsupportedFilter`](crate::ErrorKind::UnsupportedFilter), and those of the backend.
    async fn full_text_search(
        &self,
        text: &str,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>>;

    /// The records that fit best by words and by vector, the two rankings fused as the options say. The embedding of
    /// `text` stands in for a `vector` that is not given, where the collection has an embedding generator.
    ///
    /// # Behavior
    ///
    /// - A score is what [`Fusion`](super::Fusion) makes of the rankings of [`search`](Self::search) and
    ///   [`full_text_search`](Self::full_text_search). A record that one of them lacks is found by the other.
    /// - The filter keeps records out of both rankings; the threshold is one of the fused score.
    /// - A text without words leaves the ranking by vector.
    ///
    /// # Errors
    ///
    /// [`InvalidOptions`](crate::ErrorKind::InvalidOptions) where there is no vector to search with, or a weight is not
    /// from 0 to 1; and those of [`search`](Self::search) and [`full_text_search`](Self::full_text_search).
    async fn hybrid_search(
        &self,
        text: &str,
        vector: Option<Arc<[f32]>>,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>>;
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
}
