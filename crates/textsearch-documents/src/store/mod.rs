//! Documents in a collection: kept up to date, listed and searched.

mod fingerprint;
mod group;
mod record;
mod report;
mod schema;
mod size;
mod write;

use std::{collections::HashSet, fmt, sync::Arc};

use textsearch_core::{
    Filter, Result, SearchResults,
    vector::{
        Collection, EmbeddingCollection, EmbeddingGenerator, ScanOptions, VectorStore,
        VectorStoreExt as _, VectorStoreTextSearch,
    },
};

use self::group::Group;
pub(crate) use self::schema::RESERVED;
pub use self::{
    record::StoredDocument,
    report::UpsertReport,
    schema::{DocumentSchema, fields},
};
use crate::{Chunker, Document};

/// How many ids go into one filter.
const IDS_IN_FILTER: usize = 256;

/// Documents in a collection of any store, cut into chunks.
///
/// # Behavior
///
/// - A document that is stored under an id that is there replaces the one that was, all of its chunks. One that is the
///   same, by its text, name, link, metadata and the sizes of chunks, is skipped.
/// - The chunks of the new version are written before what is left of the old one is deleted. If a call fails or is
///   dropped midway, the next upsert of the document finishes the work; no document is ever gone from the collection
///   in between.
/// - Two documents of one id in one call are two versions, of which the last holds.
/// - Memory is bounded by a few megabytes and the largest document, however many there are.
/// - Two calls at the same time that write the same document are not kept apart: let one process write.
#[derive(Clone)]
pub struct DocumentStore {
    collection: Collection,
    chunker: Chunker,
}

impl DocumentStore {
    /// Keeps documents in `collection`, whose definition was made by [`DocumentSchema`].
    ///
    /// # Errors
    ///
    /// [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions) where the collection lacks a field.
    pub fn new(collection: Collection, chunker: Chunker) -> Result<Self> {
        schema::check(&collection)?;
        Ok(Self { collection, chunker })
    }

    /// Keeps documents in the collection called `name`, which is created unless it exists.
    ///
    /// # Errors
    ///
    /// Those of [`DocumentSchema::definition`], and those of the store.
    pub async fn open(
        store: &dyn VectorStore,
        name: &str,
        schema: &DocumentSchema,
        chunker: Chunker,
    ) -> Result<Self> {
        let collection = store.dynamic_collection(name, schema.definition()?)?;
        collection.ensure_exists().await?;
        Self::new(collection, chunker)
    }

    /// Embeds documents and queries with `generator`, for a collection that has a vector.
    #[must_use]
    pub fn with_embedding_generator(
        mut self,
        generator: impl EmbeddingGenerator + 'static,
    ) -> Self {
        let stored = Arc::clone(self.collection.stored());
        self.collection = Collection::new(EmbeddingCollection::new(stored, generator));
        self
    }

    /// The collection that holds the chunks.
    pub fn collection(&self) -> &Collection {
        &self.collection
    }

    /// The chunks as a text search: the name of a result is the title and the headings, the value the text, the link
    /// that of the section.
    pub fn text_search(&self) -> VectorStoreTextSearch {
        VectorStoreTextSearch::new(self.collection.clone())
    }

    /// Stores the documents, each in place of the one with its id; other documents stay.
    ///
    /// # Errors
    ///
    /// [`InvalidRecord`](textsearch_core::ErrorKind::InvalidRecord) with the id of a document that cannot be read (see
    /// [`Chunker::chunk`]), has no id, or has metadata that the schema does not name; and those of the collection.
    /// Documents before the one that failed may be stored.
    pub async fn upsert<I>(&self, documents: I) -> Result<UpsertReport>
    where
        I: IntoIterator<Item = Document> + Send,
        I::IntoIter: Send,
    {
        let mut report = UpsertReport::default();
        let mut group = Group::default();
        for document in documents {
            if !group.has_room_for(&document) {
                self.write(std::mem::take(&mut group), &mut report).await?;
            }
            group.push(document);
        }
        self.write(group, &mut report).await?;
        Ok(report)
    }

    /// Makes what is stored in `scope` exactly the given documents: stores them, then removes the others that the
    /// filter lets through.
    ///
    /// A folder that was indexed under its path is `Filter::starts_with("document_id", "docs/")`, and everything is
    /// `Filter::all([])`. The scope may name `document_id` and the metadata of the schema. Nothing is removed if a document could not be stored.
    ///
    /// # Errors
    ///
    /// Those of [`upsert`](Self::upsert), and [`UnsupportedFilter`](textsearch_core::ErrorKind::UnsupportedFilter).
    pub async fn sync<I>(&self, documents: I, scope: &Filter) -> Result<UpsertReport>
    where
        I: IntoIterator<Item = Document> + Send,
        I::IntoIter: Send,
    {
        let mut ids = HashSet::new();
        let documents = documents.into_iter().inspect(|document| {
            ids.insert(document.id.clone());
        });
        let mut report = self.upsert(documents).await?;
        report.removed += self.remove_missing(scope, ids).await?;
        Ok(report)
    }

    /// Removes the documents that `scope` lets through, without those whose ids are `kept`. Returns how many.
    async fn remove_missing(&self, scope: &Filter, kept: HashSet<String>) -> Result<usize> {
        let mut stored = self.list(&ScanOptions::default().with_filter(scope.clone())).await?;
        let mut missing = Vec::new();
        while let Some(document) = stored.next().await {
            missing.extend(Some(document?.id).filter(|id| !kept.contains(id)));
        }
        self.remove(missing).await
    }

    /// Removes the documents with these ids, and returns how many there were; an id without a document is no error.
    ///
    /// # Errors
    ///
    /// Those of the collection.
    pub async fn remove<I>(&self, ids: I) -> Result<usize>
    where
        I: IntoIterator<Item: Into<String>> + Send,
    {
        let ids: Vec<String> = ids.into_iter().map(Into::into).collect();
        let mut removed = 0;
        for ids in ids.chunks(IDS_IN_FILTER) {
            removed += self.heads(ids.iter().map(String::as_str)).await?.len();
            let ids = ids.iter().map(String::as_str);
            self.collection.delete_matching(&Filter::is_in(fields::DOCUMENT_ID, ids)).await?;
        }
        Ok(removed)
    }

    /// The documents that fit the options, with an exact total count; by key where the options give no order.
    ///
    /// # Errors
    ///
    /// [`UnsupportedFilter`](textsearch_core::ErrorKind::UnsupportedFilter), and those of the collection.
    pub async fn list(&self, options: &ScanOptions) -> Result<SearchResults<StoredDocument>> {
        // Each document has one first chunk, so paging and counting are those of the store.
        let is_head = Filter::eq(fields::CHUNK, 0);
        let mut options = options.clone();
        options.filter = Some(match options.filter.take() {
            Some(filter) => Filter::all([is_head, filter]),
            None => is_head,
        });
        options.include_vectors = false;
        let definition = Arc::clone(self.collection.definition());
        let heads = self.collection.scan(&options).await?;
        Ok(heads.try_map(move |head| StoredDocument::from_head(head, &definition)))
    }
}

impl fmt::Debug for DocumentStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("DocumentStore")
            .field("store", &self.collection.store_name())
            .field("collection", &self.collection.name())
            .field("chunker", &self.chunker)
            .finish()
    }
}
