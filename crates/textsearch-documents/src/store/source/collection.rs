//! A collection whose records hold references, and whose results hold texts.

use std::{collections::HashMap, sync::Arc};

use serde_json::Value;
use textsearch_core::{
    Error, ErrorKind, Filter, Result, SearchResults, async_trait,
    results::Page,
    vector::{
        DistinctValue, GetOptions, RecordDefinition, RecordKey, ScanOptions, Scored, SearchInput,
        StoredRecord, VectorCollection, VectorSearchOptions,
    },
};

use super::{
    DocumentSource, SourceTexts,
    cut::{DocumentText, hash},
};
use crate::{CONNECTOR, store::schema::fields};

/// Results whose texts are fetched together.
const BATCH: usize = 64;

/// In an error.
const MAX_NAMED: usize = 3;

type ScoredRecord = Scored<StoredRecord>;

/// Stores no texts, and fetches the texts of search results. Reads and scans return no texts.
pub(in crate::store) struct ReferencingCollection {
    inner: Arc<dyn VectorCollection>,
    sources: Option<Arc<dyn SourceTexts>>,
}

impl ReferencingCollection {
    pub(in crate::store) fn new(
        inner: Arc<dyn VectorCollection>,
        sources: Option<Arc<dyn SourceTexts>>,
    ) -> Self {
        Self { inner, sources }
    }

    fn sources(&self) -> Result<Arc<dyn SourceTexts>> {
        self.sources.clone().ok_or_else(without_sources)
    }

    /// Replaces the text by its hash.
    fn drop_text(&self, record: &mut StoredRecord) -> Result<()> {
        let Some(Value::String(text)) = record.data.remove(fields::TEXT) else { return Ok(()) };
        // The text will be the chunk's own.
        record.data.remove(fields::CHUNK_OPENING);
        let vectors = &self.inner.definition().vectors;
        if vectors.iter().any(|field| !record.vectors.contains_key(&field.name)) {
            let allowed = "one of the store (`DocumentStore::with_embedding_generator`): \
                           texts are embedded before they are dropped";
            let value = "not set, or set on the collection";
            return Err(Error::invalid_options(CONNECTOR, "embedding_generator", value, allowed));
        }
        // Records of documents have the hash of their own text, without repeated headers.
        let own_hash = || Value::from(hash(&text));
        record.data.entry(fields::CHUNK_HASH).or_insert_with(own_hash);
        Ok(())
    }
}

