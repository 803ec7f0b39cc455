//! The store.

use std::sync::Arc;

use textsearch_core::{
    Result, async_trait,
    http::HttpClient,
    vector::{RecordDefinition, VectorCollection, VectorStore},
};

use crate::{AzureSearchConfig, CONNECTOR, catalog, client::Service, definition, handle::Index};

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
/// let results = notes.search(vec![0.1, 0.2, 0.3], &VectorSearchOptions::top(3)).await?;
/// println!("{:?}", results.into_vec().await?);
/// # Ok(())
/// # }
/// ```
///
/// # Reading and writing
///
/// - **Filters**: the client checks `<` and `starts_with` on texts, parts of texts, nested fields and
///   whole lists. The service [checks](https://learn.microsoft.com/azure/search/search-query-odata-filter)
///   the rest. With a filter that the client checks, a vector or full-text search reads its ranking
///   until enough records match, at most 10,000 by vector. Hybrid and semantic searches reject such
///   filters.
/// - **Queries** have at most 3,000 terms, divided by the number of fields. Longer texts are
///   truncated there, within a word if necessary. Each letter beyond ASCII counts as a term.
/// - **Full-text scores** use the actual mean length. A definition that sets a mean length is
///   rejected, unless you
///   [ignore](AzureSearchConfig::with_ignored_mean_lengths) it. Azerbaijani is rejected: the service
///   has no analyzer for it.
/// - **Total counts** of searches are estimates unless the whole ranking was read.
/// - **Equal scores** in a hybrid search are ordered by the service.
/// - **Scans** read all matching records, and sort them in memory, because the service doesn't sort keys
///   by code point.
///
/// # Indexes
///
/// With `IndexKind::hnsw()`, the service chooses the parameters. It accepts 4 to 10 connections.
/// `ef_search` is fixed when the index is created. Searches reject any other, and any at all if the
/// service chose it.
///
/// # How records are stored
///
/// - **Documents** hold their record twice: as JSON, and in indexed fields.
/// - **Keys** of letters, digits, `_`, `-` and `=` are stored unchanged. Other keys are stored as
///   `b64-` and URL-safe Base64, or, beyond 1,024 characters, as `sha256-` and a digest. The record
///   contains the whole key.
/// - **Names** of indexes and of indexed fields follow the service's
///   [rules](https://learn.microsoft.com/rest/api/searchservice/naming-rules); others are rejected.
///   Fields that are only stored may have any name.
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
        catalog::names(&self.service).await
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
        let name = Arc::from(name);
        let definition = Arc::new(definition);
        Ok(Arc::new(Index { service: self.service.clone(), name, definition }))
    }
}
