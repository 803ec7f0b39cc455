//! A store that requests may write to.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use textsearch_core::{Error, ErrorKind, Result};
use textsearch_documents::DocumentStore;
use tokio::{
    runtime::Handle,
    sync::{Mutex, OwnedMutexGuard, OwnedSemaphorePermit, Semaphore},
    task::{JoinError, spawn_blocking},
};

use crate::capacity::Permit;

/// How much a token may have in the line of the store: 2 MiB of requests, or one larger request. The
/// rest waits outside, so a token with few writes waits for at most that much of each other token.
const MAX_BYTES_IN_LINE: u32 = 2 << 20;

/// A store that the retrieval-plugin interface searches and writes to.
///
/// One write runs at a time. Tokens take turns. A response acknowledges a write only after the store,
/// and [`Persist`] if there is one, have finished: then it survives the end of the process. A write
/// without a response may have taken effect or not; repeat it.
///
/// A store in memory needs a [`Persist`]. A database stores each write itself.
#[derive(Clone)]
pub struct DocumentWriter {
    documents: DocumentStore,
    persist: Option<Arc<dyn Persist>>,
    /// The line of the store. It is fair: first come, first served.
    turn: Arc<Mutex<Progress>>,
}

/// How many writes took place.
#[derive(Default)]
struct Progress {
    written: u64,
    persisted: u64,
}

/// The writes of one token.
pub(super) struct TenantWriter {
    writer: DocumentWriter,
    /// The line before the line of the store.
    own_line: Arc<Semaphore>,
}

/// Makes the writes to a store permanent, such as by writing a snapshot to a file.
#[async_trait]
pub trait Persist: Send + Sync {
    /// Returns once everything written so far survives the end of the process. Runs before each
    /// acknowledgement, one call at a time and never beside a write. One call serves all writes that
    /// wait for it.
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

    /// Runs `write`, and persists it unless another write's call does.
    async fn run<T, F>(
        self,
        mut turn: OwnedMutexGuard<Progress>,
        in_line: Option<OwnedSemaphorePermit>,
        write: impl FnOnce(DocumentStore) -> F + Send + 'static,
    ) -> Result<T>
    where
        T: Send + 'static,
        F: Future<Output = Result<T>>,
    {
        // A store in memory indexes texts without a pause. Searches need the runtime's threads.
        let runtime = Handle::current();
        let writing = spawn_blocking(move || runtime.block_on(write(self.documents)));
        let written = writing.await.map_err(failed)??;
        turn.written += 1;
        let number = turn.written;
        drop((turn, in_line));
        let Some(persist) = self.persist else { return Ok(written) };
        // Again at the end of the line: the writes that wait now are persisted together.
        let mut turn = self.turn.lock().await;
        if turn.persisted < number {
            persist.persist().await?;
            turn.persisted = turn.written;
        }
        Ok(written)
    }
}

impl TenantWriter {
    pub(super) fn new(writer: DocumentWriter) -> Self {
        Self { writer, own_line: Arc::new(Semaphore::new(MAX_BYTES_IN_LINE as usize)) }
    }

    pub(super) fn documents(&self) -> &DocumentStore {
        self.writer.documents()
    }

    /// Runs `write` when it's its turn, then persists. Dropping the future drops a write that
    /// waits. One that has begun goes on to its end, so that no write ends midway, and keeps
    /// `permit` until then.
    pub(super) async fn write<T, F>(
        &self,
        permit: Permit,
        write: impl FnOnce(DocumentStore) -> F + Send + 'static,
    ) -> Result<T>
    where
        T: Send + 'static,
        F: Future<Output = Result<T>> + Send,
    {
        let bytes = u32::try_from(permit.body_bytes()).unwrap_or(u32::MAX);
        let bytes = bytes.clamp(1, MAX_BYTES_IN_LINE);
        // It is never closed.
        let in_line = Arc::clone(&self.own_line).acquire_many_owned(bytes).await.ok();
        let turn = Arc::clone(&self.writer.turn).lock_owned().await;
        let writer = self.writer.clone();
        let running = tokio::spawn(async move {
            let _permit = permit;
            writer.run(turn, in_line, write).await
        });
        running.await.unwrap_or_else(|error| Err(failed(error)))
    }
}

fn failed(error: JoinError) -> Error {
    Error::new(ErrorKind::Backend, "server", "a write failed").with_source(error)
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

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures_util::{future::join_all, poll};
    use textsearch_documents::{Chunker, DocumentSchema};
    use textsearch_vector_inmemory::InMemoryVectorStore;

    use super::*;
    use crate::{
        ServerConfig,
        capacity::{Admission, Capacity},
    };

    async fn writer() -> DocumentWriter {
        let store = InMemoryVectorStore::new();
        let schema = DocumentSchema::default();
        let documents = DocumentStore::open(&store, "documents", &schema, Chunker::default());
        DocumentWriter::new(documents.await.unwrap())
    }

    #[tokio::test]
    async fn one_write_of_a_tenant_is_not_behind_many_of_another() {
        let writer = writer().await;
        let [many, single] = [(); 2].map(|()| TenantWriter::new(writer.clone()));
        let server = Capacity::of_server(&ServerConfig::new());
        let order = Arc::new(std::sync::Mutex::new(Vec::new()));
        let write = |tenant, name| {
            let mut admission = Admission::new(&server, None);
            let order = Arc::clone(&order);
            assert!(admission.add_body(1 << 20).is_ok());
            let Ok(permit) = admission.admit() else { panic!("the server has places") };
            TenantWriter::write(tenant, permit, move |_| async move {
                order.lock().unwrap().push(name);
                Ok(())
            })
        };
        let turn = writer.turn.lock().await;
        let bulk = (0..20).map(|_| write(&many, "many"));
        let mut writes = pin!(join_all(bulk.chain([write(&single, "one")])));
        assert!(poll!(&mut writes).is_pending());
        drop(turn);
        assert!(writes.await.iter().all(Result::is_ok));
        let order = order.lock().unwrap();
        assert_eq!((order.len(), &order[..3]), (21, ["many", "many", "one"].as_slice()));
    }
}
