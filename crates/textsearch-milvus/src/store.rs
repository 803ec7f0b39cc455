//! The store.

use std::{fmt, sync::Arc};

use textsearch_core::{
    Result, async_trait,
    vector::{RecordDefinition, VectorCollection, VectorStore},
};

use crate::{
    CONNECTOR, MilvusConfig, catalog, client::Client, config::shown, definition, handle::Handle,
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
/// let results = notes.full_text_search("waiting readers", &VectorSearchOptions::top(3)).await?;
/// println!("{:?}", results.into_vec().await?);
/// # Ok(())
/// # }
/// ```
///
/// # Searches
///
/// - **Full text** first counts the records that contain each word: one more request for every 15
///   words. If there are more results than requested, a total count takes two more. At most 4,096
///   distinct words of a record count towards the rarity of a word that more than 16,384 records
///   have.
/// - **Hybrid searches** send one request for each ranking. A record that is written between the two
///   may be in one ranking only. Milvus's [`HybridSearch`](https://milvus.io/docs/reranking.md)
///   would give other results than other stores: its weighted ranker scales scores by an arctangent
///   instead of from worst to best, and it orders equal scores arbitrarily.
/// - **Exact searches** of a vector with an HNSW index read the vectors of all matching records, and
///   the client compares them. Searches beyond 16,384 ranked records do the same, because Milvus
///   returns no more. For filters that the client checks, the limit is 1,024.
/// - **Filters**: the client checks dates, JSON fields and names with a dot, and filters of more than
///   1 MiB, 256 conditions or 10,000 values. Combine such a filter with one on a column.
/// - **Scores** have 32 bits.
/// - **Scans** in an order other than the key's read all matching records.
///
/// # How records are stored
///
/// `ensure_exists` creates a collection with these fields and their indexes, and loads it
/// ([why](https://github.com/textsearch-rs/textsearch/blob/main/docs/decisions/0029-milvus-keeps-records-in-one-json-field.md)):
///
/// | Field | Type | Contents |
/// |---|---|---|
/// | `id` | `VARCHAR`, or `INT64` for integer keys | the key |
/// | `textsearch_data` | `JSON` | the record without its vectors, with fields outside the definition |
/// | `textsearch_long` | `ARRAY` of `VARCHAR` | the record in pieces, if it has more than 65,536 bytes |
/// | `year` | `INT64`, nullable | a column for each filterable text, number, boolean and list of texts |
/// | `embedding` | `FLOAT_VECTOR` | a column for each vector; a placeholder in records that lack it |
/// | `textsearch_absent` | `ARRAY` of `VARCHAR` | the vectors that the record lacks |
/// | `textsearch_terms`, `textsearch_term_numbers` | `SPARSE_FLOAT_VECTOR`, `ARRAY` of `INT64` | the words of full-text fields |
///
/// Names that Milvus rejects are encoded: `my-notes` is `textsearch_my_2d_notes` on the server.
///
/// `ensure_exists` rejects a definition with other filterable fields, full-text fields, vectors or
/// HNSW parameters than the collection has, and words of another version of the text analysis.
///
/// # Other programs
///
/// Any Milvus client can read the collection and [filter](https://milvus.io/docs/boolean.md) on
/// every field of a record, by its path in the [JSON
/// field](https://milvus.io/docs/json-field-overview.md): `textsearch_data["extra"] > 1`,
/// `textsearch_data["author"]["name"] == "Ada"`, `json_contains(textsearch_data["tags"], "rust")`.
/// No dynamic field is needed. Records of more than 65,536 bytes are found only by filterable
/// fields, such as `year >= 2020`.
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
        Ok(Arc::new(Handle::new(Arc::clone(&self.client), name, definition)))
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
