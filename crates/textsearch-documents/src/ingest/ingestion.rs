//! What is ingested, and how.

use std::{
    fmt,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::Arc,
};

use textsearch_core::vector::VectorStore;

use super::{
    embedder::Embedder,
    error::{IngestError, Result},
    files::FoundFiles,
    index::Catalog,
    json_lines::JsonLinesConfig,
    report::IngestReport,
    text_check::is_without_text,
    update::{Survey, Update},
};
use crate::{Chunker, DocumentStore, EmbeddingCache};

/// Files to ingest, how their records are read, and the model that embeds them.
///
/// # Behavior
///
/// - A file found in a folder that can't be read is skipped and reported. A file that was given by its own path, and a
///   line that isn't a record, stop the ingestion.
/// - All JSON Lines are read once before anything is stored, so a bad line changes nothing.
/// - Dropping the future cancels the ingestion, and so does the progress callback. The next run continues.
#[derive(Clone)]
pub struct Ingestion {
    pub(super) files: FoundFiles,
    pub(super) json: JsonLinesConfig,
    pub(super) language: Language,
    pub(super) embedder: Option<Embedder>,
    pub(super) embedding_cache: Option<PathBuf>,
    pub(super) observer: Observer,
}

/// The language of full-text search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Language {
    /// That of the store, and English for a new one.
    OfStore,
    /// This one, by its code.
    Of(String),
    /// None: words are found as they are written.
    None,
}

/// How far an ingestion has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum IngestEvent<'a> {
    /// A file is read next.
    FileStarted {
        /// The path of the file.
        path: &'a str,
    },
    /// A record of JSON Lines was read.
    RecordRead {
        /// The path of the file.
        path: &'a str,
        /// How many records of the file were read.
        records: usize,
    },
    /// A file was read. It may be stored with the next ones.
    FileFinished {
        /// The path of the file.
        path: &'a str,
    },
}

type Callback = dyn Fn(IngestEvent<'_>) -> ControlFlow<()> + Send + Sync;

/// The progress callback, if there is one.
#[derive(Clone, Default)]
pub(super) struct Observer(Option<Arc<Callback>>);

impl Observer {
    /// Reports an event.
    ///
    /// # Errors
    ///
    /// [`Cancelled`](IngestError::Cancelled) if the callback says so.
    pub(super) fn report(&self, event: IngestEvent<'_>) -> Result<()> {
        match self.0.as_ref().map(|callback| callback(event)) {
            Some(ControlFlow::Break(())) => Err(IngestError::Cancelled),
            _ => Ok(()),
        }
    }
}

impl Ingestion {
    /// Returns an ingestion of `files` without embeddings, in the language of the store.
    pub fn new(files: FoundFiles) -> Self {
        Self {
            files,
            json: JsonLinesConfig::default(),
            language: Language::OfStore,
            embedder: None,
            embedding_cache: None,
            observer: Observer::default(),
        }
    }

    /// Sets how records of JSON Lines are read.
    #[must_use]
    pub fn with_json_lines(mut self, config: JsonLinesConfig) -> Self {
        self.json = config;
        self
    }

    /// Sets the language of full-text search, an ISO 639-1 code such as `de`. By default it is that of the store, and
    /// English for a new one.
    #[must_use]
    pub fn with_language(mut self, language: impl Into<String>) -> Self {
        self.language = Language::Of(language.into());
        self
    }

    /// Sets whether full-text search finds words only as they are written, without the rules of a language; false by
    /// default. `true` replaces an earlier [`with_language`](Self::with_language).
    #[must_use]
    pub fn with_exact_words(mut self, enabled: bool) -> Self {
        if enabled {
            self.language = Language::None;
        } else if self.language == Language::None {
            self.language = Language::OfStore;
        }
        self
    }

    /// Embeds the documents.
    #[must_use]
    pub fn with_embedder(mut self, embedder: Embedder) -> Self {
        self.embedder = Some(embedder);
        self
    }

    /// Keeps embeddings in the file at `path` as they are made. A run after a failed or killed one makes only the rest.
    /// [Remove](EmbeddingCache::remove) the file once the store is written.
    #[must_use]
    pub fn with_embedding_cache(mut self, path: impl AsRef<Path>) -> Self {
        self.embedding_cache = Some(path.as_ref().to_owned());
        self
    }

    /// Reports progress to `callback`, which cancels the ingestion by returning [`ControlFlow::Break`].
    #[must_use]
    pub fn with_progress(
        mut self,
        callback: impl Fn(IngestEvent<'_>) -> ControlFlow<()> + Send + Sync + 'static,
    ) -> Self {
        self.observer = Observer(Some(Arc::new(callback)));
        self
    }

    /// Returns the files.
    pub fn files(&self) -> &FoundFiles {
        &self.files
    }

    /// Returns whether no file holds any text. A file that can't be read may hold some. Reads the files up to the first
    /// text; ask before work that would be wasted, such as loading a model.
    pub fn is_without_text(&self) -> bool {
        is_without_text(&self.files.files, &self.json)
    }

    /// Stores the documents in a new collection called `name`, for a search of this process alone. The store notes neither
    /// the schema nor the model: use a [`DocumentIndex`](super::DocumentIndex) for documents that are updated.
    ///
    /// # Errors
    ///
    /// Any [`IngestError`] of files, records, the model and the store.
    pub async fn into_collection(
        self,
        store: &dyn VectorStore,
        name: &str,
    ) -> Result<(DocumentStore, IngestReport)> {
        let mut catalog = Catalog::default().with_language(&self.language);
        if let Some(embedder) = &self.embedder {
            catalog = catalog.with_embedder(embedder).await?;
        }
        let survey = Survey::of(self.files.clone(), &self.json, &mut catalog)?;
        let documents =
            DocumentStore::open(store, name, &catalog.schema(), Chunker::default()).await?;
        let documents = self.embedding(documents, &catalog)?;
        let update = Update::new(&self, documents.clone(), survey.report);
        Ok((documents, update.run(&survey.files, &[]).await?))
    }

    /// Returns `documents` with the model in front of its collection, if there is one.
    pub(super) fn embedding(
        &self,
        documents: DocumentStore,
        catalog: &Catalog,
    ) -> Result<DocumentStore> {
        let Some(embedder) = &self.embedder else { return Ok(documents) };
        let mut generator = Arc::clone(&embedder.generator);
        if let (Some(path), Some(embedded_by)) = (&self.embedding_cache, &catalog.embedded_by) {
            let model = embedder.kept_as();
            let mut kept = EmbeddingCache::open(path, generator, model, embedded_by.dimensions)?;
            if let Some(read) = embedder.finished_before {
                kept = kept.with_finished_before(read);
            }
            generator = Arc::new(kept);
        }
        Ok(documents.with_embeddings(generator))
    }
}

impl fmt::Debug for Ingestion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = formatter.debug_struct("Ingestion");
        debug.field("files", &self.files).field("json", &self.json);
        debug.field("language", &self.language).field("embedder", &self.embedder);
        debug.finish_non_exhaustive()
    }
}
