//! The store.

use std::sync::Arc;

use textsearch_core::{
    Result, async_trait,
    http::HttpClient,
    vector::{RecordDefinition, VectorCollection, VectorStore},
};

use crate::{
    CONNECTOR, ChromaConfig, api::Api, catalog, collection::ChromaCollection, definition,
    handle::Handle,
};

/// A store of collections in a [Chroma](https://docs.trychroma.com) database.
///
/// Clones share their connections.
///
/// ```no_run
/// use textsearch_chroma::{
///     ChromaConfig, ChromaStore, DEFAULT_URL,
///     vector::{DataField, IndexKind, RecordDefinition, VectorField, VectorSearchOptions, VectorStoreExt},
/// };
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_chroma::Result<()> {
/// let store = ChromaStore::new(ChromaConfig::new(DEFAULT_URL))?;
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
pub struct ChromaStore {
    api: Arc<Api>,
}

impl ChromaStore {
    /// Creates a store. It connects with the first call.
    ///
    /// # Errors
    /// Returns [`InvalidOptions`](crate::ErrorKind::InvalidOptions), which names the setting, if
    /// one is invalid.
    pub fn new(config: ChromaConfig) -> Result<Self> {
        Ok(Self { api: Arc::new(Api::new(config)?) })
    }

    /// Sends requests with `client`, whose settings replace [`ChromaConfig::http`].
    #[must_use]
    pub fn with_http_client(self, client: HttpClient) -> Self {
        Self { api: Arc::new(self.api.with_http_client(client)) }
    }
}

#[async_trait]
impl VectorStore for ChromaStore {
    fn name(&self) -> &str {
        CONNECTOR
    }

    async fn collection_names(&self) -> Result<Vec<String>> {
        catalog::names(&self.api).await
    }

    fn stored_collection(
        &self,
        name: &str,
        definition: RecordDefinition,
    ) -> Result<Arc<dyn VectorCollection>> {
        definition::check(name, &definition)?;
        Ok(Arc::new(ChromaCollection::new(Handle::new(&self.api, name, definition))))
    }
}
