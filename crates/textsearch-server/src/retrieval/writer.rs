//! A store that requests may write to.

use std::sync::Arc;

use textsearch_core::{Error, ErrorKind, Result};
use textsearch_documents::DocumentStore;
use tokio::{
    runtime::Handle,
    sync::{Mutex, Semaphore},
    task::spawn_blocking,
};

use crate::capacity::Permit;

/// How much a token may have in the line of the store: 2 MiB of requests, or one larger request. The
/// rest waits outside, so a token with few writes waits for at most that much of each other token.
const MAX_BYTES_IN_LINE: u32 = 2 << 20;

/// A store that the retrieval-plugin interface searches and writes to.
///
/// One write runs at a time. Tokens take turns. A response acknowledges a write only after the store
/// has finished. A write without a response may have taken effect or not; repeat it.
///
/// A store that keeps acknowledged writes after the end of the process is a database or a
/// `DiskVectorStore`.
#[derive(Clone, Debug)]
pub struct DocumentWriter {
    documents: DocumentStore,
    /// The line of the store. It is fair: first come, first served.
    turn: Arc<Mutex<()>>,
}

/// The writes of one token.
pub(super) struct TenantWriter {
    writer: DocumentWriter,
    /// The line before the line of the store.
    own_line: Arc<Semaphore>,
}

impl DocumentWriter {
    /// Writes to `documents`, whose schema names the allowed metadata: see
    /// [`retrieval_metadata`](crate::retrieval_metadata).
    pub fn new(documents: DocumentStore) -> Self {
        Self { documents, turn: Arc::default() }
    }

    pub(super) fn documents(&self) -> &DocumentStore {
        &self.documents
    }
}

impl TenantWriter {
    pub(super) fn new(writer: DocumentWriter) -> Self {
        Self { writer, own_line: Arc::new(Semaphore::new(MAX_BYTES_IN_LINE as usize)) }
    }

    pub(super) fn documents(&self) -> &DocumentStore {
        self.writer.documents()
    }

    /// Runs `write` after the writes before it. Dropping the future cancels a write that waits. A write
    /// that has begun runs to its end, and keeps `permit` until then.
    pub(super) async fn write<T, F>(
        &self,
        permit: Permit,
        write: impl FnOnce(DocumentStore) -> F + Send + 'static,
    ) -> Result<T>
    where
        T: Send + 'static,
        F: Future<Output = Result<T>>,
    {
        let bytes = u32::try_from(permit.body_bytes()).unwrap_or(u32::MAX);
        let bytes = bytes.clamp(1, MAX_BYTES_IN_LINE);
        // It is never closed.
        let in_line = Arc::clone(&self.own_line).acquire_many_owned(bytes).await.ok();
        let turn = Arc::clone(&self.writer.turn).lock_owned().await;
        let documents = self.documents().clone();
        // A store in memory indexes texts without a pause. Searches need the runtime's threads.
        let runtime = Handle::current();
        let running = spawn_blocking(move || {
            let _until_the_end = (permit, turn, in_line);
            runtime.block_on(write(documents))
        });
        running.await.unwrap_or_else(|error| {
            Err(Error::new(ErrorKind::Backend, "server", "a write failed").with_source(error))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::{
        pin::pin,
        sync::atomic::{AtomicBool, Ordering},
    };

    use futures_util::{future::join_all, poll};
    use textsearch_documents::{Chunker, DocumentSchema};
    use textsearch_vector_inmemory::InMemoryVectorStore;
    use tokio::sync::Notify;

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

    fn permit(server: &Capacity) -> Permit {
        let mut admission = Admission::new(server, None);
        assert!(admission.add_body(1 << 20).is_ok());
        let Ok(permit) = admission.admit() else { panic!("the server has places") };
        permit
    }

    #[tokio::test]
    async fn one_write_of_a_tenant_is_not_behind_many_of_another() {
        let writer = writer().await;
        let [many, single] = [(); 2].map(|()| TenantWriter::new(writer.clone()));
        let server = Capacity::of_server(&ServerConfig::new());
        let order = Arc::new(std::sync::Mutex::new(Vec::new()));
        let write = |tenant, name| {
            let order = Arc::clone(&order);
            TenantWriter::write(tenant, permit(&server), move |_| async move {
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

    #[tokio::test]
    async fn a_write_that_waits_ends_with_its_request() {
        let writer = writer().await;
        let tenant = TenantWriter::new(writer.clone());
        let server = Capacity::of_server(&ServerConfig::new());
        let was_run = Arc::new(AtomicBool::new(false));
        let turn = writer.turn.lock().await;
        let mut waiting = Box::pin(tenant.write(permit(&server), {
            let was_run = Arc::clone(&was_run);
            move |_| async move {
                was_run.store(true, Ordering::Relaxed);
                Ok(())
            }
        }));
        assert!(poll!(&mut waiting).is_pending());
        drop((waiting, turn));
        tenant.write(permit(&server), |_| async { Ok(()) }).await.unwrap();
        assert!(!was_run.load(Ordering::Relaxed));
    }

    #[tokio::test]
    async fn a_write_that_has_begun_outlives_its_request_and_keeps_its_place() {
        let tenant = TenantWriter::new(writer().await);
        let mut config = ServerConfig::new();
        config.max_concurrent_requests = 1;
        let server = Capacity::of_server(&config);
        let [begun, may_end, ended] = [(); 3].map(|()| Arc::new(Notify::new()));
        let mut first = Box::pin(tenant.write(permit(&server), {
            let [begun, may_end, ended] = [&begun, &may_end, &ended].map(Arc::clone);
            move |_| async move {
                begun.notify_one();
                may_end.notified().await;
                ended.notify_one();
                Ok(())
            }
        }));
        assert!(poll!(&mut first).is_pending());
        begun.notified().await;
        drop(first);
        assert!(Admission::new(&server, None).admit().is_err());
        may_end.notify_one();
        ended.notified().await;
    }
}
