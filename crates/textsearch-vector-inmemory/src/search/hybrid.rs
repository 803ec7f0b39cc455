//! Hybrid search: two rankings fused by the places in them.

use std::{collections::HashMap, sync::Arc};

use textsearch_core::{
    Result, SearchResults, TotalCount,
    vector::{Scored, StoredRecord, VectorSearchOptions},
};

use super::{Ranked, check_options, full_text, nearest, results, wanted};
use crate::{
    error::invalid_options,
    state::{Row, State},
    top::{Best, Hit, Ranking},
};

/// The least number of records of each ranking that are fused.
const LEAST_DEPTH: usize = 1000;

/// How many times the wanted number of records are fused, where that is more.
const DEPTH_FACTOR: usize = 10;

/// The records that fit best by words and by vector.
///
/// A record's score is the sum of `1 / (k + place)` over the rankings that hold it, whose places begin at 1.
pub(crate) fn hybrid(
    state: &Arc<State>,
    text: &str,
    vector: Option<&[f32]>,
    options: &VectorSearchOptions,
) -> Result<SearchResults<Scored<StoredRecord>>> {
    let Some(vector) = vector else {
        let allowed = "a vector to search with, or a store with an embedding generator, \
                       see `VectorStoreExt::with_embedding_generator`";
        return Err(invalid_options("vector", "not given", allowed));
    };
    check_options(options)?;
    let wanted = wanted(options, true);
    let limit = wanted.limit.saturating_mul(DEPTH_FACTOR).max(LEAST_DEPTH);
    // A threshold is one of the fused score, so the two rankings have none.
    let deep = |is_higher_better| Ranking { limit, is_higher_better, threshold: None };
    let by_vector = nearest::rank(state, vector, options, deep)?;
    let by_words = full_text::rank(state, text, options, deep(true))?;
    let ranked = fuse(state, &[by_vector, by_words], options.rank_constant, wanted);
    Ok(results(state, ranked, options))
}

fn fuse(state: &State, rankings: &[Ranked], constant: u32, wanted: Ranking) -> Ranked {
    let mut scores: HashMap<Row, f64> = HashMap::new();
    for ranking in rankings {
        for (place, Hit { row, .. }) in (1_u32..).zip(&ranking.hits) {
            *scores.entry(*row).or_default() += 1.0 / (f64::from(constant) + f64::from(place));
        }
    }
    let mut best = Best::new(wanted);
    for (row, score) in scores {
        best.offer(row, score, || Some(state.payload(row)?.key()));
    }
    // Records beyond the depth of a ranking may be missing from the count.
    let is_whole =
        rankings.iter().all(|ranking| ranking.count.value() == ranking.hits.len() as u64);
    let count = if is_whole { TotalCount::Exact } else { TotalCount::Estimated };
    Ranked { count: count(best.count()), hits: best.into_hits() }
}
