//! The store: collections of a server or a cluster.

use std::{fmt, sync::Arc};

use qdrant_client::Qdrant;
use textsearch_core::{
    Result, async_trait,
    vector::{RecordDefinition, VectorCollection, VectorStore},
};

use crate::{
    CONNECTOR, QdrantConfig, client::Nodes, config::shown, handle::QdrantCollection, schema,
};

/// A store of collections in [Qdrant](https://qdrant.tech), using its official gRPC client.
///
/// Clones share their connections. The first request opens them; `new` doesn't connect.
///
/// ```no_run
/// use textsearch_qdrant::{
///     QdrantConfig, QdrantStore,
///     vector::{DataField, RecordDefinition, VectorField, VectorSearchOptions, VectorStoreExt},
/// };
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_qdrant::Result<()> {
/// let store = QdrantStore::new(QdrantConfig::new("http://localhost:6334"))?;
/// let definition = RecordDefinition::new("id")
///     .with_data(DataField::string("text").full_text_in("en"))
///     .with_vector(VectorField::new("embedding", 384));
/// let notes = store.dynamic_collection("notes", definition)?;
/// notes.ensure_exists().await?;
/// let results = notes.full_text_search("waiting readers", &VectorSearchOptions::top(3)).await?;
/// println!("{:?}", results.into_vec().await?);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct QdrantStore {
    pub(crate) nodes: Arc<Nodes>,
}

impl QdrantStore {
    /// Creates a store with these settings, without connecting.
    ///
    /// # Errors
    /// Returns [`InvalidOptions`](crate::ErrorKind::InvalidOptions), which names the setting and
    /// its allowed values, if a setting is invalid.
    pub fn new(config: QdrantConfig) -> Result<Self> {
        config.check()?;
        Ok(Self { nodes: Arc::new(Nodes::new(config)?) })
    }

    /// Returns the definition of the existing collection `name`, to search it although another
    /// program created it: its keys, vectors, distances and graphs.
    ///
    /// The kind of the keys is that of any point. A vector without a name is called
    /// [`UNNAMED_VECTOR`](crate::UNNAMED_VECTOR). Vectors of several parts are left out. Of a
    /// collection that this crate created, the filterable and full-text fields are known, too. Add
    /// further data fields, and the fields of results, as they are in the payloads.
    ///
    /// ```no_run
    /// use textsearch_qdrant::{
    ///     QdrantConfig, QdrantStore,
    ///     vector::{DataField, VectorStoreExt},
    /// };
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> textsearch_qdrant::Result<()> {
    /// let store = QdrantStore::new(QdrantConfig::new("http://localhost:6334"))?;
    /// let definition = store.existing_definition("pages").await?;
    /// let definition = definition.with_data(DataField::string("body")).with_value_field("body");
    /// let pages = store.dynamic_collection("pages", definition)?;
    /// # let _ = pages;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`CollectionNotFound`](crate::ErrorKind::CollectionNotFound), or an error of the
    /// server.
    pub async fn existing_definition(&self, name: &str) -> Result<RecordDefinition> {
        // Nothing is known of the records yet.
        let unknown = RecordDefinition::new("id");
        schema::check_definition(name, &unknown)?;
        let collection = QdrantCollection::new(Arc::clone(&self.nodes), name, unknown);
        let info = collection.info().await?;
        Ok(schema::described(info, collection.any_id().await?))
    }

    /// Returns the official client of the node that responded last, for features beyond this crate.
    pub fn client(&self) -> Option<Arc<Qdrant>> {
        self.nodes.client().cloned()
    }
}

#[async_trait]
impl VectorStore for QdrantStore {
    fn name(&self) -> &str {
        CONNECTOR
    }

    async fn collection_names(&self) -> Result<Vec<String>> {
        let listed =
            self.nodes.request(None, |client| async move { client.list_collections().await });
        let collections = listed.await?.collections.into_iter();
        let mut names: Vec<String> = collections.map(|collection| collection.name).collect();
        names.sort_unstable();
        Ok(names)
    }

    fn stored_collection(
        &self,
        name: &str,
        definition: RecordDefinition,
    ) -> Result<Arc<dyn VectorCollection>> {
        schema::check_definition(name, &definition)?;
        Ok(Arc::new(QdrantCollection::new(Arc::clone(&self.nodes), name, definition)))
    }
}

impl fmt::Debug for QdrantStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("QdrantStore")
            .field("nodes", &shown(&self.nodes.config().nodes))
            .finish()
    }
}
