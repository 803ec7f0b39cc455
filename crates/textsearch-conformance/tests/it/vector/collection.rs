//! A sabotaged collection.

use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use textsearch_conformance::core::{
    Error, ErrorKind, Filter, Result, SearchResults, async_trait,
    vector::{
        DistinctValue, GetOptions, RecordDefinition, RecordKey, ScanOptions, Scored, SearchInput,
        StoredRecord, VectorCollection, VectorSearchOptions, VectorStore as _,
    },
};
use textsearch_vector_inmemory::InMemoryVectorStore;

use super::{
    fault::Fault,
    fewer,
    queries::{self, Query, ScoredResults},
    records, results,
    store::refused,
};
use crate::faults::nap;

pub(super) struct SabotagedCollection {
    pub(super) inner: Arc<dyn VectorCollection>,
    pub(super) store: InMemoryVectorStore,
    pub(super) shown: Arc<RecordDefinition>,
    pub(super) fault: Fault,
    pub(super) is_restarted: bool,
    pub(super) is_busy: AtomicBool,
}

impl SabotagedCollection {
    fn has(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    fn keys(&self, keys: &[RecordKey]) -> Vec<RecordKey> {
        keys.iter().map(|key| records::key(self.fault, key, &self.shown)).collect()
    }

    async fn ask(&self, query: Query, options: &VectorSearchOptions) -> Result<ScoredResults> {
        if self.has(Fault::DoesLess) && options.exact {
            return Err(refused("exact", true, "false"));
        }
        let finds_nothing = match (self.fault, &query) {
            (Fault::FindsNothingInMissingCollections, _) => !self.inner.exists().await?,
            (Fault::FindsNothingByText, Query::Input(SearchInput::Text(_))) => true,
            (Fault::FindsNothingWithoutFields, Query::Words(_)) => {
                self.shown.full_text_fields().next().is_none()
            }
            _ => false,
        };
        if finds_nothing {
            return Ok(SearchResults::from_vec(Vec::new()));
        }
        let query = query.changed(self.fault, options, &self.shown);
        let mut changed = queries::changed(self.fault, &query, options, &self.shown);
        let filter = options.filter.as_ref();
        if let (Fault::CountsWordsBehindTheFilter, Some(filter)) = (self.fault, filter) {
            let filtered = self.filtered(filter).await?;
            changed.filter = None;
            return query.ask(&*filtered, &changed).await;
        }
        results::changed(self.fault, &*self.inner, &query, &changed, filter).await
    }

    /// Returns a collection of the records that match the filter.
    async fn filtered(&self, filter: &Filter) -> Result<Arc<dyn VectorCollection>> {
        let matching = ScanOptions::default().with_filter(filter.clone()).with_vectors(true);
        let records = self.inner.scan(&matching).await?.into_vec().await?;
        let definition = (*self.shown).clone();
        let filtered = InMemoryVectorStore::new().stored_collection("filtered", definition)?;
        filtered.ensure_exists().await?;
        filtered.upsert(records).await?;
        Ok(filtered)
    }
}

#[async_trait]
impl VectorCollection for SabotagedCollection {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn store_name(&self) -> &str {
        self.inner.store_name()
    }

    fn definition(&self) -> &Arc<RecordDefinition> {
        &self.shown
    }

    async fn exists(&self) -> Result<bool> {
        if self.has(Fault::AlwaysExists) {
            return Ok(true);
        }
        self.inner.exists().await
    }

    async fn ensure_exists(&self) -> Result<()> {
        if self.has(Fault::EmptiesWhatExists) {
            self.inner.delete_collection().await?;
        }
        let ensured = self.inner.ensure_exists().await;
        if self.is_restarted && self.has(Fault::LosesVectorsOnRestart) {
            self.lose_vectors().await?;
        }
        match ensured {
            Err(error)
                if self.has(Fault::AcceptsOtherVectors) && !error.message().contains("`id`") =>
            {
                Ok(())
            }
            Err(error) if self.has(Fault::AcceptsOtherKeys) && error.message().contains("`id`") => {
                Ok(())
            }
            ensured => ensured,
        }
    }

    async fn delete_collection(&self) -> Result<()> {
        if self.has(Fault::ForgetsToDelete) {
            return Ok(());
        }
        self.inner.delete_collection().await
    }

    async fn upsert(&self, records: Vec<StoredRecord>) -> Result<()> {
        if self.has(Fault::CreatesMissingCollections) {
            self.inner.ensure_exists().await?;
        }
        if self.has(Fault::DoesLess) {
            records.iter().try_for_each(|record| fewer::check_record(record, &self.shown))?;
        }
        let changed = |record| records::changed(self.fault, record, &self.shown);
        let records = records.into_iter().map(changed).collect();
        if !self.has(Fault::StaysBusyWhenDropped) {
            return self.write(records).await;
        }
        if self.is_busy.swap(true, Ordering::Relaxed) {
            return Err(Error::new(ErrorKind::Backend, "sabotaged", "another call is running"));
        }
        tokio::task::yield_now().await;
        let written = self.write(records).await;
        self.is_busy.store(false, Ordering::Relaxed);
        written
    }

