//! The input and settings of an ingestion.

use std::{fmt, ops::ControlFlow, sync::Arc};

use percent_encoding::{AsciiSet, utf8_percent_encode};

use super::{
    embedder::Embedder,
    files::SourceFiles,
    json_lines::JsonLinesConfig,
    language::Language,
    progress::{IngestEvent, Observed, Observer},
};
use crate::{Chunker, DocumentStore, ReadLimits, section::FRAGMENT};

/// Characters that a [path](https://url.spec.whatwg.org/#path-percent-encode-set) can't hold.
const PATH_PART: &AsciiSet = &FRAGMENT.add(b'?').add(b'^').add(b'{').add(b'}').add(b'%');

/// Files to ingest, and how they are read and embedded.
///
/// - A file that can't be read or stored is skipped and [reported](super::IngestReport::failed).
///   The others are stored.
/// - A line that isn't a record, or a repeated id, fails its whole file: all JSON Lines are read
///   once before anything is stored.
/// - To cancel, drop the future or return [`ControlFlow::Break`] from the progress callback. The
///   next run continues.
#[derive(Clone)]
pub struct Ingestion {
    pub(super) files: SourceFiles,
    pub(super) reading: Reading,
    pub(super) language: Language,
    pub(super) chunker: Option<Chunker>,
    pub(super) embedder: Option<Embedder>,
    pub(super) observer: Observer,
}

/// How files are read.
#[derive(Debug, Clone, Default)]
pub(super) struct Reading {
    pub(super) json: JsonLinesConfig,
    pub(super) limits: Arc<ReadLimits>,
    pub(super) link_base: Option<String>,
}

impl Reading {
    /// Returns the link to a file. A page of a site is its own link.
    pub(super) fn link_to(&self, path: &str) -> String {
        let is_page = ["http://", "https://"].iter().any(|scheme| path.starts_with(scheme));
        let Some(base) = self.link_base.as_ref().filter(|_| !is_page) else {
            return path.to_owned();
        };
        let path = utf8_percent_encode(path.trim_start_matches('/'), PATH_PART);
        format!("{}/{path}", base.trim_end_matches('/'))
    }

    /// Returns the link to a record of a file.
    pub(super) fn link_to_record(&self, path: &str, id: &str) -> String {
        let file = self.link_to(path);
        match self.link_base {
            Some(_) => format!("{file}#{}", utf8_percent_encode(id, PATH_PART)),
            None => format!("{file}#{id}"),
        }
    }
}

impl Ingestion {
    /// Creates an ingestion of `files` without embeddings, in the store's language.
    pub fn new(files: SourceFiles) -> Self {
        Self {
            files,
            reading: Reading::default(),
            language: Language::StoreDefault,
            chunker: None,
            embedder: None,
            observer: Observer::default(),
        }
    }

    /// Sets how records of JSON Lines are read.
    #[must_use]
    pub fn with_json_lines(mut self, config: JsonLinesConfig) -> Self {
        self.reading.json = config;
        self
    }

    /// Sets limits on what is read from one file.
    #[must_use]
    pub fn with_read_limits(mut self, limits: ReadLimits) -> Self {
        self.reading.limits = Arc::new(limits);
        self
    }

    /// Sets the URL where the files are published, such as `https://docs.example/`: a result of the file
    /// `guide/a.md` then links to `https://docs.example/guide/a.md`. The index keeps it; an empty one makes links paths
    /// again. Default: the index's, or links are paths.
    #[must_use]
    pub fn with_link_base(mut self, url: impl Into<String>) -> Self {
        self.reading.link_base = Some(url.into());
        self
    }

    /// Sets the language of full-text search, an ISO 639-1 code such as `de`. Default: the store's
    /// language, or English for a new store.
    #[must_use]
    pub fn with_language(mut self, language: impl Into<String>) -> Self {
        self.language = Language::Stemmed(language.into());
        self
    }

    /// Sets whether full-text search matches words only as written. Default: false. `true` replaces
    /// an earlier [`with_language`](Self::with_language).
    #[must_use]
    pub fn with_exact_words(mut self, enabled: bool) -> Self {
        if enabled {
            self.language = Language::ExactWords;
        } else if self.language == Language::ExactWords {
            self.language = Language::StoreDefault;
        }
        self
    }

    /// Sets how documents are cut into chunks. Default: the index's sizes, or [`Chunker::default`]
    /// for a new index. Only the sizes count: the model of [`with_embedder`](Self::with_embedder)
    /// replaces the chunker's.
    #[must_use]
    pub fn with_chunker(mut self, chunker: Chunker) -> Self {
        self.chunker = Some(chunker);
        self
    }

    /// Embeds the documents. Default: no embeddings.
    #[must_use]
    pub fn with_embedder(mut self, embedder: Embedder) -> Self {
        self.embedder = Some(embedder);
        self
    }

    /// Reports progress to `callback`, which cancels by returning [`ControlFlow::Break`].
    #[must_use]
    pub fn with_progress(
        mut self,
        callback: impl Fn(IngestEvent<'_>) -> ControlFlow<()> + Send + Sync + 'static,
    ) -> Self {
        self.observer = Observer::new(callback);
        self
    }

    /// Returns the files.
    pub fn files(&self) -> &SourceFiles {
        &self.files
    }

    pub(super) fn embedding(&self, documents: DocumentStore) -> DocumentStore {
        let Some(embedder) = &self.embedder else { return documents };
        let inner = Arc::clone(&embedder.generator);
        let observer = self.observer.clone();
        documents.with_embedding_generator(Arc::new(Observed { inner, observer }))
    }
}

impl fmt::Debug for Ingestion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = formatter.debug_struct("Ingestion");
        debug.field("files", &self.files).field("reading", &self.reading);
        debug.field("language", &self.language).field("chunker", &self.chunker);
        debug.field("embedder", &self.embedder);
        debug.finish_non_exhaustive()
    }
}
