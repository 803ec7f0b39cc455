//! An index that keeps documents up to date with files.

mod ownership;

use std::{fmt, sync::Arc};

use serde_json::{Value, json};
use textsearch_core::{
    ErrorKind,
    vector::{
        BulkSettings, Collection, DataField, Fusion, GetOptions, IndexKind, RecordDefinition,
        ScanOptions, StoredRecord, VectorStore, VectorStoreExt as _,
    },
};

use super::{
    catalog::Catalog,
    embedder::Embedder,
    error::{IngestError, Result},
    ingestion::Ingestion,
    readable::ReadableFiles,
    report::IngestReport,
    text_check::check_any_text,
    update,
};
use crate::DocumentStore;

const KEY: &str = "id";

/// Holds the [`Catalog`].
const CONTENT: &str = "content";

const DOCUMENTS: &str = "documents";

/// Keeps documents up to date with files: a collection of chunks, and a catalog that describes
/// them.
///
/// - Collections of other programs are neither filled nor deleted.
/// - An update stores changed files and removes documents of deleted files, only below the paths of
///   its [`SourceFiles`](super::SourceFiles). Documents of skipped files stay.
/// - The schema grows with the fields of the records. The embedding model stays the same until a
///   rebuild.
/// - An update with another [chunker](Ingestion::with_chunker) cuts the files below its paths
///   again.
/// - Only one process at a time may write.
#[derive(Clone)]
pub struct DocumentIndex {
    store: Arc<dyn VectorStore>,
    documents: String,
    catalog: String,
    exclusive: bool,
    full_text: bool,
    vector_index: IndexKind,
    fusion: Fusion,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StartFrom {
    Store,
    /// The update deletes the contents of the store.
    Nothing,
}

impl DocumentIndex {
    /// Creates an index in the collections `name` and `name-catalog` of `store`, which need not
    /// exist.
    pub fn new(store: impl VectorStore + 'static, name: impl Into<String>) -> Self {
        let documents = name.into();
        let catalog = format!("{documents}-catalog");
        Self {
            store: Arc::new(store),
            documents,
            catalog,
            exclusive: false,
            full_text: true,
            vector_index: IndexKind::default(),
            fusion: Fusion::default(),
        }
    }

    /// Sets the name of the catalog's collection. Default: the index's name and `-catalog`.
    #[must_use]
    pub fn with_catalog_name(mut self, name: impl Into<String>) -> Self {
        self.catalog = name.into();
        self
    }

    /// Sets whether a store with only other programs' collections is refused. Default: false.
    #[must_use]
    pub fn with_exclusive_store(mut self, enabled: bool) -> Self {
        self.exclusive = enabled;
        self
    }

    /// Sets whether documents can be searched by their words. Default: true. Turn it off for stores
    /// without full text.
    #[must_use]
    pub fn with_full_text(mut self, enabled: bool) -> Self {
        self.full_text = enabled;
        self
    }

    /// Sets the index of the embeddings. Default: exact search.
    #[must_use]
    pub fn with_vector_index(mut self, index: impl Into<IndexKind>) -> Self {
        self.vector_index = index.into();
        self
    }

    /// Sets how hybrid searches fuse vectors and words. Some stores accept only their own way.
    #[must_use]
    pub fn with_fusion(mut self, fusion: Fusion) -> Self {
        self.fusion = fusion;
        self
    }

    /// Returns the catalog; `None` if no documents were stored yet.
    ///
    /// # Errors
    ///
    /// Returns [`OtherProgram`](IngestError::OtherProgram),
    /// [`OtherVersion`](IngestError::OtherVersion), or the store's error.
    pub async fn catalog(&self) -> Result<Option<Catalog>> {
        // First, so that a store notices if its documents are replaced after the catalog is read.
        let has_documents = self.documents()?.exists().await?;
        let Some(content) = self.catalog_content().await? else {
            let is_free = self.is_unused().await? && (!self.exclusive || self.is_ours().await?);
            return if is_free { Ok(None) } else { Err(IngestError::OtherProgram) };
        };
        // A run that ended early leaves only a catalog. Ignore it.
        if !has_documents {
            return Ok(None);
        }
        serde_json::from_value(content).map(Some).map_err(IngestError::OtherVersion)
    }