    async fn get(&self, keys: &[RecordKey], options: &GetOptions) -> Result<Vec<StoredRecord>> {
        if self.has(Fault::SleepsInGet) {
            std::thread::sleep(Duration::from_millis(30));
        }
        let mut keys = self.keys(keys);
        match self.fault {
            Fault::ReadsInKeyOrder => keys.sort(),
            Fault::ReadsRepeatsOnce => {
                let mut read = HashSet::new();
                keys.retain(|key| read.insert(key.clone()));
            }
            _ => {}
        }
        let with_vectors = match self.fault {
            Fault::AlwaysSendsVectors => true,
            Fault::NeverSendsVectors => false,
            _ => options.include_vectors,
        };
        self.inner.get(&keys, &GetOptions::default().with_vectors(with_vectors)).await
    }

    async fn delete(&self, keys: &[RecordKey]) -> Result<()> {
        let mut keys = self.keys(keys);
        match self.fault {
            Fault::KeepsDeleted => keys.clear(),
            Fault::DeletesTheFirstKey => keys.truncate(1),
            Fault::DeletesInEveryCollection => {
                for name in self.store.collection_names().await? {
                    let other = self.store.stored_collection(&name, (*self.shown).clone())?;
                    other.delete(&keys).await?;
                }
            }
            _ => {}
        }
        self.inner.delete(&keys).await
    }

    async fn delete_matching(&self, filter: &Filter) -> Result<()> {
        let filter = match self.fault {
            Fault::DeletesWithoutFilter => None,
            _ => queries::filter(self.fault, Some(filter), &self.shown),
        };
        self.inner.delete_matching(&filter.unwrap_or(Filter::And(Vec::new()))).await
    }

    async fn scan(&self, options: &ScanOptions) -> Result<SearchResults<StoredRecord>> {
        if self.has(Fault::NapsInScan) {
            nap();
        }
        let changed = queries::changed_scan(self.fault, options, &self.shown);
        let (Fault::OrdersMissingFirst, [order, ..]) = (self.fault, &*options.order_by) else {
            return self.inner.scan(&changed).await;
        };
        let mut whole = changed;
        (whole.skip, whole.top) = (0, None);
        let results = self.inner.scan(&whole).await?;
        let count = results.total_count();
        let mut records = results.into_vec().await?;
        records.sort_by_key(|record| {
            record.data.get(&order.field).is_some_and(|value| !value.is_null())
        });
        let window = records.into_iter().skip(options.skip).take(options.top.unwrap_or(usize::MAX));
        let results = SearchResults::from_vec(window.collect());
        Ok(count.into_iter().fold(results, SearchResults::with_total_count))
    }

    async fn distinct_values(
        &self,
        field: &str,
        filter: Option<&Filter>,
        limit: usize,
    ) -> Result<Vec<DistinctValue>> {
        let all = usize::MAX;
        let inner = &self.inner;
        match self.fault {
            Fault::DoesLess => Err(refused("distinct_values", field, "nothing")),
            Fault::CountsValuesWithoutFilter => inner.distinct_values(field, None, limit).await,
            Fault::ReturnsEveryValue => inner.distinct_values(field, filter, all).await,
            Fault::SortsValues => {
                let mut values = inner.distinct_values(field, filter, all).await?;
                values.sort_by_key(|value| value.value.to_string());
                values.truncate(limit);
                Ok(values)
            }
            _ => inner.distinct_values(field, filter, limit).await,
        }
    }

    async fn search(
        &self,
        input: &SearchInput,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        self.ask(Query::Input(input.clone()), options).await
    }

    async fn search_batch(
        &self,
        inputs: &[SearchInput],
        options: &VectorSearchOptions,
    ) -> Result<Vec<SearchResults<Scored<StoredRecord>>>> {
        let plain = VectorSearchOptions::top(options.top);
        let options = if self.has(Fault::BatchesWithoutOptions) { &plain } else { options };
        let mut all = Vec::new();
        for input in inputs {
            match self.search(input, options).await {
                Err(_) if self.has(Fault::LeavesOutBadSearches) => {}
                results => all.push(results?),
            }
        }
        if self.has(Fault::ReversesSearchBatches) {
            all.reverse();
        }
        Ok(all)
    }

    async fn full_text_search(
        &self,
        text: &str,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        self.ask(Query::Words(text.to_owned()), options).await
    }

    async fn hybrid_search(
        &self,
        text: &str,
        vector: Option<Arc<[f32]>>,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        self.ask(Query::Hybrid(text.to_owned(), vector), options).await
    }
}
