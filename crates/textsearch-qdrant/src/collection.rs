//! Implements the core's collection trait.

use std::sync::Arc;

use textsearch_core::{
    Filter, Result, SearchResults, async_trait,
    vector::{
        DistinctValue, GetOptions, RecordDefinition, RecordKey, ScanOptions, Scored, SearchInput,
        StoredRecord, VectorCollection, VectorSearchOptions,
    },
};

use crate::{CONNECTOR, distinct_values, handle::QdrantCollection, scan, search::Search};

#[async_trait]
impl VectorCollection for QdrantCollection {
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
        scan::scan(self, options).await
    }

    async fn distinct_values(
        &self,
        field: &str,
        filter: Option<&Filter>,
        limit: usize,
    ) -> Result<Vec<DistinctValue>> {
        distinct_values::distinct_values(self, field, filter, limit).await
    }

    async fn search(
        &self,
        input: &SearchInput,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        Search::new(self, input, options).await?.run().await
    }

    async fn search_batch(
        &self,
        inputs: &[SearchInput],
        options: &VectorSearchOptions,
    ) -> Result<Vec<SearchResults<Scored<StoredRecord>>>> {
        let mut searches = Vec::with_capacity(inputs.len());
        for input in inputs {
            searches.push(Search::new(self, input, options).await?);
        }
        Search::run_all(self, &searches).await
    }

    async fn full_text_search(
        &self,
        text: &str,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        Search::by_words(self, text, options).await?.run().await
    }

    async fn hybrid_search(
        &self,
        text: &str,
        vector: Option<Arc<[f32]>>,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        self.hybrid(text, vector, options).await
    }
}