    /// Returns whether the index exists, even if it holds no documents.
    ///
    /// # Errors
    ///
    /// Returns an error if the store fails.
    pub async fn exists(&self) -> Result<bool> {
        Ok(self.catalog_content().await?.is_some())
    }

    /// Returns the number of chunks.
    ///
    /// # Errors
    ///
    /// Returns an error if the store fails.
    pub async fn chunk_count(&self) -> Result<u64> {
        let documents = self.documents()?;
        if documents.exists().await? { ownership::count(&documents).await } else { Ok(0) }
    }

    /// Makes the index hold the files of `ingestion`, and nothing else below their paths.
    ///
    /// A file that fails is named in the [report](IngestReport::failed), and its earlier documents
    /// stay.
    ///
    /// # Errors
    ///
    /// Returns any [`IngestError`] but [`NoText`](IngestError::NoText) and
    /// [`Empty`](IngestError::Empty). Earlier documents may be stored.
    pub async fn update(&self, ingestion: Ingestion) -> Result<IngestReport> {
        self.update_from(StartFrom::Store, ingestion).await
    }

    /// Deletes the index, then stores the files of `ingestion`: to add embeddings, or to change the
    /// model. Its settings, such as the base of links, are those of `ingestion`. Deletes nothing if the
    /// files hold no text. Nothing of a file that fails stays.
    ///
    /// Readers of an index with embeddings on disk have to open their store again.
    ///
    /// # Errors
    ///
    /// Returns any [`IngestError`] but [`Empty`](IngestError::Empty).
    pub async fn rebuild(&self, ingestion: Ingestion) -> Result<IngestReport> {
        self.update_from(StartFrom::Nothing, ingestion).await
    }

    /// Opens the documents for searching. `embedder` embeds the queries.
    ///
    /// # Errors
    ///
    /// Returns [`Empty`](IngestError::Empty) if nothing is stored yet,
    /// [`Model`](IngestError::Model) if another model embedded the documents, or an error of
    /// [`catalog`](Self::catalog).
    pub async fn open(&self, embedder: Option<Embedder>) -> Result<DocumentStore> {
        let catalog = self.catalog().await?.ok_or(IngestError::Empty)?;
        self.open_with(&catalog, embedder).await
    }

    /// Opens the documents for searching, without reading the catalog again.
    ///
    /// # Errors
    ///
    /// Returns [`Model`](IngestError::Model), [`Schema`](IngestError::Schema), or the store's
    /// error.
    pub async fn open_with(
        &self,
        catalog: &Catalog,
        embedder: Option<Embedder>,
    ) -> Result<DocumentStore> {
        if let Some(embedder) = &embedder {
            catalog.check_embedder(embedder)?;
        }
        Ok(embedding(self.open_documents(catalog).await?, embedder))
    }

    /// Opens the documents for writing one by one, such as by a server. Creates the index if it
    /// doesn't exist, and adds `fields` to the metadata that documents may have.
    ///
    /// An [update](Self::update) leaves such documents alone: they have no path.
    ///
    /// # Errors
    ///
    /// Returns [`Model`](IngestError::Model) if the stored documents have embeddings of another
    /// model or of none, or an error of [`catalog`](Self::catalog).
    pub async fn open_for_writing(
        &self,
        fields: impl IntoIterator<Item = DataField>,
        embedder: Option<Embedder>,
    ) -> Result<DocumentStore> {
        let known = self.catalog().await?;
        let mut catalog = Catalog::updated(known.clone(), embedder.as_ref()).await?;
        fields.into_iter().for_each(|field| catalog.add_field(field));
        let documents = self.open_updated(&catalog, known.is_none()).await?;
        Ok(embedding(documents, embedder))
    }

    /// Copies the documents and the catalog of `other` into this index, which must be empty: into
    /// another kind of store, or as a new version of one.
    ///
    /// # Errors
    ///
    /// Returns an error of [`catalog`](Self::catalog), or of a store.
    pub async fn copy_from(&self, other: &Self) -> Result<()> {
        let Some(catalog) = other.catalog().await? else { return Ok(()) };
        let documents = self.open_updated(&catalog, true).await?;
        let other = other.open_documents(&catalog).await?;
        let options = ScanOptions::default().with_vectors(true);
        let records = other.collection().stored().scan(&options).await?;
        documents.collection().bulk_upsert(records, &BulkSettings::default()).await?;
        Ok(())
    }

