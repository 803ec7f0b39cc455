//! Embeddings of records and queries, over any store.

use std::{borrow::Cow, collections::BTreeSet, fmt, sync::Arc};

use async_trait::async_trait;
use serde_json::Value;

use super::{
    DistinctValue, EmbeddingGenerator, EmbeddingPurpose, EmbeddingSettings, GetOptions,
    RecordDefinition, RecordKey, ScanOptions, Scored, SearchInput, StoredRecord, VectorCollection,
    VectorField, VectorSearchOptions, VectorStore, scored::explained,
};
use crate::{
    Error, ErrorKind, Filter, Result, SearchResults,
    filter::lookup,
    results::{ExplanationStep, TotalCount},
    telemetry::operations,
};

/// A store whose collections embed records and queries that have no vector.
#[derive(Clone)]
pub struct EmbeddingStore<S> {
    store: S,
    generator: Arc<dyn EmbeddingGenerator>,
}

impl<S: VectorStore> EmbeddingStore<S> {
    /// Adds `generator` to `store`.
    pub fn new(store: S, generator: impl EmbeddingGenerator + 'static) -> Self {
        Self { store, generator: Arc::new(generator) }
    }
}

#[async_trait]
impl<S: VectorStore> VectorStore for EmbeddingStore<S> {
    fn name(&self) -> &str {
        self.store.name()
    }

    async fn collection_names(&self) -> Result<Vec<String>> {
        self.store.collection_names().await
    }

    fn stored_collection(
        &self,
        name: &str,
        definition: RecordDefinition,
    ) -> Result<Arc<dyn VectorCollection>> {
        let inner = self.store.stored_collection(name, definition)?;
        Ok(Arc::new(EmbeddingCollection::new(inner, Arc::clone(&self.generator))))
    }
}

/// A collection that embeds records and queries that have no vector.
///
/// A record gets the embedding of its [`embedded_from`](VectorField::embedded_from) fields, joined
/// by line breaks, without blank ones. If all are blank, it is stored without a vector. A blank
/// query finds nothing.
///
/// A batch that does not fit the definition is rejected before the generator is called.
#[derive(Clone)]
pub struct EmbeddingCollection {
    inner: Arc<dyn VectorCollection>,
    generator: Arc<dyn EmbeddingGenerator>,
}

impl EmbeddingCollection {
    /// Adds `generator` to the collection `inner`.
    pub fn new(
        inner: impl VectorCollection + 'static,
        generator: impl EmbeddingGenerator + 'static,
    ) -> Self {
        Self { inner: Arc::new(inner), generator: Arc::new(generator) }
    }

    async fn embed(
        &self,
        texts: &[String],
        purpose: EmbeddingPurpose,
        field: &VectorField,
    ) -> Result<Vec<Arc<[f32]>>> {
        let mut settings = EmbeddingSettings::new(purpose);
        // Many models have one fixed length, and many servers reject requests that set one.
        let default = self.generator.dimensions();
        settings.dimensions =
            default.map(|_| field.dimensions).filter(|&dimensions| default != Some(dimensions));
        let vectors = operations::embed(self.generator.as_ref(), texts, &settings).await?.vectors;
        self.check(&vectors, texts.len(), field)?;
        Ok(vectors)
    }

    fn check(&self, vectors: &[Arc<[f32]>], texts: usize, field: &VectorField) -> Result<()> {
        let model = self.generator.model_id();
        let wrong = vectors.iter().find(|vector| vector.len() != field.dimensions);
        let message = match wrong {
            _ if vectors.len() != texts => {
                format!("the model `{model}` returned {} vectors for {texts} texts", vectors.len())
            }
            Some(vector) => format!(
                "the model `{model}` makes vectors of {} elements, and the field `{}` has {}",
                vector.len(),
                field.name,
                field.dimensions,
            ),
            None => return Ok(()),
        };
        Err(Error::new(ErrorKind::Embedding, self.store_name(), message))
    }

    async fn embed_queries(
        &self,
        texts: &[String],
        options: &VectorSearchOptions,
    ) -> Result<Vec<Arc<[f32]>>> {
        let field =
            self.definition().vector_field(options.vector_field.as_deref(), self.store_name())?;
        self.embed(texts, EmbeddingPurpose::Query, field).await
    }

    /// Answers a blank query of an existing collection. Vector field, filter and threshold are checked
    /// against the definition; the store doesn't see the options.
    async fn nothing(
        &self,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        let store = self.store_name();
        let field = self.definition().vector_field(options.vector_field.as_deref(), store)?;
        self.definition().check_filter(options.filter.as_ref(), store)?;
        options.order(field.distance.is_higher_better(), store)?;
        if !self.inner.exists().await? {
            return Err(Error::collection_not_found(store, self.name()));
        }
        Ok(empty(options))
    }

    async fn embed_query(&self, text: &str, options: &VectorSearchOptions) -> Result<Arc<[f32]>> {
        let vectors = self.embed_queries(&[text.to_owned()], options).await?;
        vectors.into_iter().next().ok_or_else(|| {
            Error::new(ErrorKind::Embedding, self.store_name(), "the model returned no vector")
        })
    }

