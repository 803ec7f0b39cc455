//! Optional parts of a store: embeddings, namespaces and source texts.

use std::sync::Arc;

use textsearch_core::{
    Result,
    vector::{Collection, EmbeddingCollection, EmbeddingGenerator, Fusion},
};

use super::{
    DocumentStore, SourceTexts,
    namespace::{Namespace, NamespacedCollection},
    schema::{self, fields},
    source::ReferencingCollection,
};

impl DocumentStore {
    /// Embeds documents and queries with `generator`. The collection must have a vector. If the model
    /// counts tokens, it embeds each chunk whole: see [`Chunker`](crate::Chunker).
    #[must_use]
    pub fn with_embedding_generator(
        mut self,
        generator: impl EmbeddingGenerator + 'static,
    ) -> Self {
        let generator: Arc<dyn EmbeddingGenerator> = Arc::new(generator);
        self.chunker = self.chunker.with_embedding_generator(Arc::clone(&generator));
        self.generator = Some(generator);
        self.layered()
    }

    /// Sets how [`text_search`](Self::text_search) fuses vectors and words. Some stores accept only
    /// their own way.
    #[must_use]
    pub fn with_fusion(mut self, fusion: Fusion) -> Self {
        self.fusion = fusion;
        self
    }

    /// Keeps the store inside a namespace, such as a tenant or a project: it only finds, lists and
    /// removes documents of the namespace, and marks the documents it writes. Other namespaces may
    /// have documents with the same ids.
    ///
    /// This holds for [`collection`](Self::collection) and [`text_search`](Self::text_search), too.
    /// Full-text scores depend on the words of all namespaces. Any text of 1 to 256 bytes is a
    /// namespace, if it isn't blank and has no control characters; upper and lower case differ.
    ///
    /// ```
    /// use textsearch_documents::{Chunker, Document, DocumentSchema, DocumentStore};
    /// use textsearch_vector_inmemory::InMemoryVectorStore;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> textsearch_core::Result<()> {
    /// let mut schema = DocumentSchema::default();
    /// schema.namespaces = true;
    /// let store = InMemoryVectorStore::new();
    /// let all = DocumentStore::open(&store, "docs", &schema, Chunker::default()).await?;
    /// let (acme, umbrella) = (all.clone().with_namespace("acme")?, all.with_namespace("umbrella")?);
    /// acme.upsert([Document::plain_text("plan", "Sell more.")]).await?;
    /// assert_eq!(umbrella.remove(["plan"]).await?, 0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions) if the text is no
    /// namespace, or the collection has
    /// [no namespaces](crate::DocumentSchema::namespaces).
    pub fn with_namespace(mut self, namespace: impl Into<String>) -> Result<Self> {
        schema::check_has_namespaces(&self.stored)?;
        self.namespace = Some(Namespace::new(namespace.into())?);
        Ok(self.layered())
    }

    /// Sets the service that fetches the texts of search results, if the records hold
    /// [references](crate::DocumentSchema::references).
    ///
    /// A search fetches the texts of up to 64 results at once, each document once, and checks that
    /// they haven't changed since they were stored. A result without text is an error in the stream
    /// that names the document. [Lists](Self::list) and reads by key return no texts.
    #[must_use]
    pub fn with_source_texts(mut self, sources: impl SourceTexts + 'static) -> Self {
        self.sources = Some(Arc::new(sources));
        self.layered()
    }

    /// Texts are embedded before they are dropped, and namespaces are closest to the store, so that
    /// nothing gets around them.
    pub(super) fn layered(mut self) -> Self {
        let has = |field| self.stored.definition().data_field(field).is_some();
        let mut collection = Arc::clone(&self.stored);
        if has(fields::NAMESPACE) {
            collection = Arc::new(NamespacedCollection::new(collection, self.namespace.clone()));
        }
        if has(fields::CHUNK_HASH) {
            collection = Arc::new(ReferencingCollection::new(collection, self.sources.clone()));
        }
        if let Some(generator) = &self.generator {
            collection = Arc::new(EmbeddingCollection::new(collection, Arc::clone(generator)));
        }
        self.collection = Collection::new(collection);
        self
    }
}
