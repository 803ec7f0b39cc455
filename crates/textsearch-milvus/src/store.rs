//! The store.

use std::{fmt, sync::Arc};

use textsearch_core::{
    Result, async_trait,
    vector::{RecordDefinition, VectorCollection, VectorStore},
};

use crate::{
    CONNECTOR, MilvusConfig, catalog, client::Client, collection::MilvusCollection, config::shown,
    definition, handle::Handle,
};

/// A store of collections in [Milvus](https://milvus.io), over gRPC.
///
/// Clones share their connection. The first request opens it; `new` doesn't connect.
///
/// ```no_run
/// use textsearch_milvus::{
///     MilvusConfig, MilvusStore,
///     vector::{DataField, RecordDefinition, VectorField, VectorSearchOptions, VectorStoreExt},
/// };
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_milvus::Result<()> {
/// let store = MilvusStore::new(MilvusConfig::new("http://localhost:19530"))?;
/// let definition = RecordDefinition::new("id")
///     .with_data(DataField::string("text").full_text_in("en"))
///     .with_vector(VectorField::new("embedding", 384));
/// let notes = store.dynamic_collection("notes", definition)?;
/// notes.ensure_exists().await?;
/// let found = notes.full_text_search("waiting readers", &VectorSearchOptions::top(3)).await?;
/// println!("{:?}", found.into_vec().await?);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct MilvusStore {
    client: Arc<Client>,
}

impl MilvusStore {
    /// Creates a store with these settings, without connecting. Call it within a `tokio` runtime.
    ///
    /// # Errors
    /// Returns [`InvalidOptions`](crate::ErrorKind::InvalidOptions), which names the setting and
    /// its allowed values, if a setting is invalid.
    pub fn new(config: MilvusConfig) -> Result<Self> {
        Ok(Self { client: Arc::new(Client::new(config)?) })
    }
}

#[async_trait]
impl VectorStore for MilvusStore {
    fn name(&self) -> &str {
        CONNECTOR
    }

    async fn collection_names(&self) -> Result<Vec<String>> {
        catalog::names(&self.client).await
    }

    fn stored_collection(
        &self,
        name: &str,
        definition: RecordDefinition,
    ) -> Result<Arc<dyn VectorCollection>> {
        definition::check(name, &definition)?;
        let handle = Handle::new(Arc::clone(&self.client), name, definition);
        Ok(Arc::new(MilvusCollection::new(handle)))
    }
}

impl fmt::Debug for MilvusStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let config = self.client.config();
        formatter
            .debug_struct("MilvusStore")
            .field("url", &shown(&config.url))
            .field("database", &config.database)
            .finish()
    }
}
