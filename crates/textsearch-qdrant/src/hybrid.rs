//! Hybrid search: fuses a ranking by vector with a ranking by words.

use std::sync::Arc;

use textsearch_core::{
    Error, Result, SearchResults,
    results::TotalCount,
    vector::{Fusion, RecordKey, Scored, VectorSearchOptions},
};

use crate::{
    CONNECTOR,
    handle::QdrantCollection,
    search::{MAX_LOOKED_AT, Results, Search, first_points},
};

impl QdrantCollection {
    /// Fuses the rankings here: the server orders records of equal score arbitrarily, so ranks, and
    /// with them results, would differ from every other store.
    pub(crate) async fn hybrid(
        &self,
        text: &str,
        vector: Option<Arc<[f32]>>,
        options: &VectorSearchOptions,
    ) -> Result<Results> {
        let vector = options.hybrid_vector(vector, CONNECTOR)?;
        let order = options.order(true, CONNECTOR)?;
        let mut deep = options.clone().with_skip(0).with_vectors(false);
        deep.top = depth(options)?;
        deep.score_threshold = None;
        let by_vector = Search::by_vector(self, &vector, &deep).await?.for_keys();
        let by_words = Search::by_words(self, text, &deep).await?.for_keys();
        let filter = by_vector.filter.clone();
        let searches = [by_vector, by_words];
        let mut rankings = Vec::with_capacity(searches.len());
        for (search, points) in searches.iter().zip(first_points(self, &searches).await?) {
            rankings.push(search.best_keys(points).await?);
        }
        let is_whole = rankings.iter().all(|ranking| ranking.len() < deep.top);
        let mut rankings = rankings.into_iter();
        let mut next = || rankings.next().unwrap_or_default();
        let mut fused: Vec<(RecordKey, f64)> =
            options.fusion.fuse(next(), next()).into_iter().collect();
        order.rank(&mut fused, |(key, score)| (*score, key));
        let count = fused.len() as u64;
        let count = if is_whole { TotalCount::Exact(count) } else { TotalCount::Estimated(count) };
        let (keys, scores): (Vec<RecordKey>, Vec<f64>) = options.window(fused).unzip();
        let vectors = options.include_vectors;
        let mut records = self.still_matching(&keys, filter.as_ref(), vectors).await?;
        let scored = keys.iter().zip(scores).filter_map(|(key, score)| {
            Some(Scored::new(records.remove(key)?, score, Arc::clone(&self.definition)))
        });
        Ok(SearchResults::from_vec(scored.collect())
            .with_total_count(options.include_total_count.then_some(count)))
    }
}

/// Returns how many records of each ranking to fuse. Results beyond this depth are missing, as in a
/// smaller collection. The in-memory store instead fuses all records beyond the first step; a
/// server would have to return them in one response.
///
/// # Errors
/// Returns `InvalidOptions` if all requested results lie beyond the second step.
fn depth(options: &VectorSearchOptions) -> Result<usize> {
    match Fusion::depth(options.end()) {
        Some(depth) => Ok(depth),
        None if options.skip < MAX_LOOKED_AT => Ok(MAX_LOOKED_AT),
        None => {
            let allowed = format!(
                "less than {MAX_LOOKED_AT} for a hybrid search, which ranks no more; a search by vector or by words \
                 alone has no such limit"
            );
            Err(Error::invalid_options(CONNECTOR, "skip", options.skip, allowed))
        }
    }
}
