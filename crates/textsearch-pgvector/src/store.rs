//! The store.

use std::{collections::BTreeMap, sync::Arc};

use textsearch_core::{
    Result, async_trait,
    vector::{RecordDefinition, VectorCollection, VectorStore},
};

use crate::{
    CONNECTOR, FullTextRanking, PgVectorConfig, PgVectorTable, catalog,
    collection::PgVectorCollection, database::Database, definition, table::Table, vectors,
};

/// A store of collections in Postgres with [pgvector](https://github.com/pgvector/pgvector). Each
/// collection is a table of its name.
///
/// Clones share their connections.
///
/// ```no_run
/// use textsearch_pgvector::{
///     PgVectorConfig, PgVectorStore,
///     vector::{DataField, RecordDefinition, VectorField, VectorSearchOptions, VectorStoreExt},
/// };
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_pgvector::Result<()> {
/// let store = PgVectorStore::connect(PgVectorConfig::new("postgres://localhost/app")).await?;
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
pub struct PgVectorStore {
    database: Database,
    ranking: FullTextRanking,
    tables: Arc<BTreeMap<String, PgVectorTable>>,
}

impl PgVectorStore {
    /// Connects to the database, and installs the extension `vector` if it is missing.
    ///
    /// # Errors
    /// - [`InvalidOptions`](crate::ErrorKind::InvalidOptions), which names the setting, if one is
    ///   invalid.
    /// - [`Authentication`](crate::ErrorKind::Authentication) if the server rejects the credentials.
    /// - [`Unavailable`](crate::ErrorKind::Unavailable) if it can't be reached.
    /// - [`Backend`](crate::ErrorKind::Backend) if the extension can't be installed.
    pub async fn connect(config: PgVectorConfig) -> Result<Self> {
        let database = Database::connect(&config).await?;
        let (ranking, tables) = (config.full_text_ranking, Arc::new(config.tables));
        Ok(Self { database, ranking, tables })
    }
}

#[async_trait]
impl VectorStore for PgVectorStore {
    fn name(&self) -> &str {
        CONNECTOR
    }

    async fn collection_names(&self) -> Result<Vec<String>> {
        catalog::names(&self.database).await
    }

    fn stored_collection(
        &self,
        name: &str,
        definition: RecordDefinition,
    ) -> Result<Arc<dyn VectorCollection>> {
        let settings = self.tables.get(name).cloned().unwrap_or_default();
        definition::check(name, &definition, self.ranking)?;
        vectors::check(&definition, &settings, self.database.version())?;
        let table = Table::new(self.database.schema(), name, definition, self.ranking, &settings);
        Ok(Arc::new(PgVectorCollection::new(self.database.clone(), table)))
    }
}

#[cfg(test)]
mod tests {
    use textsearch_core::ErrorKind;

    use super::*;

    #[tokio::test]
    async fn an_unreachable_server_is_unavailable() {
        let config = PgVectorConfig::new("postgres://me:sesame@127.0.0.1:1/app");
        let error = PgVectorStore::connect(config).await.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Unavailable);
        assert!(!format!("{error} {error:?}").contains("sesame"));
    }
}
