//! A collection.

use std::sync::Arc;

use textsearch_core::{
    Filter, Result, SearchResults, async_trait,
    vector::{
        GetOptions, RecordDefinition, RecordKey, ScanOptions, Scored, SearchInput, StoredRecord,
        VectorCollection, VectorSearchOptions,
    },
};

use crate::{CONNECTOR, catalog, error::refused, handle::Handle, search::Search};

#[derive(Debug)]
pub(crate) struct ChromaCollection {
    handle: Handle,
}

impl ChromaCollection {
    pub(crate) fn new(handle: Handle) -> Self {
        Self { handle }
    }
}

#[async_trait]
impl VectorCollection for ChromaCollection {
    fn name(&self) -> &str {
        &self.handle.name
    }

    fn store_name(&self) -> &str {
        CONNECTOR
    }

    fn definition(&self) -> &Arc<RecordDefinition> {
        &self.handle.definition
    }

    async fn exists(&self) -> Result<bool> {
        catalog::exists(&self.handle).await
    }

    async fn ensure_exists(&self) -> Result<()> {
        catalog::ensure(&self.handle).await
    }

    async fn delete_collection(&self) -> Result<()> {
        catalog::delete(&self.handle).await
    }

    async fn upsert(&self, records: Vec<StoredRecord>) -> Result<()> {
        self.handle.upsert(records).await
    }

    async fn get(&self, keys: &[RecordKey], options: &GetOptions) -> Result<Vec<StoredRecord>> {
        self.handle.get(keys, options).await
    }

    async fn delete(&self, keys: &[RecordKey]) -> Result<()> {
        self.handle.delete_keys(keys).await
    }

    async fn delete_matching(&self, filter: &Filter) -> Result<()> {
        self.handle.delete_matching(filter).await
    }

    async fn scan(&self, options: &ScanOptions) -> Result<SearchResults<StoredRecord>> {
        self.handle.scan(options).await
    }

    async fn search(
        &self,
        input: &SearchInput,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        Search::new(&self.handle, input, options)?.run().await
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
