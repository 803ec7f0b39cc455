//! Implements the core's collection trait.

use std::sync::Arc;

use textsearch_core::{
    Filter, Result, SearchResults, async_trait,
    vector::{
        GetOptions, RecordDefinition, RecordKey, ScanOptions, Scored, SearchInput, StoredRecord,
        VectorCollection, VectorSearchOptions,
    },
};

use crate::{CONNECTOR, handle::Index};

#[async_trait]
impl VectorCollection for Index {
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
        self.is_there().await
    }

    async fn ensure_exists(&self) -> Result<()> {
        self.ensure().await
    }

    async fn delete_collection(&self) -> Result<()> {
        self.delete_all().await
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
        self.search_by(input, options).await
    }

    async fn full_text_search(
        &self,
        text: &str,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        self.search_words(text, options).await
    }

    async fn hybrid_search(
        &self,
        text: &str,
        vector: Option<Arc<[f32]>>,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        self.search_both(text, vector, options).await
    }
}
