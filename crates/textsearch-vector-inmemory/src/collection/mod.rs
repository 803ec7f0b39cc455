//! A handle to one collection.

use std::{collections::BTreeSet, sync::Arc};

use async_trait::async_trait;
use hashbrown::hash_table::{Entry, HashTable};
use textsearch_core::{
    Error, Filter, Result, SearchResults,
    vector::{
        DistinctValue, GetOptions, RecordDefinition, RecordKey, ScanOptions, Scored, SearchInput,
        StoredRecord, VectorCollection, VectorSearchOptions,
    },
};

use crate::{
    collections::Collections,
    error::CONNECTOR,
    rows::{KeyHash, Row},
    schema::Schema,
    search::{self, Searcher},
    state::{Batch, Matcher, SharedState, State, prepare},
    threads::Threads,
};

#[cfg(test)]
#[cfg(feature = "hnsw")]
mod tests;

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
            .get(&self.name)
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

    async fn delete_rows(
        &self,
        choose: impl FnOnce(&State) -> Result<BTreeSet<Row>>,
    ) -> Result<()> {
        let cell = self.cell()?;
        cell.change(|state| {
            self.check_fits(state)?;
            let rows = choose(state)?;
            if rows.is_empty() {
                return Ok(None);
            }
            let outdated = state.outdated(rows)?;
            Ok(Some(move |state: &mut State| state.remove(&outdated)))
        })?;
        self.catch_up(&cell).await;
        Ok(())
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
        Ok(self.collections.get(&self.name).is_some())
    }

    async fn ensure_exists(&self) -> Result<()> {
        let schema = Arc::new(Schema::new(Arc::clone(&self.definition)));
        let make = || SharedState::new(State::new(Arc::clone(&schema)));
        let (cell, was_there) = self.collections.get_or_insert(&self.name, make);
        if !was_there {
            return Ok(());
        }
        cell.change(|state| {
            state.schema().check_change(&self.definition)?;
            if **state.schema().definition() == *self.definition {
                return Ok(None);
            }
            let changed = state.under(Arc::clone(&schema))?;
            Ok(Some(move |state: &mut State| *state = changed))
        })?;
        self.catch_up(&cell).await;
        Ok(())
    }

    async fn delete_collection(&self) -> Result<()> {
        self.collections.remove(&self.name);
        Ok(())
    }

    async fn upsert(&self, records: Vec<StoredRecord>) -> Result<()> {
        let cell = self.cell()?;
        let schema = Arc::clone(self.state()?.schema());
        let prepared = prepare(records, &schema)?;
        cell.change(|state| {
            // If the definition changed in the meantime, prepare the records again.
            let prepared = if Arc::ptr_eq(state.schema(), &schema) {
                prepared
            } else {
                self.check_fits(state)?;
                let records = prepared.records.iter().map(|record| record.to_record(&schema));
                prepare(records.collect::<Result<_>>()?, state.schema())?
            };
            let batch = last_of_each_key(prepared);
            state.check_room(batch.records.len())?;
            let replaced = batch.records.iter().filter_map(|record| state.row_of(record));
            let outdated = state.outdated(replaced)?;
            Ok(Some(move |state: &mut State| state.store(&batch, &outdated)))
        })?;
        self.catch_up(&cell).await;
        Ok(())
    }

    async fn get(&self, keys: &[RecordKey], options: &GetOptions) -> Result<Vec<StoredRecord>> {
        let state = self.state()?;
        let field = &self.definition().key;
        let rows = keys.iter().filter_map(|key| state.row(&field.canonical(key)));
        rows.map(|row| state.record(row, options.include_vectors)).collect()
    }

    async fn delete(&self, keys: &[RecordKey]) -> Result<()> {
        let field = &self.definition().key;
        let row = |state: &State, key| state.row(&field.canonical(key));
        self.delete_rows(|state| Ok(keys.iter().filter_map(|key| row(state, key)).collect())).await
    }

    async fn delete_matching(&self, filter: &Filter) -> Result<()> {
        self.delete_rows(|state| {
            let matcher = Matcher::new(Some(filter), state.schema())?;
            Ok(state.matching(matcher).map(|(row, _)| row).collect())
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

fn last_of_each_key(mut batch: Batch<'_>) -> Batch<'_> {
    let is_last = are_last_of_their_keys(&batch);
    if is_last.contains(&false) {
        let mut is_last = is_last.into_iter();
        batch.records.retain(|_| is_last.next().unwrap_or_default());
    }
    batch
}

fn are_last_of_their_keys(batch: &Batch<'_>) -> Vec<bool> {
    let mut later: HashTable<&RecordKey> = HashTable::with_capacity(batch.records.len());
    let mut is_last = vec![true; batch.records.len()];
    for (is_last, record) in is_last.iter_mut().zip(&batch.records).rev() {
        let key = record.payload.key();
        let hash = record.hash.whole();
        match later.entry(hash, |known| *known == key, |known| KeyHash::new(known).whole()) {
            Entry::Occupied(_) => *is_last = false,
            Entry::Vacant(place) => drop(place.insert(key)),
        }
    }
    is_last
}
