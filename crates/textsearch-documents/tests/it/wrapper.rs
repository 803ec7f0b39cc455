//! A collection that fails after a given number of writes, and counts the records read.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use textsearch_core::{
    Error, ErrorKind, Filter, Result, SearchResults,
    vector::{
        Collection, GetOptions, RecordDefinition, RecordKey, ScanOptions, Scored, SearchInput,
        StoredRecord, VectorCollection, VectorSearchOptions,
    },
};

pub(crate) struct Failing {
    inner: Arc<dyn VectorCollection>,
    writes_left: AtomicUsize,
    records: Arc<AtomicUsize>,
}

impl Failing {
    pub(crate) fn collection(inner: Arc<dyn VectorCollection>, writes: usize) -> Collection {
        let records = Arc::default();
        Collection::new(Self { inner, writes_left: AtomicUsize::new(writes), records })
    }

    /// Returns a collection that isn't written, and the number of records that were read.
    pub(crate) fn counting(inner: Arc<dyn VectorCollection>) -> (Collection, Arc<AtomicUsize>) {
        let records = Arc::new(AtomicUsize::new(0));
        let counting =
            Self { inner, writes_left: AtomicUsize::new(0), records: Arc::clone(&records) };
        (Collection::new(counting), records)
    }

    fn write(&self) -> Result<()> {
        let one_less = |left: usize| left.checked_sub(1);
        match self.writes_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less) {
            Ok(_) => Ok(()),
            Err(_) => Err(Error::new(ErrorKind::Unavailable, "failing", "no more writes")),
        }
    }
}

#[async_trait]
impl VectorCollection for Failing {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn store_name(&self) -> &str {
        "failing"
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

    async fn upsert(&self, records: Vec<StoredRecord>) -> Result<()> {
        self.write()?;
        self.inner.upsert(records).await
    }

    async fn get(&self, keys: &[RecordKey], options: &GetOptions) -> Result<Vec<StoredRecord>> {
        let records = self.inner.get(keys, options).await?;
        self.records.fetch_add(records.len(), Ordering::Relaxed);
        Ok(records)
    }

    async fn delete(&self, keys: &[RecordKey]) -> Result<()> {
        self.write()?;
        self.inner.delete(keys).await
    }

    async fn delete_matching(&self, filter: &Filter) -> Result<()> {
        self.write()?;
        self.inner.delete_matching(filter).await
    }

    async fn scan(&self, options: &ScanOptions) -> Result<SearchResults<StoredRecord>> {
        let records = self.inner.scan(options).await?.into_vec().await?;
        self.records.fetch_add(records.len(), Ordering::Relaxed);
        Ok(SearchResults::from_vec(records))
    }

    async fn search(
        &self,
        input: &SearchInput,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        self.inner.search(input, options).await
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
        self.inner.hybrid_search(text, vector, options).await
    }
}
