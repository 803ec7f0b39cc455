//! Hybrid search: fuses a ranking by vector with a ranking by words.

use std::sync::Arc;

use deadpool_postgres::Client;
use futures_util::future::try_join;
use textsearch_core::{
    Result, SearchResults,
    results::TotalCount,
    vector::{Fusion, RecordKey, Scored, SearchInput, StoredRecord, VectorSearchOptions},
};

use crate::{
    CONNECTOR,
    error::refused,
    search::{Found, check_options},
    table::{Part, Table},
};

/// A hybrid search that the table can run.
pub(crate) struct HybridSearch<'a> {
    table: &'a Table,
    text: &'a str,
    vector: SearchInput,
    options: &'a VectorSearchOptions,
    /// For each of the two rankings.
    deep: VectorSearchOptions,
}

impl Table {
    /// Checks a hybrid search before anything is sent.
    pub(crate) fn search_both<'a>(
        &'a self,
        text: &'a str,
        vector: Option<Arc<[f32]>>,
        options: &'a VectorSearchOptions,
    ) -> Result<HybridSearch<'a>> {
        let Some(vector) = vector else {
            let allowed = "a vector to search with, or a store with an embedding generator, \
                           see `VectorStoreExt::with_embedding_generator`";
            return Err(refused("vector", "not given", allowed));
        };
        check_options(&self.definition, options)?;
        options.fusion.check(CONNECTOR)?;
        let mut deep = options.clone().with_skip(0).with_vectors(false).with_total_count(false);
        let wanted = options.skip.saturating_add(options.top);
        // Whole rankings beyond the first step, as in memory.
        deep.top = Fusion::depth(wanted).unwrap_or(usize::MAX);
        deep.score_threshold = None;
        let vector = SearchInput::Vector(vector);
        let search = HybridSearch { table: self, text, vector, options, deep };
        search.table.search(&search.vector, &search.deep)?;
        search.table.search_words(text, &search.deep)?;
        Ok(search)
    }
}

impl HybridSearch<'_> {
    pub(crate) async fn run(
        &self,
        client: &mut Client,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        let transaction = self.table.snapshot(client).await?;
        let by_vector = self.table.search(&self.vector, &self.deep)?.for_keys();
        let by_words = self.table.search_words(self.text, &self.deep)?.for_keys()?;
        let found = try_join(by_vector.run_in(&transaction), by_words.run_in(&transaction));
        let ((by_vector, _), (by_words, _)) = found.await?;
        let is_whole = by_vector.len() < self.deep.top && by_words.len() < self.deep.top;
        let mut ranked: Vec<(RecordKey, f64)> =
            self.options.fusion.fuse(scores(by_vector), scores(by_words)).into_iter().collect();
        if let Some(threshold) = self.options.score_threshold {
            ranked.retain(|(_, score)| *score >= threshold);
        }
        ranked.sort_by(|(one_key, one), (other_key, other)| {
            other.total_cmp(one).then_with(|| one_key.cmp(other_key))
        });
        let count = ranked.len() as u64;
        let count = if is_whole { TotalCount::Exact(count) } else { TotalCount::Estimated(count) };
        let window = ranked.into_iter().skip(self.options.skip).take(self.options.top);
        let (keys, scores): (Vec<RecordKey>, Vec<f64>) = window.unzip();
        let part = Part::of(self.options.include_vectors);
        let records = self.table.get(&transaction, &keys, part).await?;
        // One snapshot: each key has its record.
        let found = records
            .into_iter()
            .zip(scores)
            .map(|(record, score)| Scored::new(record, score, Arc::clone(&self.table.definition)));
        let results = SearchResults::from_vec(found.collect());
        Ok(results.with_total_count(self.options.include_total_count.then_some(count)))
    }
}

fn scores(found: Found) -> impl Iterator<Item = (RecordKey, f64)> {
    found.into_iter().map(|scored| (scored.record.key, scored.score))
}
