//! A handle to one collection.

use std::{collections::BTreeSet, sync::Arc};

use async_trait::async_trait;
use textsearch_core::{
    Error, Filter, Result, SearchResults,
    vector::{
        DistinctValue, GetOptions, RecordDefinition, RecordKey, ScanOptions, Scored, SearchInput,
        StoredRecord, VectorCollection, VectorSearchOptions,
    },
};

use crate::{
    collections::Collections,
    disk::{Entry, make_room, on_thread},
    error::CONNECTOR,
    rows::Row,
    schema::Schema,
    search::{self, Searcher},
    state::{Matcher, SharedState, State, prepare},
    threads::Threads,
};

#[cfg(test)]
#[cfg(feature = "hnsw")]
mod tests;

#[derive(Clone)]
pub(crate) struct InMemoryCollection {
    collections: Collections,
    threads: Arc<Threads>,
    name: String,
    definition: Arc<RecordDefinition>,
}

impl InMemoryCollection {
    pub(crate) fn new(
        collections: Collections,
        threads: Arc<Threads>,
        name: &str,
        definition: RecordDefinition,
    ) -> Self {
        Self { collections, threads, name: name.to_owned(), definition: Arc::new(definition) }
    }

    fn cell(&self) -> Result<Arc<SharedState>> {
        self.collections
            .get(&self.name)?
            .ok_or_else(|| Error::collection_not_found(CONNECTOR, &self.name))
    }

    /// Checks that the state fits this handle's definition.
    fn state(&self) -> Result<Arc<State>> {
        let state = self.cell()?.snapshot();
        self.check_fits(&state)?;
        Ok(state)
    }

    fn searcher(&self) -> Result<Searcher> {
        Ok(Searcher { state: self.state()?, threads: Arc::clone(&self.threads) })
    }

    fn check_fits(&self, state: &State) -> Result<()> {
        if Arc::ptr_eq(state.schema().definition(), &self.definition) {
            return Ok(());
        }
        state.schema().check_handle(&self.definition)
    }

    async fn write(
        &self,
        change: impl FnOnce(&Self) -> Result<Arc<SharedState>> + Send + 'static,
    ) -> Result<()> {
        let cell = self.off_task(change).await?;
        self.catch_up(&cell).await;
        Ok(())
    }

    /// Runs `work`, on another thread if the collection is on disk.
    async fn off_task<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        match &self.collections {
            Collections::Memory(_) => work(self),
            Collections::Disk(_) => {
                let this = self.clone();
                on_thread(move || work(&this)).await
            }
        }
    }

    async fn delete_rows(
        &self,
        choose: impl FnOnce(&State) -> Result<BTreeSet<Row>> + Send + 'static,
    ) -> Result<()> {
        let delete = |this: &Self| {
            let cell = this.cell()?;
            make_room(&cell)?;
            cell.change(|state| {
                this.check_fits(state)?;
                let rows = choose(state)?;
                if rows.is_empty() {
                    return Ok(None);
                }
                let outdated = state.outdated(rows.iter().copied())?;
                cell.log(|| {
                    let keys = rows.iter().map(|row| state.key(*row)).filter_map(Result::transpose);
                    let keys = keys.map(|key| Ok(key?.into_owned()));
                    Entry::removed(&keys.collect::<Result<Vec<_>>>()?)
                })?;
                Ok(Some(move |state: &mut State| state.remove(&outdated)))
            })?;
            Ok(cell)
        };
        self.write(delete).await
    }

    fn create(&self) -> Result<Arc<SharedState>> {
        let schema = Arc::new(Schema::new(Arc::clone(&self.definition)));
        let (cell, was_there) = self.collections.get_or_create(&self.name, &schema)?;
        if !was_there {
            return Ok(cell);
        }
        cell.change(|state| {
            state.schema().check_change(&self.definition)?;
            if **state.schema().definition() == *self.definition {
                return Ok(None);
            }
            let changed = cell.redefined(state, &schema)?;
            Ok(Some(move |state: &mut State| *state = changed))
        })?;
        Ok(cell)
    }

    fn store(&self, records: Vec<StoredRecord>) -> Result<Arc<SharedState>> {
        let cell = self.cell()?;
        let schema = Arc::clone(self.state()?.schema());
        let prepared = prepare(records, &schema)?;
        make_room(&cell)?;
        cell.change(|state| {
            // If the definition changed in the meantime, prepare the records again.
            let prepared = if Arc::ptr_eq(state.schema(), &schema) {
                prepared
            } else {
                self.check_fits(state)?;
                let records = prepared.records.iter().map(|record| record.to_record(&schema));
                prepare(records.collect::<Result<_>>()?, state.schema())?
            };
            let batch = prepared.last_of_each_key();
            state.check_room(batch.records.len())?;
            let outdated = state.replaced_by(&batch)?;
            cell.log(|| Entry::stored(&batch, state.schema()))?;
            Ok(Some(move |state: &mut State| state.store(&batch, &outdated)))
        })?;
        Ok(cell)
    }

    /// The change is already made, so an error is only logged: searches compare unlinked rows
    /// themselves, and the next change tries again.
    #[cfg(feature = "hnsw")]
    async fn catch_up(&self, cell: &Arc<SharedState>) {
        if let Err(error) = crate::hnsw::catch_up(cell, &self.threads).await {
            crate::hnsw::warn_of_unlinked(&error);
        }
    }

    #[cfg(not(feature = "hnsw"))]
    async fn catch_up(&self, _: &Arc<SharedState>) {}
}

