//! A collection.

use std::sync::Arc;

use textsearch_core::{
    Filter, Result, SearchResults, async_trait,
    vector::{
        GetOptions, RecordDefinition, RecordKey, ScanOptions, Scored, SearchInput, StoredRecord,
        VectorCollection, VectorSearchOptions,
    },
};

use crate::{
    CONNECTOR, catalog,
    database::Database,
    table::{Part, Table},
};

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
        self.table.get(&**client, keys, Part::of(options.include_vectors)).await
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
        if let SearchInput::Text(text) = input {
            self.table.definition.check_text_input(CONNECTOR)?;
            return self.full_text_search(text, options).await;
        }
        let search = self.table.search(input, options)?;
        let mut client = self.database.client().await?;
        search.run(&mut client).await
    }

    async fn full_text_search(
        &self,
        text: &str,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        let search = self.table.search_words(text, options)?;
        let mut client = self.database.client().await?;
        search.run(&mut client).await
    }

    async fn hybrid_search(
        &self,
        text: &str,
        vector: Option<Arc<[f32]>>,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        let search = self.table.search_both(text, vector, options)?;
        let mut client = self.database.client().await?;
        search.run(&mut client).await
    }
}
