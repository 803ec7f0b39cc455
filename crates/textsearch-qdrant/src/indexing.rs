//! Loads many records while the server builds no graphs.

use std::{sync::Arc, time::Duration};

use qdrant_client::qdrant::{CollectionStatus, OptimizersConfigDiff, UpdateCollection};
use textsearch_core::{Error, ErrorKind, Result, vector::RecordDefinition};

use crate::{CONNECTOR, QdrantStore, handle::QdrantCollection, schema};

/// A server's own threshold, in kilobytes of vectors in a segment.
const DEFAULT_THRESHOLD: u64 = 20_000;

const PAUSE: Duration = Duration::from_millis(500);

impl QdrantStore {
    /// Runs `load` while the server builds no graphs for the collection, then lets it build them,
    /// waits until they are complete and returns what `load` returned.
    ///
    /// It sets the collection's `indexing_threshold` to 0 and afterwards back, also if `load` fails;
    /// after a failure it doesn't wait. Until the graphs are complete, searches compare all vectors,
    /// and the server keeps new vectors in memory. A collection of millions takes minutes to hours: a
    /// timeout around this method only ends the waiting once `load` is done.
    ///
    /// If the process ends in between, or the future is dropped, indexing stays off. Load again, or
    /// call it with `async { Ok(()) }`: a threshold of 0 counts as left behind and becomes a
    /// server's default.
    ///
    /// ```no_run
    /// # use textsearch_qdrant::{QdrantStore, Result, vector::{BulkSettings, Collection, StoredRecord}};
    /// # async fn example(store: QdrantStore, notes: Collection, records: Vec<StoredRecord>) -> Result<()> {
    /// use futures_util::{StreamExt as _, stream};
    ///
    /// let settings = BulkSettings::default();
    /// let load = notes.bulk_upsert(stream::iter(records).map(Ok), &settings);
    /// let stored = store.load_without_indexing("notes", load).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the error of `load`. Otherwise returns
    /// [`CollectionNotFound`](ErrorKind::CollectionNotFound),
    /// [`Backend`](ErrorKind::Backend) if the server couldn't build a graph, or another error of the
    /// server.
    pub async fn load_without_indexing<T>(
        &self,
        collection: &str,
        load: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let unknown = RecordDefinition::new("id");
        schema::check_definition(collection, &unknown)?;
        let collection = QdrantCollection::new(Arc::clone(&self.nodes), collection, unknown);
        let threshold = collection.indexing_threshold().await?;
        collection.set_indexing_threshold(0).await?;
        let loaded = load.await;
        let restored = collection.set_indexing_threshold(threshold).await;
        match (loaded, restored) {
            (Ok(loaded), Ok(())) => collection.wait_for_graphs().await.map(|()| loaded),
            (Ok(_), Err(error)) => Err(error),
            (Err(error), Ok(())) => Err(error),
            (Err(error), Err(restoring)) => {
                tracing::warn!(collection = %collection.name, %restoring, "indexing is still off");
                Err(error)
            }
        }
    }
}

impl QdrantCollection {
    async fn indexing_threshold(&self) -> Result<u64> {
        let config = self.info().await?.config.unwrap_or_default();
        let threshold = config.optimizer_config.and_then(|config| config.indexing_threshold);
        Ok(threshold.filter(|threshold| *threshold > 0).unwrap_or(DEFAULT_THRESHOLD))
    }

    async fn set_indexing_threshold(&self, kilobytes: u64) -> Result<()> {
        let updated = self.request(|client| {
            let optimizers = OptimizersConfigDiff {
                indexing_threshold: Some(kilobytes),
                ..OptimizersConfigDiff::default()
            };
            let request = UpdateCollection {
                collection_name: self.name.clone(),
                optimizers_config: Some(optimizers),
                ..UpdateCollection::default()
            };
            async move { client.update_collection(request).await }
        });
        updated.await.map(drop)
    }

    async fn wait_for_graphs(&self) -> Result<()> {
        loop {
            let info = self.info().await?;
            match info.status() {
                CollectionStatus::Green => return Ok(()),
                CollectionStatus::Red => {
                    let detail = info.optimizer_status.map(|status| status.error);
                    return Err(not_indexed(&self.name, &detail.unwrap_or_default()));
                }
                _ => tokio::time::sleep(PAUSE).await,
            }
        }
    }
}

fn not_indexed(name: &str, detail: &str) -> Error {
    let message = format!(
        "the server couldn't index the collection `{name}`: {detail}; its records are stored, see its log"
    );
    Error::new(ErrorKind::Backend, CONNECTOR, message)
}
