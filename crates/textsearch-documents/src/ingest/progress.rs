//! Progress and cancellation.

use std::{
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use futures_util::lock::Mutex;
use textsearch_core::{
    Error, ErrorKind, async_trait,
    vector::{EmbeddingGenerator, EmbeddingPurpose, EmbeddingSettings, Embeddings},
    yield_now,
};

use super::error::{IngestError, Result};
use crate::CONNECTOR;

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
        /// Its size, as in [`SourceFiles::bytes`](super::SourceFiles::bytes).
        bytes: u64,
    },
    /// Chunks were embedded, and are stored next.
    ChunksEmbedded {
        /// The number of chunks.
        chunks: usize,
    },
    /// Documents are cut into chunks next, embedded if there is a model, and stored.
    BatchStarted {
        /// Documents in the batch.
        documents: usize,
    },
    /// Documents were embedded and stored, or were unchanged.
    BatchFinished {
        /// Documents in the batch.
        documents: usize,
    },
    /// The documents read so far wait for the embedding model. Reading continues after the next
    /// embedded batch.
    WaitingForModel,
    /// The documents read so far wait for the store. Reading continues after the next stored batch.
    WaitingForStore,
    /// Documents of deleted files are removed next.
    RemovalStarted {
        /// The number of documents.
        documents: usize,
    },
}

type Callback = dyn Fn(IngestEvent<'_>) -> ControlFlow<()> + Send + Sync;

#[derive(Clone, Default)]
pub(super) struct Observer {
    callback: Option<Arc<Callback>>,
    run: Arc<Run>,
}

/// The state of one run.
#[derive(Default)]
struct Run {
    is_cancelled: AtomicBool,
    has_failed: AtomicBool,
    batches_in_progress: AtomicUsize,
    /// Locked while texts are embedded.
    model: Mutex<()>,
}

pub(super) struct BatchInProgress<'a>(&'a Run);

impl Observer {
    pub(super) fn new(
        callback: impl Fn(IngestEvent<'_>) -> ControlFlow<()> + Send + Sync + 'static,
    ) -> Self {
        Self { callback: Some(Arc::new(callback)), run: Arc::default() }
    }

    /// Returns an observer of a new run.
    pub(super) fn restarted(self) -> Self {
        Self { run: Arc::default(), ..self }
    }

    /// Fails if the callback cancels, and from then on.
    pub(super) fn report(&self, event: IngestEvent<'_>) -> Result<()> {
        self.notify(event);
        self.check()
    }

    /// Like [`report`](Self::report), for work that is finished even if the run is cancelled.
    pub(super) fn notify(&self, event: IngestEvent<'_>) {
        let Some(callback) = &self.callback else { return };
        if self.check().is_ok() && callback(event).is_break() {
            self.run.is_cancelled.store(true, Ordering::Relaxed);
        }
    }

    /// Fails if the run is cancelled or has failed.
    pub(super) fn check(&self) -> Result<()> {
        if self.run.is_cancelled.load(Ordering::Relaxed) {
            return Err(IngestError::Cancelled);
        }
        Ok(self.check_running()?)
    }

    /// Ends reading and embedding after an error, which the caller returns.
    pub(super) fn stop(&self) {
        self.run.has_failed.store(true, Ordering::Relaxed);
    }

    pub(super) fn check_running(&self) -> textsearch_core::Result<()> {
        if !self.run.has_failed.load(Ordering::Relaxed) {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Backend, CONNECTOR, "other documents could not be stored"))
    }

    pub(super) fn start_batch(&self, documents: usize) -> BatchInProgress<'_> {
        self.notify(IngestEvent::BatchStarted { documents });
        self.run.batches_in_progress.fetch_add(1, Ordering::Relaxed);
        BatchInProgress(&self.run)
    }

    /// Reports what reading waits for, if anything.
    pub(super) fn report_waiting(&self) {
        if self.run.batches_in_progress.load(Ordering::Relaxed) > 0 {
            let is_embedding = self.run.model.try_lock().is_none();
            self.notify(if is_embedding {
                IngestEvent::WaitingForModel
            } else {
                IngestEvent::WaitingForStore
            });
        }
    }
}

impl Drop for BatchInProgress<'_> {
    fn drop(&mut self) {
        self.0.batches_in_progress.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Embeds one call's documents after the other, and reports them: a local model then finishes the
/// first while the next ones wait, instead of all at the same time.
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
        if settings.purpose != EmbeddingPurpose::Document {
            return self.inner.generate(texts, settings).await;
        }
        let model = self.observer.run.model.lock().await;
        self.observer.check_running()?;
        let embeddings = self.inner.generate(texts, settings).await?;
        drop(model);
        self.observer.notify(IngestEvent::ChunksEmbedded { chunks: texts.len() });
        // The next call starts before these are stored.
        yield_now().await;
        Ok(embeddings)
    }
}
