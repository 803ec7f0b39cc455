//! Documents in a collection.

mod fingerprint;
mod group;
mod namespace;
mod passage;
mod read;
mod record;
mod report;
mod reuse;
mod schema;
mod settings;
mod size;
mod source;
mod write;

use std::{collections::HashSet, fmt, sync::Arc};

use textsearch_core::{
    Filter, Result, SearchResults,
    vector::{
        Collection, EmbeddingGenerator, Fusion, ScanOptions, SearchMode, VectorCollection,
        VectorStore, VectorStoreExt as _, VectorStoreTextSearch,
    },
};

use self::namespace::Namespace;
pub(crate) use self::{
    group::Group,
    passage::{ChunkText, passage},
    schema::RESERVED,
};
pub use self::{
    record::StoredDocument,
    report::{Tally, UpsertReport},
    schema::{DocumentSchema, fields},
    source::{DocumentSource, SourceTexts},
};
use crate::{Chunker, Document};

const IDS_IN_FILTER: usize = 256;

/// Documents in a collection of any store, cut into chunks.
///
/// - A document replaces the stored document with the same id, and all its chunks. If text, format,
///   name, link, metadata, stored facts and chunk sizes are the same, it's skipped. Of a changed document,
///   only chunks with another name or text are embedded again.
/// - A new version's chunks are written before the rest of the old version is deleted. If a call
///   fails or is dropped midway, the next upsert of the document finishes the work. The document
///   never disappears in between.
/// - Of two documents with the same id in one call, the last one wins.
/// - Memory is bounded by a few megabytes and the largest document.
/// - Concurrent calls that write the same document aren't isolated: use a single writer process.
/// - A [namespace](Self::with_namespace) keeps documents apart that share a collection.
#[derive(Clone)]
pub struct DocumentStore {
    /// The store's own collection.
    stored: Arc<dyn VectorCollection>,
    namespace: Option<Namespace>,
    sources: Option<Arc<dyn SourceTexts>>,
    generator: Option<Arc<dyn EmbeddingGenerator>>,
    /// The store's own collection inside all of the above.
    collection: Collection,
    chunker: Chunker,
    fusion: Fusion,
}

impl DocumentStore {
    /// Keeps documents in `collection`, with a definition of [`DocumentSchema`].
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions) if the collection
    /// lacks a field.
    pub fn new(collection: Collection, chunker: Chunker) -> Result<Self> {
        schema::check(&collection)?;
        let stored = Arc::clone(collection.stored());
        let namespace = None;
        let sources = None;
        let generator = None;
        let fusion = Fusion::default();
        let store = Self { stored, namespace, sources, generator, collection, chunker, fusion };
        Ok(store.layered())
    }

    /// Keeps documents in the collection called `name`. Creates it if it doesn't exist.
    ///
    /// # Errors
    ///
    /// Returns an error of [`DocumentSchema::definition`] or of the store.
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

    /// Returns the collection of chunks.
    pub fn collection(&self) -> &Collection {
        &self.collection
    }

    /// Returns a text search over the chunks. A result's name is the title and the headings, its
    /// value the text, and its link the section's link.
    ///
    /// It is hybrid if the store has an [embedding generator](Self::with_embedding_generator) and
    /// its records hold texts. Otherwise it uses embeddings or words alone.
    /// [`with_mode`](VectorStoreTextSearch::with_mode) changes that.
    pub fn text_search(&self) -> VectorStoreTextSearch {
        let definition = self.collection.definition();
        let text = definition.data_field(fields::TEXT);
        let has_words = text.is_some_and(|field| field.full_text.is_some());
        let search = VectorStoreTextSearch::new(self.collection.clone()).with_fusion(self.fusion);
        if self.generator.is_some() && has_words && !definition.vectors.is_empty() {
            search.with_mode(SearchMode::Hybrid)
        } else {
            search
        }
    }

    /// Stores the documents. Each replaces the stored document with its id; other documents stay.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidRecord`](textsearch_core::ErrorKind::InvalidRecord) with the document's id
    /// if a document can't be read (see [`Chunker::chunk`]), has no id, or has metadata that the
    /// schema doesn't name. Also returns errors of the collection. Earlier documents may be stored.
    pub async fn upsert<I>(&self, documents: I) -> Result<UpsertReport>
    where
        I: IntoIterator<Item = Document> + Send,
        I::IntoIter: Send,
    {
        let mut report = UpsertReport::default();
        let mut group = self.group();
        for document in documents {
            if !group.has_room_for(&document) {
                self.write(&group.take(), &mut report).await?;
            }
            group.push(document);
        }
        self.write(&group, &mut report).await?;
        Ok(report)
    }

    /// Returns an empty batch of documents.
    pub(crate) fn group(&self) -> Group {
        Group::new(self.collection.definition())
    }

    /// Stores the documents, then removes all other documents that match `scope`.
    ///
    /// The scope of a folder indexed under its path is
    /// `Filter::starts_with("document_id", "docs/")`; everything is `Filter::all([])`. The scope
    /// may name `document_id` and the metadata of the schema. Nothing is removed if a document
    /// couldn't be stored.
    ///
    /// # Errors
    ///
    /// Returns an error of [`upsert`](Self::upsert), or
    /// [`UnsupportedFilter`](textsearch_core::ErrorKind::UnsupportedFilter).
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

    /// Returns the number removed.
    async fn remove_missing(&self, scope: &Filter, kept: HashSet<String>) -> Result<usize> {
        let mut stored = self.list(&ScanOptions::default().with_filter(scope.clone())).await?;
        let mut missing = Vec::new();
        while let Some(document) = stored.next().await {
            missing.extend(Some(document?.id).filter(|id| !kept.contains(id)));
        }
        self.remove(missing).await
    }

    /// Removes the documents with these ids and returns how many existed. Unknown ids are no error.
    ///
    /// # Errors
    ///
    /// Returns an error if the collection fails.
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

    /// Returns the documents that match the options, with an exact total count. Default order: by
    /// key.
    ///
    /// # Errors
    ///
    /// Returns [`UnsupportedFilter`](textsearch_core::ErrorKind::UnsupportedFilter), or the
    /// collection's error.
    pub async fn list(&self, options: &ScanOptions) -> Result<SearchResults<StoredDocument>> {
        // Each document has one first chunk, so the store can page and count.
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
            .field("namespace", &self.namespace.as_ref().map(Namespace::name))
            .field("chunker", &self.chunker)
            .finish()
    }
}
