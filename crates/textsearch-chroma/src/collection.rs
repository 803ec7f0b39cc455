//! Implements the core's collection trait.

use std::sync::Arc;

use textsearch_core::{
    Filter, Result, SearchResults, async_trait,
    vector::{
        GetOptions, RecordDefinition, RecordKey, ScanOptions, Scored, SearchInput, StoredRecord,
        VectorCollection, VectorSearchOptions,
    },
};

use crate::{CONNECTOR, catalog, error::refused, handle::Handle, search::Search};

#[async_trait]
impl VectorCollection for Handle {
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
        catalog::exists(self).await
    }

    async fn ensure_exists(&self) -> Result<()> {
        catalog::ensure(self).await
    }

    async fn delete_collection(&self) -> Result<()> {
        catalog::delete(self).await
    }

    async fn upsert(&self, records: Vec<StoredRecord>) -> Result<()> {
        self.write(records).await
    }

    async fn get(&self, keys: &[RecordKey], options: &GetOptions) -> Result<Vec<StoredRecord>> {
        self.read(keys, options.include_vectors).await
    }

    async fn delete(&self, keys: &[RecordKey]) -> Result<()> {
        self.delete_keys(keys).await
    }

    async fn delete_matching(&self, filter: &Filter) -> Result<()> {
        self.delete_matches(filter).await
    }

    async fn scan(&self, options: &ScanOptions) -> Result<SearchResults<StoredRecord>> {
        self.scanned(options).await
    }

    async fn search(
        &self,
        input: &SearchInput,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        Search::new(self, input, options)?.run().await
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