#[async_trait]
impl VectorCollection for InMemoryCollection {
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
        Ok(self.collections.get(&self.name)?.is_some())
    }

    async fn ensure_exists(&self) -> Result<()> {
        self.write(Self::create).await
    }

    async fn delete_collection(&self) -> Result<()> {
        self.off_task(|this| this.collections.remove(&this.name)).await
    }

    async fn upsert(&self, records: Vec<StoredRecord>) -> Result<()> {
        self.write(|this| this.store(records)).await
    }

    async fn get(&self, keys: &[RecordKey], options: &GetOptions) -> Result<Vec<StoredRecord>> {
        let state = self.state()?;
        let field = &self.definition().key;
        let rows = keys.iter().map(|key| state.row(&field.canonical(key)));
        let rows = rows.filter_map(Result::transpose);
        rows.map(|row| state.record(row?, options.include_vectors)).collect()
    }

    async fn delete(&self, keys: &[RecordKey]) -> Result<()> {
        let field = &self.definition().key;
        let keys: Vec<RecordKey> =
            keys.iter().map(|key| field.canonical(key).into_owned()).collect();
        self.delete_rows(move |state| {
            keys.iter().map(|key| state.row(key)).filter_map(Result::transpose).collect()
        })
        .await
    }

    async fn delete_matching(&self, filter: &Filter) -> Result<()> {
        let filter = filter.clone();
        self.delete_rows(move |state| {
            let rows = state.matching(&Matcher::new(Some(&filter), state.schema())?)?;
            Ok(rows.into_iter().collect())
        })
        .await
    }

    async fn scan(&self, options: &ScanOptions) -> Result<SearchResults<StoredRecord>> {
        search::scan(&self.state()?, options)
    }

    async fn distinct_values(
        &self,
        field: &str,
        filter: Option<&Filter>,
        limit: usize,
    ) -> Result<Vec<DistinctValue>> {
        let state = self.state()?;
        search::distinct_values(&state, field, filter, limit)
    }

    async fn search(
        &self,
        input: &SearchInput,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        let mut results = self.searcher()?.by_inputs(std::slice::from_ref(input), options).await?;
        results.pop().ok_or_else(|| Error::collection_not_found(CONNECTOR, &self.name))
    }

    async fn search_batch(
        &self,
        inputs: &[SearchInput],
        options: &VectorSearchOptions,
    ) -> Result<Vec<SearchResults<Scored<StoredRecord>>>> {
        self.searcher()?.by_inputs(inputs, options).await
    }

    async fn full_text_search(
        &self,
        text: &str,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        search::by_text(&self.state()?, text, options)
    }

    async fn hybrid_search(
        &self,
        text: &str,
        vector: Option<Arc<[f32]>>,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        self.searcher()?.hybrid(text, vector, options).await
    }
}
