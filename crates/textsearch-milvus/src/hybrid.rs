//! Hybrid search: fuses a ranking by vector with a ranking by words.

use std::sync::Arc;

use futures_util::future::try_join;
use textsearch_core::{
    Result, SearchResults,
    results::TotalCount,
    vector::{Fusion, RecordKey, Scored, StoredRecord, VectorSearchOptions},
};

use crate::{
    CONNECTOR,
    error::refused,
    handle::Handle,
    ranking::{Hit, Ranked, Ranking, order},
    search::reaches,
};

impl Handle {
    /// Fuses the rankings here: the server orders records of equal score arbitrarily, so ranks, and
    /// with them results, would differ from every other store.
    pub(crate) async fn hybrid(
        &self,
        text: &str,
        vector: Option<Arc<[f32]>>,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        let Some(vector) = vector else {
            let allowed = "a vector to search with, or a store with an embedding generator, \
                           see `VectorStoreExt::with_embedding_generator`";
            return Err(refused("vector", "not given", allowed));
        };
        options.fusion.check(CONNECTOR)?;
        let by_vector = self.by_vector(&vector, options)?;
        let by_words = self.by_words(text, options).await?;
        let wanted = options.skip.saturating_add(options.top);
        let depth = Fusion::depth(wanted).unwrap_or(usize::MAX);
        let ((by_vector, all_by_vector), (by_words, all_by_words)) =
            try_join(best(Some(&by_vector), depth), best(by_words.as_ref(), depth)).await?;
        let scores = options.fusion.fuse(by_vector, by_words).into_iter();
        let mut hits: Vec<Hit> =
            scores.map(|(key, score)| Hit { key, score, record: None }).collect();
        hits.retain(|hit| reaches(hit.score, options.score_threshold, true));
        hits.sort_by(|one, other| order(one, other, true));
        let count = hits.len() as u64;
        let count = if all_by_vector && all_by_words {
            TotalCount::Exact(count)
        } else {
            TotalCount::Estimated(count)
        };
        let window = hits.into_iter().skip(options.skip).take(options.top).collect();
        let results = self.scored(window, options).await?;
        let count = options.include_total_count.then_some(count);
        Ok(SearchResults::from_vec(results).with_total_count(count))
    }
}

/// Returns the best of a ranking, and whether that is all of it.
async fn best(
    ranking: Option<&Ranking<'_>>,
    depth: usize,
) -> Result<(Vec<(RecordKey, f64)>, bool)> {
    let Some(ranking) = ranking else { return Ok((Vec::new(), true)) };
    let Ranked { mut hits, whole } = ranking.best(depth, false, false).await?;
    let is_all = whole && hits.len() <= depth;
    hits.truncate(depth);
    Ok((hits.into_iter().map(|hit| (hit.key, hit.score)).collect(), is_all))
}
