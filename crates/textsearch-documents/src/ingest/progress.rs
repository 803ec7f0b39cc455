//! Progress and cancellation.

use std::{ops::ControlFlow, sync::Arc};

use textsearch_core::{
    async_trait,
    vector::{EmbeddingGenerator, EmbeddingPurpose, EmbeddingSettings, Embeddings},
};

use super::error::{IngestError, Result};

/// The progress of an ingestion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum IngestEvent<'a> {
    /// A file is read next.
    FileStarted {
        /// Its path.
        path: &'a str,
    },
    /// A record of JSON Lines was read. Records are stored as they are read.
    RecordRead {
        /// The path of the file.
        path: &'a str,
        /// Records read from the file.
        records: usize,
        /// Bytes read from the file.
        bytes: u64,
    },
    /// A file was read. It may be stored later.
    FileFinished {
        /// Its path.
        path: &'a str,
        /// Its size, as in [`FoundFiles::bytes`](super::FoundFiles::bytes).
        bytes: u64,
    },
    /// Chunks were embedded, and are stored next.
    ChunksEmbedded {
        /// The number of chunks.
        chunks: usize,
    },
    /// Files are embedded, if there is a model, and stored next.
    BatchStarted {
        /// Files in the batch.
        documents: usize,
    },
    /// Files were embedded and stored, or were unchanged.
    BatchFinished {
        /// Files in the batch.
        documents: usize,
    },
    /// Documents of deleted files are removed next.
    RemovalStarted {
        /// The number of documents.
        documents: usize,
    },
}

type Callback = dyn Fn(IngestEvent<'_>) -> ControlFlow<()> + Send + Sync;

#[derive(Clone, Default)]
pub(super) struct Observer(Option<Arc<Callback>>);

impl Observer {
    pub(super) fn new(
        callback: impl Fn(IngestEvent<'_>) -> ControlFlow<()> + Send + Sync + 'static,
    ) -> Self {
        Self(Some(Arc::new(callback)))
    }

    pub(super) fn report(&self, event: IngestEvent<'_>) -> Result<()> {
        match self.0.as_ref().map(|callback| callback(event)) {
            Some(ControlFlow::Break(())) => Err(IngestError::Cancelled),
            _ => Ok(()),
        }
    }
}

/// Reports the chunks that `inner` embeds.
pub(super) struct Observed {
    pub(super) inner: Arc<dyn EmbeddingGenerator>,
    pub(super) observer: Observer,
}

#[async_trait]
impl EmbeddingGenerator for Observed {
    fn model_id(&self) -> &str {
        self.inner.model_id()
    }

    fn provider(&self) -> Option<&str> {
        self.inner.provider()
    }

    fn dimensions(&self) -> Option<usize> {
        self.inner.dimensions()
    }

    fn max_document_tokens(&self) -> Option<usize> {
        self.inner.max_document_tokens()
    }

    fn count_tokens(&self, text: &str) -> Option<usize> {
        self.inner.count_tokens(text)
    }

    async fn generate(
        &self,
        texts: &[String],
        settings: &EmbeddingSettings,
    ) -> textsearch_core::Result<Embeddings> {
        let embeddings = self.inner.generate(texts, settings).await?;
        if settings.purpose == EmbeddingPurpose::Document {
            let chunks = texts.len();
            // A caller who cancels does so again at the next event.
            let _cancelled = self.observer.report(IngestEvent::ChunksEmbedded { chunks });
        }
        Ok(embeddings)
    }
}
