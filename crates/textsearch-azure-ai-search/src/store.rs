//! The store.

use std::sync::Arc;

use textsearch_core::{
    Result, async_trait,
    http::HttpClient,
    vector::{RecordDefinition, VectorCollection, VectorStore},
};

use crate::{
    AzureSearchConfig, CONNECTOR, collection::AzureCollection, definition, index, service::Service,
};

/// A store of collections in a service of [Azure AI
/// Search](https://learn.microsoft.com/azure/search/). Each collection is an index of its name.
///
/// Clones share their connections.
///
/// ```no_run
/// use textsearch_azure_ai_search::{
///     AzureSearchConfig, AzureSearchStore,
///     vector::{DataField, RecordDefinition, VectorField, VectorSearchOptions, VectorStoreExt},
/// };
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_azure_ai_search::Result<()> {
/// let store = AzureSearchStore::new(AzureSearchConfig::from_env()?)?;
/// let definition = RecordDefinition::new("id")
///     .with_data(DataField::integer("year").filterable())
///     .with_vector(VectorField::new("embedding", 3));
/// let notes = store.dynamic_collection("notes", definition)?;
/// notes.ensure_exists().await?;
/// let found = notes.search(vec![0.1, 0.2, 0.3], &VectorSearchOptions::top(3)).await?;
/// println!("{:?}", found.into_vec().await?);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct AzureSearchStore {
    service: Service,
}

impl AzureSearchStore {
    /// Creates a store with these settings. Sends nothing yet.
    ///
    /// # Errors
    /// Returns [`InvalidOptions`](crate::ErrorKind::InvalidOptions), which names the setting, if one
    /// is invalid.
    pub fn new(config: AzureSearchConfig) -> Result<Self> {
        Ok(Self { service: Service::new(config)? })
    }

    /// Replaces the HTTP client. The client's own settings apply instead of the configured ones.
    #[must_use]
    pub fn with_http_client(mut self, client: HttpClient) -> Self {
        self.service = self.service.with_client(client);
        self
    }
}

#[async_trait]
impl VectorStore for AzureSearchStore {
    fn name(&self) -> &str {
        CONNECTOR
    }

    async fn collection_names(&self) -> Result<Vec<String>> {
        index::names(&self.service).await
    }

    fn stored_collection(
        &self,
        name: &str,
        definition: RecordDefinition,
    ) -> Result<Arc<dyn VectorCollection>> {
        definition::check(name, &definition)?;
        if !self.service.config().ignored_mean_lengths {
            definition::check_mean_lengths(&definition)?;
        }
        Ok(Arc::new(AzureCollection::new(self.service.clone(), name, definition)))
    }
}
