//! The store.

use std::sync::Arc;

use textsearch_core::{
    Result, async_trait,
    http::HttpClient,
    vector::{RecordDefinition, VectorCollection, VectorStore},
};

use crate::{CONNECTOR, ChromaConfig, catalog, client::Api, definition, handle::Handle};

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
/// let results = notes.search(vec![0.1, 0.2, 0.3], &VectorSearchOptions::top(3)).await?;
/// println!("{:?}", results.into_vec().await?);
/// # Ok(())
/// # }
/// ```
///
/// # Filters
///
/// - Chroma fully checks `=`, `!=` and `in` with strings, booleans and numbers below 2⁵³. It
///   preselects numbers and dates by range, and lists by `contains`. For any other filter, the client
///   reads and checks all candidates. There are fewer if you add a filter that Chroma checks.
/// - `contains` and `starts_with` on texts are sent as
///   [`where_document`](https://docs.trychroma.com/docs/querying-collections/full-text-search), so
///   the client reads only records whose JSON contains the text. It reads all candidates for a
///   `contains` of fewer than three characters, below a `not`, for more than eight texts, and for an
///   `or` with another kind of condition. Chroma searches every document of the collection for the
///   text.
/// - The client checks filterable fields whose names begin with `#`, `$`, `chroma:` or
///   `textsearch_`.
/// - The client requests more until enough records match. If Chroma's index reaches fewer records
///   than exist, as it does with many equal vectors, the client compares the vectors itself.
///
/// # How records are stored
///
/// A record becomes an id (its key), a document (the whole record as JSON) and metadata (the key and
/// the filterable fields). Other programs can read and filter them. Don't let them write documents:
/// filters rely on how this crate writes JSON.
///
/// Upserts need the key, vector, index and filterable fields that the collection was created with;
/// others are rejected. Reads and deletions with other filterable fields work, but then the client
/// checks each filter on all records.
///
/// Chroma updates a record's document and its index separately: while a record is replaced, a search
/// may rank it by its old vector. If two writes change a record and change it back while a read
/// runs, the read may return the vector of the first write.
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
        Ok(Arc::new(Handle::new(&self.api, name, definition)))
    }
}
