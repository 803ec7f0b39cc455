//! Hybrid search: fuses a ranking by vector with a ranking by words.

use std::sync::Arc;

use futures_util::future::try_join;
use textsearch_core::{
    Result, SearchResults,
    results::TotalCount,
    vector::{Fusion, RecordKey, VectorSearchOptions},
};

use crate::{
    CONNECTOR,
    handle::Handle,
    ranking::{Ranked, RankedKey, Ranking},
    search::Results,
};

impl Handle {
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
        let mut whole = options.clone();
        whole.score_threshold = None;
        let by_vector = self.by_vector(&vector, &whole)?;
        let by_words = self.by_words(text, &whole).await?;
        let depth = Fusion::depth(options.end()).unwrap_or(usize::MAX);
        let ((by_vector, all_by_vector), (by_words, all_by_words)) =
            try_join(best(Some(&by_vector), depth), best(by_words.as_ref(), depth)).await?;
        let scores = options.fusion.fuse(by_vector, by_words).into_iter();
        let mut ranked_keys: Vec<RankedKey> =
            scores.map(|(key, score)| RankedKey { key, score, record: None }).collect();
        order.rank(&mut ranked_keys, |ranked_key| (ranked_key.score, &ranked_key.key));
        let count = ranked_keys.len() as u64;
        let count = if all_by_vector && all_by_words {
            TotalCount::Exact(count)
        } else {
            TotalCount::Estimated(count)
        };
        let results = self.scored(options.window(ranked_keys).collect(), options).await?;
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
    let Ranked { mut ranked_keys, whole } = ranking.best(depth, false).await?;
    let is_all = whole && ranked_keys.len() <= depth;
    ranked_keys.truncate(depth);
    Ok((
        ranked_keys.into_iter().map(|ranked_key| (ranked_key.key, ranked_key.score)).collect(),
        is_all,
    ))
}
