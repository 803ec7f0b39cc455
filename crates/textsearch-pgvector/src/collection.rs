//! A collection.

use std::sync::{Arc, PoisonError, RwLock};

use textsearch_core::{
    Filter, Result, SearchResults, async_trait,
    vector::{
        DistinctValue, GetOptions, RecordDefinition, RecordKey, ScanOptions, Scored, SearchInput,
        StoredRecord, VectorCollection, VectorSearchOptions,
    },
};

use crate::{
    CONNECTOR, ExistingTable, PgVectorTable, catalog,
    client::Database,
    error::refused,
    existing, opening,
    table::{Part, Table},
};

#[derive(Debug)]
pub(crate) struct PgVectorCollection {
    database: Database,
    name: String,
    definition: Arc<RecordDefinition>,
    source: Source,
}

#[derive(Debug)]
enum Source {
    Own {
        table: Arc<Table>,
        /// Instead of `table`, until `ensure_exists` succeeds: without the columns that the stored
        /// table lacked when the store read its settings.
        narrow: RwLock<Option<Arc<Table>>>,
    },
    /// A table of another program. The first call and each `ensure_exists` read its columns.
    Existing {
        settings: Box<PgVectorTable>,
        existing: ExistingTable,
        table: RwLock<Option<Arc<Table>>>,
    },
}

impl PgVectorCollection {
    pub(crate) fn new(database: Database, table: Table, narrow: Option<Table>) -> Self {
        let name = table.name.clone();
        let definition = Arc::clone(&table.definition);
        let source =
            Source::Own { table: Arc::new(table), narrow: RwLock::new(narrow.map(Arc::new)) };
        Self { database, name, definition, source }
    }

    pub(crate) fn existing(
        database: Database,
        name: &str,
        definition: Arc<RecordDefinition>,
        settings: PgVectorTable,
        existing: ExistingTable,
    ) -> Self {
        let source =
            Source::Existing { settings: Box::new(settings), existing, table: RwLock::default() };
        Self { database, name: name.to_owned(), definition, source }
    }

    async fn table(&self) -> Result<Arc<Table>> {
        match &self.source {
            Source::Own { table, narrow } => {
                let narrow = narrow.read().unwrap_or_else(PoisonError::into_inner).clone();
                Ok(narrow.unwrap_or_else(|| Arc::clone(table)))
            }
            Source::Existing { settings, existing, table } => {
                let known = table.read().unwrap_or_else(PoisonError::into_inner).clone();
                match known {
                    Some(table) => Ok(table),
                    None => self.open(settings, existing, table).await,
                }
            }
        }
    }

    /// Reads the columns as they are now, for this call and later ones.
    async fn open(
        &self,
        settings: &PgVectorTable,
        existing: &ExistingTable,
        known: &RwLock<Option<Arc<Table>>>,
    ) -> Result<Arc<Table>> {
        let database = &self.database;
        let definition = &self.definition;
        let table = opening::open(database, &self.name, definition, settings, existing).await?;
        let table = Arc::new(table);
        *known.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&table));
        Ok(table)
    }
}

#[async_trait]
impl VectorCollection for PgVectorCollection {
    fn name(&self) -> &str {
        &self.name
    }

    fn store_name(&self) -> &str {
        CONNECTOR
    }

    fn definition(&self) -> &Arc<RecordDefinition> {
        &self.definition
    }

    async fn exists(&self) -> Result<bool> {
        match &self.source {
            Source::Own { table, .. } => catalog::exists(&self.database, table).await,
            Source::Existing { existing, .. } => {
                existing::has_table(&self.database, existing).await
            }
        }
    }

    async fn ensure_exists(&self) -> Result<()> {
        match &self.source {
            Source::Own { table, narrow } => {
                catalog::ensure(&self.database, table).await?;
                *narrow.write().unwrap_or_else(PoisonError::into_inner) = None;
                Ok(())
            }
            Source::Existing { settings, existing, table } => {
                let table = self.open(settings, existing, table).await?;
                table.check_indexes(&self.database, existing).await
            }
        }
    }

    async fn delete_collection(&self) -> Result<()> {
        match &self.source {
            Source::Own { table, .. } => catalog::delete(&self.database, table).await,
            Source::Existing { existing, .. } => {
                let value = format!("`{}`, a table that the store didn't create", existing.name);
                Err(refused("name", value, "a collection that the store created; drop the table"))
            }
        }
    }

    async fn upsert(&self, records: Vec<StoredRecord>) -> Result<()> {
        let table = self.table().await?;
        table.check_records(&records)?;
        let mut client = self.database.client().await?;
        table.put(&mut client, records).await
    }

    async fn get(&self, keys: &[RecordKey], options: &GetOptions) -> Result<Vec<StoredRecord>> {
        let table = self.table().await?;
        let client = self.database.client().await?;
        table.get(&**client, keys, Part::new(options.include_vectors)).await
    }

    async fn delete(&self, keys: &[RecordKey]) -> Result<()> {
        let table = self.table().await?;
        let client = self.database.client().await?;
        table.delete_keys(&**client, keys).await
    }

    async fn delete_matching(&self, filter: &Filter) -> Result<()> {
        self.definition.check_filter(Some(filter), CONNECTOR)?;
        let table = self.table().await?;
        let mut client = self.database.client().await?;
        table.delete_matching(&mut client, filter).await
    }

    async fn scan(&self, options: &ScanOptions) -> Result<SearchResults<StoredRecord>> {
        let table = self.table().await?;
        table.check_scan(options)?;
        let mut client = self.database.client().await?;
        table.scan(&mut client, options).await
    }

    async fn distinct_values(
        &self,
        field: &str,
        filter: Option<&Filter>,
        limit: usize,
    ) -> Result<Vec<DistinctValue>> {
        let field = self.definition.check_distinct_values(field, filter, CONNECTOR)?;
        let table = self.table().await?;
        let mut client = self.database.client().await?;
        table.distinct_values(&mut client, field, filter, limit).await
    }

    async fn search(
        &self,
        input: &SearchInput,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        let vector = match input {
            SearchInput::Vector(vector) => vector,
            SearchInput::Text(text) => {
                self.definition.check_text_input(CONNECTOR)?;
                return self.full_text_search(text, options).await;
            }
        };
        let table = self.table().await?;
        let search = table.search(vector, options)?;
        let mut client = self.database.client().await?;
        search.run(&mut client).await
    }

    async fn full_text_search(
        &self,
        text: &str,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        let table = self.table().await?;
        let search = table.search_words(text, options)?;
        let mut client = self.database.client().await?;
        search.run(&mut client).await
    }

    async fn hybrid_search(
        &self,
        text: &str,
        vector: Option<Arc<[f32]>>,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        let table = self.table().await?;
        let search = table.search_both(text, vector, options)?;
        let mut client = self.database.client().await?;
        search.run(&mut client).await
    }
}
