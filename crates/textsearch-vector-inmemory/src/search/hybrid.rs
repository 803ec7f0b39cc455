//! Hybrid search: two rankings fused by the places in them.

use std::{collections::HashMap, sync::Arc};

use textsearch_core::{
    Result, TotalCount,
    vector::{Fusion, VectorSearchOptions},
};

use super::{Ranked, check_options, full_text, nearest::Scan, wanted};
use crate::{
    error::invalid_options,
    state::{Row, State},
    top::{Best, Hit, Ranking},
};

/// The number of records of each ranking that are fused, for the first as many results.
const DEPTH: usize = 1000;

/// The part of a hybrid search that goes by vector.
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
    check_fusion(options.fusion)?;
    Scan::new(state, vec![vector], options, |is_higher_better| deep(options, is_higher_better))
}

/// Ranks the records by how well they fit by words and by vector, of which the latter was found out.
///
/// [`Fusion`] says what their score is.
pub(super) fn rank(
    state: &State,
    by_vector: Vec<Ranked>,
    text: &str,
    options: &VectorSearchOptions,
) -> Result<Ranked> {
    let by_vector = by_vector.into_iter().next().unwrap_or_default();
    let by_words = full_text::rank(state, text, options, deep(options, true))?;
    fuse(state, [by_vector, by_words], options.fusion, wanted(options, true))
}

/// The ranking of one kind: deep enough to be fused. A threshold is one of the fused score, so it has none.
///
/// The depth is the same for all pages up to it, so that they are slices of one ranking; what lies beyond is fused
/// from whole rankings.
fn deep(options: &VectorSearchOptions, is_higher_better: bool) -> Ranking {
    let limit = if wanted(options, true).limit <= DEPTH { DEPTH } else { usize::MAX };
    Ranking { limit, is_higher_better, threshold: None, is_counted: true }
}

fn check_fusion(fusion: Fusion) -> Result<()> {
    match fusion {
        Fusion::WeightedScores { vector_weight } if !(0.0..=1.0).contains(&vector_weight) => {
            let value = format_args!("a vector weight of {vector_weight}");
            Err(invalid_options("fusion", value, "a weight from 0 to 1"))
        }
        _ => Ok(()),
    }
}

fn fuse(
    state: &State,
    [by_vector, by_words]: [Ranked; 2],
    fusion: Fusion,
    wanted: Ranking,
) -> Result<Ranked> {
    let mut scores: HashMap<Row, f64> = HashMap::new();
    let mut add = |row, points| *scores.entry(row).or_default() += points;
    match fusion {
        Fusion::ReciprocalRank { rank_constant } => {
            for ranking in [&by_vector, &by_words] {
                for (place, hit) in (1_u32..).zip(&ranking.hits) {
                    add(hit.row, 1.0 / (f64::from(rank_constant) + f64::from(place)));
                }
            }
        }
        Fusion::WeightedScores { vector_weight } => {
            for (ranking, weight) in [(&by_vector, vector_weight), (&by_words, 1.0 - vector_weight)]
            {
                let scale = Scale::of(&ranking.hits);
                for hit in &ranking.hits {
                    add(hit.row, weight * scale.apply(hit.score));
                }
            }
        }
        other => {
            let allowed = "ReciprocalRank or WeightedScores";
            return Err(invalid_options("fusion", format_args!("{other:?}"), allowed));
        }
    }
    let mut best = Best::new(wanted);
    for (row, score) in scores {
        best.offer(row, score, || Some(state.payload(row)?.key()));
    }
    // Records beyond the depth of a ranking may be missing from the count.
    let is_whole = [by_vector, by_words]
        .iter()
        .all(|ranking| ranking.count.value() == ranking.hits.len() as u64);
    let count = if is_whole { TotalCount::Exact } else { TotalCount::Estimated };
    Ok(Ranked { count: count(best.count()), hits: best.into_hits() })
}

/// The span from the worst score of a ranking to the best, whichever way round they read.
struct Scale {
    worst: f64,
    best: f64,
}

impl Scale {
    fn of(hits: &[Hit]) -> Self {
        let score = |hit: Option<&Hit>| hit.map_or(0.0, |hit| hit.score);
        Self { worst: score(hits.last()), best: score(hits.first()) }
    }

    /// 0 for the worst, 1 for the best; 1 for all where they are equal.
    fn apply(&self, score: f64) -> f64 {
        if self.best == self.worst { 1.0 } else { (score - self.worst) / (self.best - self.worst) }
    }
}