    async fn fill_in(&self, records: &mut [StoredRecord], field: &VectorField) -> Result<()> {
        if field.embedded_from.is_empty() {
            return Ok(());
        }
        let missing: Vec<&mut StoredRecord> = records
            .iter_mut()
            .filter(|record| !record.vectors.contains_key(&field.name))
            .filter(|record| !text_to_embed(record, field).is_empty())
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let texts: BTreeSet<String> =
            missing.iter().map(|record| text_to_embed(record, field)).collect();
        let texts: Vec<String> = texts.into_iter().collect();
        let vectors = self.embed(&texts, EmbeddingPurpose::Document, field).await?;
        for record in missing {
            let position = texts.binary_search(&text_to_embed(record, field)).ok();
            if let Some(vector) = position.and_then(|position| vectors.get(position)) {
                record.vectors.insert(field.name.clone(), Arc::clone(vector));
            }
        }
        Ok(())
    }
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

fn is_blank_text(input: &SearchInput) -> bool {
    matches!(input, SearchInput::Text(text) if is_blank(text))
}

fn empty(options: &VectorSearchOptions) -> SearchResults<Scored<StoredRecord>> {
    let none = SearchResults::from_vec(Vec::new());
    if options.include_total_count { none.with_total_count(TotalCount::Exact(0)) } else { none }
}

fn text_to_embed(record: &StoredRecord, field: &VectorField) -> String {
    let texts: Vec<Cow<'_, str>> = field
        .embedded_from
        .iter()
        .filter_map(|name| lookup(&record.data, name))
        .filter_map(|value| match value {
            Value::Null => None,
            Value::String(text) => Some(Cow::Borrowed(text.as_str())),
            other => Some(Cow::Owned(other.to_string())),
        })
        .filter(|text| !text.trim().is_empty())
        .collect();
    texts.join("\n")
}

#[async_trait]
impl VectorCollection for EmbeddingCollection {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn store_name(&self) -> &str {
        self.inner.store_name()
    }

    fn definition(&self) -> &Arc<RecordDefinition> {
        self.inner.definition()
    }

    async fn exists(&self) -> Result<bool> {
        self.inner.exists().await
    }

    async fn ensure_exists(&self) -> Result<()> {
        self.inner.ensure_exists().await
    }

    async fn delete_collection(&self) -> Result<()> {
        self.inner.delete_collection().await
    }

    async fn upsert(&self, mut records: Vec<StoredRecord>) -> Result<()> {
        // Check first: embeddings may cost money.
        for record in &records {
            self.definition().check_record(self.store_name(), record)?;
        }
        for field in &self.definition().vectors {
            self.fill_in(&mut records, field).await?;
        }
        self.inner.upsert(records).await
    }

    async fn get(&self, keys: &[RecordKey], options: &GetOptions) -> Result<Vec<StoredRecord>> {
        self.inner.get(keys, options).await
    }

    async fn delete(&self, keys: &[RecordKey]) -> Result<()> {
        self.inner.delete(keys).await
    }

    async fn delete_matching(&self, filter: &Filter) -> Result<()> {
        self.inner.delete_matching(filter).await
    }

    async fn scan(&self, options: &ScanOptions) -> Result<SearchResults<StoredRecord>> {
        self.inner.scan(options).await
    }

    async fn distinct_values(
        &self,
        field: &str,
        filter: Option<&Filter>,
        limit: usize,
    ) -> Result<Vec<DistinctValue>> {
        self.inner.distinct_values(field, filter, limit).await
    }

    async fn search(
        &self,
        input: &SearchInput,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        match input {
            SearchInput::Text(text) if is_blank(text) => self.nothing(options).await,
            SearchInput::Text(text) => {
                let vector = self.embed_query(text, options).await?;
                let results = self.inner.search(&SearchInput::Vector(vector), options).await?;
                Ok(explained(results, options, ExplanationStep::VECTOR))
            }
            SearchInput::Vector(_) => self.inner.search(input, options).await,
        }
    }

    async fn search_batch(
        &self,
        inputs: &[SearchInput],
        options: &VectorSearchOptions,
    ) -> Result<Vec<SearchResults<Scored<StoredRecord>>>> {
        let texts = inputs.iter().filter_map(|input| match input {
            SearchInput::Text(text) if !is_blank(text) => Some(text.clone()),
            _ => None,
        });
        let texts: Vec<String> = texts.collect();
        // The generator gets all texts in one call.
        let embedded =
            if texts.is_empty() { Vec::new() } else { self.embed_queries(&texts, options).await? };
        let mut embedded = embedded.into_iter();
        let vectors = inputs.iter().filter_map(|input| match input {
            SearchInput::Text(text) if is_blank(text) => None,
            SearchInput::Text(_) => embedded.next().map(SearchInput::Vector),
            SearchInput::Vector(_) => Some(input.clone()),
        });
        let vectors: Vec<SearchInput> = vectors.collect();
        if vectors.is_empty() && !inputs.is_empty() {
            self.nothing(options).await?;
            return Ok(inputs.iter().map(|_| empty(options)).collect());
        }
        let mut answers = self.inner.search_batch(&vectors, options).await?.into_iter();
        let results = inputs.iter().map_while(|input| {
            if is_blank_text(input) {
                return Some(empty(options));
            }
            Some(explained(answers.next()?, options, ExplanationStep::VECTOR))
        });
        Ok(results.collect())
    }

    async fn full_text_search(
        &self,
        text: &str,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        self.inner.full_text_search(text, options).await
    }

    async fn hybrid_search(
        &self,
        text: &str,
        vector: Option<Arc<[f32]>>,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        let vector = match vector {
            Some(vector) => vector,
            None if is_blank(text) => {
                options.fusion.check(self.store_name())?;
                return self.nothing(options).await;
            }
            None => self.embed_query(text, options).await?,
        };
        self.inner.hybrid_search(text, Some(vector), options).await
    }
}

impl<S: VectorStore> fmt::Debug for EmbeddingStore<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("EmbeddingStore")
            .field("store", &self.store.name())
            .field("model", &self.generator.model_id())
            .finish()
    }
}

impl fmt::Debug for EmbeddingCollection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("EmbeddingCollection")
            .field("store", &self.inner.store_name())
            .field("name", &self.inner.name())
            .field("model", &self.generator.model_id())
            .finish()
    }
}
