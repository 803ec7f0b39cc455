//! A collection.

use std::sync::Arc;

use textsearch_core::{
    Filter, Result, SearchResults, async_trait,
    vector::{
        GetOptions, RecordDefinition, RecordKey, ScanOptions, Scored, SearchInput, StoredRecord,
        VectorCollection, VectorSearchOptions,
    },
};

use crate::{CONNECTOR, index::Index, service::Service};

#[derive(Debug)]
pub(crate) struct AzureCollection {
    index: Index,
}

impl AzureCollection {
    pub(crate) fn new(service: Service, name: &str, definition: RecordDefinition) -> Self {
        let (name, definition) = (Arc::from(name), Arc::new(definition));
        Self { index: Index { service, name, definition } }
    }
}

#[async_trait]
impl VectorCollection for AzureCollection {
    fn name(&self) -> &str {
        &self.index.name
    }

    fn store_name(&self) -> &str {
        CONNECTOR
    }

    fn definition(&self) -> &Arc<RecordDefinition> {
        &self.index.definition
    }

    async fn exists(&self) -> Result<bool> {
        self.index.exists().await
    }

    async fn ensure_exists(&self) -> Result<()> {
        self.index.ensure_exists().await
    }

    async fn delete_collection(&self) -> Result<()> {
        self.index.delete().await
    }

    async fn upsert(&self, records: Vec<StoredRecord>) -> Result<()> {
        self.index.put(records).await
    }

    async fn get(&self, keys: &[RecordKey], options: &GetOptions) -> Result<Vec<StoredRecord>> {
        self.index.get(keys, options.include_vectors).await
    }

    async fn delete(&self, keys: &[RecordKey]) -> Result<()> {
        self.index.delete_keys(keys).await
    }

    async fn delete_matching(&self, filter: &Filter) -> Result<()> {
        self.index.delete_matching(filter).await
    }

    async fn scan(&self, options: &ScanOptions) -> Result<SearchResults<StoredRecord>> {
        self.index.scan(options).await
    }

    async fn search(
        &self,
        input: &SearchInput,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        self.index.search(input, options).await
    }

    async fn full_text_search(
        &self,
        text: &str,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        self.index.full_text_search(text, options).await
    }

    async fn hybrid_search(
        &self,
        text: &str,
        vector: Option<Arc<[f32]>>,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        self.index.hybrid_search(text, vector, options).await
    }
}