#[async_trait]
impl VectorCollection for ReferencingCollection {
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
        records.iter_mut().try_for_each(|record| self.drop_text(record))?;
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
    ) -> Result<SearchResults<ScoredRecord>> {
        let sources = self.sources()?;
        with_texts(sources, self.inner.search(input, options).await?).await
    }

    async fn search_batch(
        &self,
        inputs: &[SearchInput],
        options: &VectorSearchOptions,
    ) -> Result<Vec<SearchResults<ScoredRecord>>> {
        let sources = self.sources()?;
        let mut all = Vec::with_capacity(inputs.len());
        for results in self.inner.search_batch(inputs, options).await? {
            all.push(with_texts(Arc::clone(&sources), results).await?);
        }
        Ok(all)
    }

    async fn full_text_search(
        &self,
        text: &str,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<ScoredRecord>> {
        let sources = self.sources()?;
        with_texts(sources, self.inner.full_text_search(text, options).await?).await
    }

    async fn hybrid_search(
        &self,
        text: &str,
        vector: Option<Arc<[f32]>>,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<ScoredRecord>> {
        let sources = self.sources()?;
        with_texts(sources, self.inner.hybrid_search(text, vector, options).await?).await
    }
}

/// Where the results come from, and their texts.
type Rest = (Arc<dyn SourceTexts>, SearchResults<ScoredRecord>);

/// Fetches the first texts now, and the others when they are read.
async fn with_texts(
    sources: Arc<dyn SourceTexts>,
    stored: SearchResults<ScoredRecord>,
) -> Result<SearchResults<ScoredRecord>> {
    let count = stored.total_count();
    let metadata = stored.metadata().clone();
    let first = next_page((sources, stored)).await?;
    let results = SearchResults::paged(first, next_page).with_metadata(metadata);
    Ok(results.try_map(|result| result).with_total_count(count))
}

async fn next_page((sources, mut results): Rest) -> Result<Page<Result<ScoredRecord>, Rest>> {
    let mut batch = Vec::new();
    while batch.len() < BATCH
        && let Some(item) = results.next().await
    {
        batch.push(item);
    }
    let is_full = batch.len() == BATCH;
    let items = filled(sources.as_ref(), batch).await?;
    Ok(Page::new(items, is_full.then_some((sources, results))))
}

/// Returns the records with their texts, for reads. Fails if no text can be fetched.
pub(in crate::store) async fn records_with_texts(
    sources: Option<&dyn SourceTexts>,
    records: Vec<StoredRecord>,
    definition: &Arc<RecordDefinition>,
) -> Result<Vec<Result<StoredRecord>>> {
    let sources = sources.ok_or_else(without_sources)?;
    let scored = |record| Ok(Scored::new(record, 0.0, Arc::clone(definition)));
    let records = filled(sources, records.into_iter().map(scored).collect()).await?;
    Ok(records.into_iter().map(|scored| Ok(scored?.record)).collect())
}

fn without_sources() -> Error {
    let allowed = "a service (`DocumentStore::with_source_texts`): the records hold no texts";
    Error::invalid_options(CONNECTOR, "source_texts", "not set", allowed)
}

/// Fails if no text can be fetched. A result whose own text is missing becomes an error.
async fn filled(
    sources: &dyn SourceTexts,
    batch: Vec<Result<ScoredRecord>>,
) -> Result<Vec<Result<ScoredRecord>>> {
    let requested = distinct_sources(&batch);
    if requested.is_empty() {
        return Ok(batch);
    }
    let texts = sources.texts(&requested).await.map_err(|error| unavailable(&requested, error))?;
    if texts.len() != requested.len() {
        let message =
            format!("the source texts are {} for {} sources", texts.len(), requested.len());
        return Err(Error::new(ErrorKind::Backend, CONNECTOR, message));
    }
    let texts = requested.iter().zip(&texts).filter_map(|(source, text)| {
        let text = text.as_deref()?;
        Some((source.id.as_str(), DocumentText::new(&source.id, text)))
    });
    let texts: HashMap<&str, DocumentText<'_>> = texts.collect();
    Ok(batch.into_iter().map(|scored| with_text(scored?, &texts)).collect())
}

fn with_text(
    mut scored: ScoredRecord,
    texts: &HashMap<&str, DocumentText<'_>>,
) -> Result<ScoredRecord> {
    let data = &mut scored.record.data;
    let id = text_of(data.get(fields::DOCUMENT_ID)).to_owned();
    let missing = |what: &str| {
        let message = format!("the text of the document `{id}` can't be shown: {what}");
        Error::new(ErrorKind::Backend, CONNECTOR, message)
    };
    let document = texts.get(id.as_str());
    let document =
        document.ok_or_else(|| missing("its source has no text; remove the document"))?;
    let number = |field: &str| data.get(field).and_then(Value::as_u64);
    let number = |field| number(field).and_then(|number| usize::try_from(number).ok());
    let range = number(fields::START).unwrap_or(usize::MAX)..number(fields::END).unwrap_or(0);
    let text = document.chunk(range, text_of(data.get(fields::CHUNK_HASH)));
    let text = text.ok_or_else(|| missing("its source has changed; store the document again"))?;
    data.insert(fields::TEXT.to_owned(), Value::from(text));
    Ok(scored)
}

fn distinct_sources(batch: &[Result<ScoredRecord>]) -> Vec<DocumentSource> {
    let mut sources: Vec<DocumentSource> = Vec::new();
    for scored in batch.iter().flatten() {
        let data = &scored.record.data;
        let id = text_of(data.get(fields::DOCUMENT_ID));
        if sources.iter().all(|source| source.id != id) {
            let optional = |field| data.get(field).and_then(Value::as_str).map(str::to_owned);
            let name = optional(fields::DOCUMENT_NAME);
            let link = optional(fields::LINK);
            sources.push(DocumentSource { id: id.to_owned(), name, link });
        }
    }
    sources
}

fn unavailable(sources: &[DocumentSource], error: Error) -> Error {
    let named = sources.iter().take(MAX_NAMED).map(|source| format!("`{}`", source.id));
    let named = named.collect::<Vec<_>>().join(", ");
    let more = match sources.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message =
        format!("the texts of the documents {named}{more} can't be fetched: {}", error.message());
    Error::new(error.kind().clone(), CONNECTOR, message)
        .with_retry_after(error.retry_after())
        .with_source(error)
}

fn text_of(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}
