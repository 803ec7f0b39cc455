//! A collection.

use std::{fmt, sync::Arc};

use textsearch_core::{
    Filter, Result, SearchResults, async_trait,
    vector::{
        GetOptions, RecordDefinition, RecordKey, ScanOptions, Scored, SearchInput, StoredRecord,
        VectorCollection, VectorSearchOptions,
    },
};

use crate::{CONNECTOR, catalog, handle::Handle};

pub(crate) struct MilvusCollection(Handle);

impl MilvusCollection {
    pub(crate) fn new(handle: Handle) -> Self {
        Self(handle)
    }
}

impl fmt::Debug for MilvusCollection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("MilvusCollection")
            .field("name", &self.0.name)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl VectorCollection for MilvusCollection {
    fn name(&self) -> &str {
        &self.0.name
    }

    fn store_name(&self) -> &str {
        CONNECTOR
    }

    fn definition(&self) -> &Arc<RecordDefinition> {
        &self.0.definition
    }

    async fn exists(&self) -> Result<bool> {
        self.0.exists().await
    }

    async fn ensure_exists(&self) -> Result<()> {
        catalog::ensure(&self.0).await
    }

    async fn delete_collection(&self) -> Result<()> {
        catalog::delete(&self.0).await
    }

    async fn upsert(&self, records: Vec<StoredRecord>) -> Result<()> {
        self.0.upsert(records).await
    }

    async fn get(&self, keys: &[RecordKey], options: &GetOptions) -> Result<Vec<StoredRecord>> {
        self.0.get(keys, options.include_vectors).await
    }

    async fn delete(&self, keys: &[RecordKey]) -> Result<()> {
        self.0.delete_keys(keys).await
    }

    async fn delete_matching(&self, filter: &Filter) -> Result<()> {
        self.0.definition.check_filter(Some(filter), CONNECTOR)?;
        self.0.delete_matching(filter).await
    }

    async fn scan(&self, options: &ScanOptions) -> Result<SearchResults<StoredRecord>> {
        self.0.scan(options).await
    }

    async fn search(
        &self,
        input: &SearchInput,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        self.0.search(input, options).await
    }

    async fn full_text_search(
        &self,
        text: &str,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        self.0.search_words(text, options).await
    }

    async fn hybrid_search(
        &self,
        text: &str,
        vector: Option<Arc<[f32]>>,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        self.0.hybrid(text, vector, options).await
    }
}
