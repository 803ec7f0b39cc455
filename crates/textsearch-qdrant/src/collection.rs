//! Implements the core's collection trait.

use std::sync::Arc;

use qdrant_client::qdrant::{PointId, PointsIdsList, points_selector::PointsSelectorOneOf};
use textsearch_core::{
    Filter, Result, SearchResults, async_trait,
    vector::{
        GetOptions, RecordDefinition, RecordKey, ScanOptions, Scored, SearchInput, StoredRecord,
        VectorCollection, VectorSearchOptions,
    },
};

use crate::{
    CONNECTOR,
    handle::{PAGE, QdrantCollection},
    id, scan,
    search::Search,
    status,
};

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
        let asked = self.request(|client| {
            let name = self.name.clone();
            async move { client.collection_exists(name).await }
        });
        let exists = asked.await?;
        if !exists {
            self.forget();
        }
        Ok(exists)
    }

    async fn ensure_exists(&self) -> Result<()> {
        if !self.exists().await? {
            self.create().await?;
        }
        self.complete().await
    }

    async fn delete_collection(&self) -> Result<()> {
        let deleted = self.request(|client| {
            let name = self.name.clone();
            async move { client.delete_collection(name).await }
        });
        let deleted = deleted.await;
        self.forget();
        match deleted {
            Err(error) if status::is_collection_not_found(&error) => Ok(()),
            deleted => deleted.map(drop),
        }
    }

    async fn upsert(&self, records: Vec<StoredRecord>) -> Result<()> {
        self.write(records).await
    }

    async fn get(&self, keys: &[RecordKey], options: &GetOptions) -> Result<Vec<StoredRecord>> {
        let field = &self.definition.key;
        let points = keys.iter().map(|key| (field.canonical(key), id::point_of(field, key)));
        let points: Vec<_> = points.filter_map(|(key, id)| Some((key, id?))).collect();
        if points.is_empty() {
            self.check_exists().await?;
        }
        let mut records = Vec::with_capacity(points.len());
        for page in points.chunks(PAGE) {
            let ids = page.iter().map(|(_, id)| id.clone()).collect();
            let found = self.records(ids, options.include_vectors).await?;
            records.extend(page.iter().filter_map(|(key, _)| found.get(key.as_ref()).cloned()));
        }
        Ok(records)
    }

    async fn delete(&self, keys: &[RecordKey]) -> Result<()> {
        let field = &self.definition.key;
        let ids: Vec<PointId> = keys.iter().filter_map(|key| id::point_of(field, key)).collect();
        if ids.is_empty() {
            return self.check_exists().await;
        }
        for page in ids.chunks(PAGE) {
            let ids = PointsIdsList { ids: page.to_vec() };
            self.delete_points(PointsSelectorOneOf::Points(ids)).await?;
        }
        Ok(())
    }

    async fn delete_matching(&self, filter: &Filter) -> Result<()> {
        let filter = self.conditions(Some(filter)).await?.unwrap_or_default();
        self.delete_points(PointsSelectorOneOf::Filter(filter)).await
    }

    async fn scan(&self, options: &ScanOptions) -> Result<SearchResults<StoredRecord>> {
        scan::scan(self, options).await
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
