//! A store that requests may write to.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use textsearch_core::Result;
use textsearch_documents::DocumentStore;
use tokio::sync::Mutex;

/// A store that the retrieval-plugin interface searches and writes to.
///
/// One write runs at a time. A response acknowledges a write only after the store, and
/// [`Persist`] if there is one, have finished: then it survives the end of the process. A write
/// without a response may have taken effect or not; repeat it.
///
/// A store in memory needs a [`Persist`]. A database stores each write itself.
#[derive(Clone)]
pub struct DocumentWriter {
    documents: DocumentStore,
    persist: Option<Arc<dyn Persist>>,
    turn: Arc<Mutex<()>>,
}

/// Makes the writes to a store permanent, such as by writing a snapshot to a file.
#[async_trait]
pub trait Persist: Send + Sync {
    /// Returns once everything written so far survives the end of the process. Runs before each
    /// acknowledgement, one call at a time.
    ///
    /// # Errors
    ///
    /// Returns an error if it can't. The request then fails, and the caller should repeat it.
    async fn persist(&self) -> Result<()>;
}

impl DocumentWriter {
    /// Writes to `documents`, whose schema names the allowed metadata: see
    /// [`retrieval_metadata`](crate::retrieval_metadata).
    pub fn new(documents: DocumentStore) -> Self {
        Self { documents, persist: None, turn: Arc::default() }
    }

    /// Sets how writes become permanent.
    #[must_use]
    pub fn with_persistence(mut self, persist: impl Persist + 'static) -> Self {
        self.persist = Some(Arc::new(persist));
        self
    }

    pub(super) fn documents(&self) -> &DocumentStore {
        &self.documents
    }

    /// Runs `write` when it's its turn, then persists. The work goes on if the caller stops
    /// waiting, so that no write ends midway.
    pub(super) async fn write<T, F>(
        &self,
        write: impl FnOnce(DocumentStore) -> F + Send + 'static,
    ) -> Result<T>
    where
        T: Send + 'static,
        F: Future<Output = Result<T>> + Send,
    {
        let Self { documents, persist, turn } = self.clone();
        let running = tokio::spawn(async move {
            let _turn = turn.lock().await;
            let written = write(documents).await?;
            if let Some(persist) = persist {
                persist.persist().await?;
            }
            Ok(written)
        });
        running.await.unwrap_or_else(|error| {
            let kind = textsearch_core::ErrorKind::Backend;
            Err(textsearch_core::Error::new(kind, "server", "a write failed").with_source(error))
        })
    }
}

impl fmt::Debug for DocumentWriter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("DocumentWriter")
            .field("documents", &self.documents)
            .field("persists", &self.persist.is_some())
            .finish()
    }
}
