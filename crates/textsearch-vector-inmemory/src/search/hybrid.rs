//! Hybrid search: fuses two rankings.

use std::sync::Arc;

use textsearch_core::{
    Result,
    results::TotalCount,
    vector::{Fusion, VectorSearchOptions},
};

use super::{
    full_text,
    nearest::Scan,
    options::{check_options, wanted},
    ranked::Ranked,
    top::{Best, Ranking},
};
use crate::{
    error::{CONNECTOR, invalid_options},
    state::State,
};

pub(super) fn scan(
    state: &Arc<State>,
    vector: Option<Arc<[f32]>>,
    options: &VectorSearchOptions,
) -> Result<Scan> {
    let Some(vector) = vector else {
        let allowed = "a vector to search with, or a store with an embedding generator, \
                       see `VectorStoreExt::with_embedding_generator`";
        return Err(invalid_options("vector", "not given", allowed));
    };
    check_options(options)?;
    options.fusion.check(CONNECTOR)?;
    Scan::new(state, vec![vector], options, |higher_better| deep(options, higher_better))
}

/// [`Fusion`] defines the score.
pub(super) fn rank(
    state: &State,
    by_vector: Vec<Ranked>,
    text: &str,
    options: &VectorSearchOptions,
) -> Result<Ranked> {
    let by_vector = by_vector.into_iter().next().unwrap_or_default();
    let by_words = full_text::rank(state, text, options, deep(options, true))?;
    Ok(fuse(state, [by_vector, by_words], options.fusion, wanted(options, true)))
}

/// Returns a ranking deep enough to be fused. A threshold applies to the fused score only.
///
/// All pages up to the depth share the ranking, so they are slices of one. Pages beyond it are
/// fused from whole rankings.
fn deep(options: &VectorSearchOptions, higher_better: bool) -> Ranking {
    let limit = Fusion::depth(wanted(options, true).limit).unwrap_or(usize::MAX);
    Ranking { limit, higher_better, threshold: None, counted: true }
}

fn fuse(
    state: &State,
    [by_vector, by_words]: [Ranked; 2],
    fusion: Fusion,
    wanted: Ranking,
) -> Ranked {
    // The count may lack records beyond the depth of a ranking.
    let is_whole = [&by_vector, &by_words]
        .iter()
        .all(|ranking| ranking.count.value() == ranking.hits.len() as u64);
    let scored = |ranking: Ranked| ranking.hits.into_iter().map(|hit| (hit.row, hit.score));
    let mut best = Best::new(wanted);
    for (row, score) in fusion.fuse(scored(by_vector), scored(by_words)) {
        best.offer(row, score, || Some(state.payload(row)?.key()));
    }
    let count = if is_whole { TotalCount::Exact } else { TotalCount::Estimated };
    Ranked { count: count(best.count()), hits: best.into_hits() }
}
