//! The store.

use std::sync::Arc;

use textsearch_core::{
    Result, async_trait,
    http::HttpClient,
    vector::{RecordDefinition, VectorCollection, VectorStore},
};

use crate::{CONNECTOR, PineconeConfig, catalog, client::Api, definition, handle::Handle};

/// A store of collections in [Pinecone](https://docs.pinecone.io). Each collection is a serverless
/// index of its name, or a namespace of that index.
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
/// let results = notes.search(vec![0.1, 0.2, 0.3], &VectorSearchOptions::top(3)).await?;
/// println!("{:?}", results.into_vec().await?);
/// # Ok(())
/// # }
/// ```
///
/// # Creating and deleting collections
///
/// `ensure_exists` creates an index, which takes Pinecone some seconds, and waits with growing
/// pauses. It logs its wait with `tracing` at level INFO, at first and every 10 seconds. It accepts
/// an index of another program if dimensions and metric fit and the index has no other records.
///
/// `delete_collection` never deletes records of other namespaces:
///
/// - [With a namespace](PineconeConfig::with_namespace), it deletes the namespace and keeps the
///   index.
/// - Without one, it deletes the index if the index has no other namespaces. Otherwise it empties
///   the default namespace, and the collection still exists. A namespace created at the same moment
///   may be lost with the index.
/// - It rejects an index that another program created (`InvalidOptions`) or that is still
///   initializing (`Unavailable`).
///
/// Without a namespace, an index that has only namespaced records is an existing, empty collection.
///
/// # Reading and writing
///
/// - **Upserts** check all records before they send the first.
/// - **Filters**: Pinecone [checks](https://docs.pinecone.io/guides/search/filter-by-metadata)
///   numbers and dates by value, strings and booleans by equality, and lists by `contains`. For any
///   other filter, such as `starts_with`, and for filters on JSON fields or on names that begin with
///   `$` or `_textsearch_`, the client reads and checks all candidates. There are fewer if you add a
///   filter that Pinecone checks.
/// - **Depth**: a search that needs more than the best 10,000 records is rejected, also if a filter
///   that the client checks leaves too few of them. Equal scores are sorted by key within the
///   best 10,000. A total count beyond 10,000 is an estimate.
/// - **Scans** list all identifiers, 100 per request, to count them. With an order or a filter, a
///   scan reads all candidates into memory.
///
/// # How records are stored
///
/// - The metadata holds the whole record as JSON (`_textsearch_data`) and each filterable value
///   under its field's name.
/// - Keys are the identifiers. Spaces, `!`, `~`, control and non-ASCII characters are escaped:
///   `café` is `caf~c3~a9`. A key longer than 512 such characters ends in a hash.
/// - Pinecone rejects all-zero vectors and records without a vector. A small placeholder (10⁻⁸ in
///   the first element) replaces both. Searches exclude records without a vector.
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
        catalog::names(&self.api).await
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
