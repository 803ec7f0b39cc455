//! The store.

use std::sync::Arc;

use textsearch_core::{
    Result, async_trait,
    http::HttpClient,
    vector::{RecordDefinition, VectorCollection, VectorStore},
};

use crate::{CONNECTOR, PineconeConfig, api::Api, definition, handle::Handle, index};

/// A store of collections in [Pinecone](https://docs.pinecone.io). Each collection is an index of
/// its name, or a namespace of that index.
///
/// Clones share their connections. `new` doesn't connect.
///
/// ```no_run
/// use textsearch_pinecone::{
///     PineconeConfig, PineconeStore,
///     vector::{DataField, IndexKind, RecordDefinition, VectorField, VectorSearchOptions, VectorStoreExt},
/// };
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_pinecone::Result<()> {
/// let store = PineconeStore::new(PineconeConfig::from_env()?)?;
/// let definition = RecordDefinition::new("id")
///     .with_data(DataField::integer("year").filterable())
///     .with_vector(VectorField::new("embedding", 3).with_index(IndexKind::hnsw()));
/// let notes = store.dynamic_collection("notes", definition)?;
/// notes.ensure_exists().await?;
/// let found = notes.search(vec![0.1, 0.2, 0.3], &VectorSearchOptions::top(3)).await?;
/// println!("{:?}", found.into_vec().await?);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct PineconeStore {
    api: Arc<Api>,
}

impl PineconeStore {
    /// Creates a store with these settings, without connecting.
    ///
    /// # Errors
    /// Returns [`InvalidOptions`](crate::ErrorKind::InvalidOptions), which names the setting and
    /// its allowed values, if a setting is invalid.
    pub fn new(config: PineconeConfig) -> Result<Self> {
        Ok(Self { api: Arc::new(Api::new(config)?) })
    }

    /// Replaces the HTTP client. The client's own settings apply instead of the configured ones.
    #[must_use]
    pub fn with_http_client(self, client: HttpClient) -> Self {
        Self { api: Arc::new(self.api.with_client(client)) }
    }
}

#[async_trait]
impl VectorStore for PineconeStore {
    fn name(&self) -> &str {
        CONNECTOR
    }

    async fn collection_names(&self) -> Result<Vec<String>> {
        index::names(&self.api).await
    }

    fn stored_collection(
        &self,
        name: &str,
        definition: RecordDefinition,
    ) -> Result<Arc<dyn VectorCollection>> {
        definition::check(name, &definition, self.api.config.hybrid_search)?;
        Ok(Arc::new(Handle::new(Arc::clone(&self.api), name, definition)))
    }
}
