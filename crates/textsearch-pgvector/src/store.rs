//! The store.

use std::{collections::BTreeMap, sync::Arc};

use textsearch_core::{
    Result, async_trait,
    vector::{RecordDefinition, VectorCollection, VectorStore},
};

use crate::{
    CONNECTOR, FullTextRanking, PgVectorConfig, PgVectorTable, catalog, client::Database,
    collection::PgVectorCollection, definition, existing, table::Table, vectors,
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
/// let results = notes.search(vec![0.1, 0.2, 0.3], &VectorSearchOptions::top(3)).await?;
/// println!("{:?}", results.into_vec().await?);
/// # Ok(())
/// # }
/// ```
///
/// For a definition with the key `id`, the filterable integer `year` and the vector `embedding`,
/// `ensure_exists` creates this table:
///
/// ```sql
/// CREATE TABLE "public"."notes" (
///     "id" text COLLATE "C" PRIMARY KEY,
///     "textsearch_data" json NOT NULL, -- the record without its vectors, character by character
///     "year" bigint,
///     "embedding" vector(3)
/// )
/// ```
#[derive(Debug, Clone)]
pub struct PgVectorStore {
    database: Database,
    ranking: FullTextRanking,
    tables: Arc<BTreeMap<String, PgVectorTable>>,
}

impl PgVectorStore {
    /// Connects to the database, and changes nothing in it. The `ensure_exists` that creates a
    /// collection installs the extension `vector` if it is missing.
    ///
    /// # Errors
    /// - [`InvalidOptions`](crate::ErrorKind::InvalidOptions), which names the setting, if one is
    ///   invalid.
    /// - [`Authentication`](crate::ErrorKind::Authentication) if the server rejects the credentials.
    /// - [`Unavailable`](crate::ErrorKind::Unavailable) if it can't be reached.
    pub async fn connect(config: PgVectorConfig) -> Result<Self> {
        let database = Database::connect(&config).await?;
        let ranking = config.full_text_ranking;
        let tables = Arc::new(config.tables);
        Ok(Self { database, ranking, tables })
    }

    /// Returns a store that opens the collection `name` as it was created: with its types of vectors,
    /// its IVFFlat indexes and its full-text ranking, which a definition can't express. Settings in
    /// [`PgVectorConfig::with_table`] take precedence over all of them.
    ///
    /// A filterable field that the collection was created without has no column: the client checks
    /// filters on it. `ensure_exists` rejects such a field, unless the table was deleted: then it
    /// creates the column.
    ///
    /// ```no_run
    /// use textsearch_pgvector::{PgVectorConfig, PgVectorStore, vector::VectorStore};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> textsearch_pgvector::Result<()> {
    /// let store = PgVectorStore::connect(PgVectorConfig::from_env()?).await?;
    /// let store = store.with_settings_of("notes").await?;
    /// let definition = store.existing_definition("notes").await?;
    /// let notes = store.stored_collection("notes", definition)?;
    /// # let _ = notes;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The same as of [`existing_definition`](Self::existing_definition).
    pub async fn with_settings_of(&self, name: &str) -> Result<Self> {
        if self.tables.contains_key(name) {
            return Ok(self.clone());
        }
        let (ranking, table) = catalog::settings(&self.database, name).await?;
        let mut tables = BTreeMap::clone(&self.tables);
        tables.insert(name.to_owned(), table);
        Ok(Self { database: self.database.clone(), ranking, tables: Arc::new(tables) })
    }

    /// Returns the definition of the collection `name`; [`with_settings_of`](Self::with_settings_of)
    /// returns the store to open it with. For an [existing
    /// table](PgVectorTable::from_existing), it lists the columns: the key is the primary key, and each
    /// vector's index sets its distance. It omits columns of unsupported types, and vectors without a
    /// fixed length.
    ///
    /// # Errors
    /// - [`CollectionNotFound`](crate::ErrorKind::CollectionNotFound) if there is no such table.
    /// - [`InvalidOptions`](crate::ErrorKind::InvalidOptions) if another program created it and the
    ///   settings don't say so, or if it has no primary key of one text, integer or UUID column.
    pub async fn existing_definition(&self, name: &str) -> Result<RecordDefinition> {
        match self.tables.get(name).and_then(|settings| settings.existing.as_ref()) {
            Some(table) => existing::definition(&self.database, name, table).await,
            None => catalog::definition(&self.database, name).await,
        }
    }
}

#[async_trait]
impl VectorStore for PgVectorStore {
    fn name(&self) -> &str {
        CONNECTOR
    }

    async fn collection_names(&self) -> Result<Vec<String>> {
        let mut names = catalog::names(&self.database).await?;
        for (name, settings) in self.tables.iter() {
            if let Some(table) = &settings.existing
                && existing::has_table(&self.database, table).await?
            {
                names.push(name.clone());
            }
        }
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    fn stored_collection(
        &self,
        name: &str,
        definition: RecordDefinition,
    ) -> Result<Arc<dyn VectorCollection>> {
        let settings = self.tables.get(name).cloned().unwrap_or_default();
        if let Some(existing) = settings.existing.clone() {
            definition::check_existing(&definition, self.ranking, &existing)?;
            let database = self.database.clone();
            let definition = Arc::new(definition);
            let collection =
                PgVectorCollection::existing(database, name, definition, settings, existing);
            return Ok(Arc::new(collection));
        }
        definition::check(name, &definition, self.ranking)?;
        vectors::check(&definition, &settings, self.database.version())?;
        let table = |definition: RecordDefinition| {
            let schema = self.database.schema();
            let definition = Arc::new(definition);
            Table::new(schema, name, definition, self.ranking, &settings)
        };
        let narrow = settings.without_missing_columns(&definition).map(table);
        Ok(Arc::new(PgVectorCollection::new(self.database.clone(), table(definition), narrow)))
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
