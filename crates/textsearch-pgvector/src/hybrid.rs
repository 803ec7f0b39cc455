//! Hybrid search: fuses a ranking by vector with a ranking by words.

use std::sync::Arc;

use deadpool_postgres::Client;
use futures_util::future::try_join;
use textsearch_core::{
    Result, SearchResults,
    results::TotalCount,
    vector::{Fusion, RecordKey, ScoreOrder, Scored, StoredRecord, VectorSearchOptions},
};

use crate::{
    CONNECTOR,
    search::Found,
    table::{Part, Table},
};

/// A hybrid search that the table can run.
pub(crate) struct HybridSearch<'a> {
    table: &'a Table,
    text: &'a str,
    vector: Arc<[f32]>,
    options: &'a VectorSearchOptions,
    order: ScoreOrder,
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
        let vector = options.hybrid_vector(vector, CONNECTOR)?;
        let order = options.order(true, CONNECTOR)?;
        let mut deep = options.clone().with_skip(0).with_vectors(false).with_total_count(false);
        // Whole rankings beyond the first step, as in memory.
        deep.top = Fusion::depth(options.end()).unwrap_or(usize::MAX);
        deep.score_threshold = None;
        let search = HybridSearch { table: self, text, vector, options, order, deep };
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
        let rankings = try_join(by_vector.run_in(&transaction), by_words.run_in(&transaction));
        let ((by_vector, _), (by_words, _)) = rankings.await?;
        let is_whole = by_vector.len() < self.deep.top && by_words.len() < self.deep.top;
        let mut ranked: Vec<(RecordKey, f64)> =
            self.options.fusion.fuse(scores(by_vector), scores(by_words)).into_iter().collect();
        self.order.rank(&mut ranked, |(key, score)| (*score, key));
        let count = ranked.len() as u64;
        let count = if is_whole { TotalCount::Exact(count) } else { TotalCount::Estimated(count) };
        let (keys, scores): (Vec<RecordKey>, Vec<f64>) = self.options.window(ranked).unzip();
        let part = Part::new(self.options.include_vectors);
        let records = self.table.get(&transaction, &keys, part).await?;
        // One snapshot: each key has its record.
        let scored = records
            .into_iter()
            .zip(scores)
            .map(|(record, score)| Scored::new(record, score, Arc::clone(&self.table.definition)));
        let results = SearchResults::from_vec(scored.collect());
        Ok(results.with_total_count(self.options.include_total_count.then_some(count)))
    }
}

fn scores(records: Found) -> impl Iterator<Item = (RecordKey, f64)> {
    records.into_iter().map(|scored| (scored.record.key, scored.score))
}
