//! A collection.

use std::sync::Arc;

use textsearch_core::{
    Filter, Result, SearchResults, async_trait,
    vector::{
        GetOptions, RecordDefinition, RecordKey, ScanOptions, Scored, SearchInput, StoredRecord,
        VectorCollection, VectorSearchOptions,
    },
};

use crate::{CONNECTOR, catalog, database::Database, error::refused, table::Table};

#[derive(Debug)]
pub(crate) struct PgVectorCollection {
    database: Database,
    table: Table,
}

impl PgVectorCollection {
    pub(crate) fn new(database: Database, table: Table) -> Self {
        Self { database, table }
    }
}

#[async_trait]
impl VectorCollection for PgVectorCollection {
    fn name(&self) -> &str {
        &self.table.name
    }

    fn store_name(&self) -> &str {
        CONNECTOR
    }

    fn definition(&self) -> &Arc<RecordDefinition> {
        &self.table.definition
    }

    async fn exists(&self) -> Result<bool> {
        catalog::exists(&self.database, &self.table).await
    }

    async fn ensure_exists(&self) -> Result<()> {
        catalog::ensure(&self.database, &self.table).await
    }

    async fn delete_collection(&self) -> Result<()> {
        catalog::delete(&self.database, &self.table).await
    }

    async fn upsert(&self, records: Vec<StoredRecord>) -> Result<()> {
        self.table.check_records(&records)?;
        let mut client = self.database.client().await?;
        self.table.put(&mut client, records).await
    }

    async fn get(&self, keys: &[RecordKey], options: &GetOptions) -> Result<Vec<StoredRecord>> {
        let client = self.database.client().await?;
        self.table.get(&**client, keys, options.include_vectors).await
    }

    async fn delete(&self, keys: &[RecordKey]) -> Result<()> {
        let client = self.database.client().await?;
        self.table.delete_keys(&**client, keys).await
    }

    async fn delete_matching(&self, filter: &Filter) -> Result<()> {
        self.table.definition.check_filter(filter, CONNECTOR)?;
        let mut client = self.database.client().await?;
        self.table.delete_matching(&mut client, filter).await
    }

    async fn scan(&self, options: &ScanOptions) -> Result<SearchResults<StoredRecord>> {
        self.table.check_scan(options)?;
        let mut client = self.database.client().await?;
        self.table.scan(&mut client, options).await
    }

    async fn search(
        &self,
        input: &SearchInput,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        let search = self.table.search(input, options)?;
        let mut client = self.database.client().await?;
        search.run(&mut client).await
    }

    async fn full_text_search(
        &self,
        _: &str,
        _: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        Err(refused("full_text", "a text", "a vector: the store has no full text"))
    }

    async fn hybrid_search(
        &self,
        _: &str,
        _: Option<Arc<[f32]>>,
        _: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        Err(refused("hybrid", "a text", "a vector: the store has no full text"))
    }
}