    async fn update_from(
        &self,
        start_from: StartFrom,
        mut ingestion: Ingestion,
    ) -> Result<IngestReport> {
        let known = match start_from {
            StartFrom::Store => self.catalog().await?,
            StartFrom::Nothing => {
                self.check_deletable().await?;
                None
            }
        };
        let mut catalog = Catalog::updated(known.clone(), ingestion.embedder.as_ref())
            .await?
            .with_language(&ingestion.language)
            .with_chunker(ingestion.chunker.as_ref())
            .with_link_base(ingestion.reading.link_base.as_deref());
        ingestion.reading.link_base.clone_from(&catalog.link_base);
        ingestion.observer = ingestion.observer.restarted();
        let files = ingestion.files.clone();
        let readable = ReadableFiles::check(files, &ingestion.reading, &mut catalog);
        if start_from == StartFrom::Nothing {
            check_any_text(&readable.files, &ingestion.reading, &readable.report.skipped).await?;
            self.documents()?.delete_collection().await?;
        }
        let documents = self.open_updated(&catalog, known.is_none()).await?;
        let documents = ingestion.embedding(documents);
        let mut report =
            update::run(&ingestion, &documents, readable.report, &readable.files).await?;
        report.catalog_changed = known != Some(catalog);
        Ok(report)
    }

    /// Documents without a catalog have no owner, so writes the catalog of a new index first. But a store
    /// that rejects more documents keeps its catalog.
    async fn open_updated(&self, catalog: &Catalog, is_new: bool) -> Result<DocumentStore> {
        if is_new {
            self.write_catalog(catalog).await?;
        }
        let documents = self.open_documents(catalog).await?;
        if !is_new {
            self.write_catalog(catalog).await?;
        }
        Ok(documents)
    }

    async fn open_documents(&self, catalog: &Catalog) -> Result<DocumentStore> {
        let mut schema = catalog.schema();
        schema.full_text = self.full_text;
        let definition = schema.with_index(self.vector_index.clone()).definition()?;
        let collection = self.store.dynamic_collection(&self.documents, definition)?;
        collection.ensure_exists().await.map_err(|error| match error.kind() {
            ErrorKind::InvalidOptions { .. } => IngestError::Schema(error),
            _ => IngestError::Backend(error),
        })?;
        Ok(DocumentStore::new(collection, catalog.chunker()?)?.with_fusion(self.fusion))
    }

    async fn write_catalog(&self, catalog: &Catalog) -> Result<()> {
        let collection = self.catalog_collection()?;
        collection.ensure_exists().await?;
        let record = json!({ KEY: DOCUMENTS, CONTENT: catalog });
        let Value::Object(data) = record else { return Ok(()) };
        collection.upsert(vec![StoredRecord::new(data, collection.definition())?]).await?;
        Ok(())
    }

    /// Returns the content of any version; `None` if it isn't ours.
    async fn catalog_content(&self) -> Result<Option<Value>> {
        let collection = self.catalog_collection()?;
        if !collection.exists().await? {
            return Ok(None);
        }
        let records = collection.get(&[DOCUMENTS.into()], &GetOptions::default()).await?;
        let content = records.into_iter().next().and_then(|mut record| record.data.remove(CONTENT));
        Ok(content.filter(Value::is_object))
    }

    fn catalog_collection(&self) -> Result<Collection> {
        Ok(self.store.dynamic_collection(&self.catalog, RecordDefinition::new(KEY))?)
    }

    /// Accepts any fields.
    fn documents(&self) -> Result<Collection> {
        Ok(self.store.dynamic_collection(&self.documents, RecordDefinition::new(KEY))?)
    }
}

fn embedding(documents: DocumentStore, embedder: Option<Embedder>) -> DocumentStore {
    match embedder {
        Some(embedder) => documents.with_embedding_generator(embedder.generator),
        None => documents,
    }
}

impl fmt::Debug for DocumentIndex {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = formatter.debug_struct("DocumentIndex");
        debug.field("store", &self.store.name()).field("documents", &self.documents);
        debug.field("catalog", &self.catalog).finish_non_exhaustive()
    }
}
