//! Ingests files into a collection without a catalog.

use std::sync::Arc;

use textsearch_core::vector::VectorStore;

use super::{
    catalog::Catalog, error::Result, ingestion::Ingestion, progress::Observed,
    readable::ReadableFiles, report::IngestReport, update::Update,
};
use crate::DocumentStore;

impl Ingestion {
    /// Stores the documents in a new collection called `name`, for a search of this process alone.
    /// Doesn't store the schema and the model: for updates, use a
    /// [`DocumentIndex`](super::DocumentIndex).
    ///
    /// # Errors
    ///
    /// Returns any [`IngestError`](super::IngestError) of the model and the store.
    pub async fn into_collection(
        mut self,
        store: &dyn VectorStore,
        name: &str,
    ) -> Result<(DocumentStore, IngestReport)> {
        self.observer = self.observer.restarted();
        let catalog = Catalog::default().with_language(&self.language);
        let mut catalog = catalog.with_chunker(self.chunker.as_ref());
        self.reading.link_base = self.reading.link_base.filter(|url| !url.is_empty());
        if let Some(embedder) = &self.embedder {
            catalog = catalog.with_embedder(embedder).await?;
        }
        let readable = ReadableFiles::check(self.files.clone(), &self.reading, &mut catalog);
        let schema = catalog.schema();
        let chunker = catalog.chunker()?;
        let documents = DocumentStore::open(store, name, &schema, chunker).await?;
        let documents = self.embedding(documents);
        let update = Update::new(&self, documents.clone(), readable.report);
        Ok((documents, update.run(&readable.files, &[]).await?))
    }

    pub(super) fn embedding(&self, documents: DocumentStore) -> DocumentStore {
        let Some(embedder) = &self.embedder else { return documents };
        let inner = Arc::clone(&embedder.generator);
        let observer = self.observer.clone();
        documents.with_embedding_generator(Arc::new(Observed { inner, observer }))
    }
}
