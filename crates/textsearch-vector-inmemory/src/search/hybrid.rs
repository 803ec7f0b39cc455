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
    ranked::Ranked,
    top::{Best, Ranking},
};
use crate::{error::CONNECTOR, rows::Row, state::State};

pub(super) fn scan(
    state: &Arc<State>,
    vector: Option<Arc<[f32]>>,
    options: &VectorSearchOptions,
) -> Result<Scan> {
    let vector = options.hybrid_vector(vector, CONNECTOR)?;
    let deep = deep(&Ranking::new(options, true)?);
    Scan::new(state, vec![vector], options, |higher_better| Ok(Ranking { higher_better, ..deep }))
}

/// [`Fusion`] defines the score.
pub(super) fn rank(
    state: &State,
    by_vector: Vec<Ranked>,
    text: &str,
    options: &VectorSearchOptions,
) -> Result<Ranked> {
    let by_vector = by_vector.into_iter().next().unwrap_or_default();
    let ranking = Ranking::new(options, true)?;
    let (by_words, words) = full_text::rank(state, text, options, deep(&ranking))?;
    let mut fused = fuse(state, [&by_vector, &by_words], options.fusion, ranking)?;
    if options.include_explanation {
        let window = fused.rows.iter().skip(options.skip).map(|scored| scored.row);
        let mut explanations =
            options.fusion.explain(window.clone(), scored(&by_vector), scored(&by_words));
        words.add_terms(window, &mut explanations);
        fused.explanations = explanations;
    }
    Ok(fused)
}

/// Returns a ranking deep enough to be fused. A threshold applies to the fused score only.
///
/// All pages up to the depth share the ranking, so they are slices of one. Pages beyond it are
/// fused from whole rankings.
fn deep(ranking: &Ranking) -> Ranking {
    let limit = Fusion::depth(ranking.limit).unwrap_or(usize::MAX);
    Ranking { limit, threshold: None, counted: true, ..*ranking }
}

fn fuse(
    state: &State,
    [by_vector, by_words]: [&Ranked; 2],
    fusion: Fusion,
    final_ranking: Ranking,
) -> Result<Ranked> {
    // The count may lack records beyond the depth of a ranking.
    let is_whole = [by_vector, by_words]
        .iter()
        .all(|ranking| ranking.count.value() == ranking.rows.len() as u64);
    let mut best = Best::new(final_ranking);
    for (row, score) in fusion.fuse(scored(by_vector), scored(by_words)) {
        best.offer(row, score, || state.key(row))?;
    }
    let count = if is_whole { TotalCount::Exact } else { TotalCount::Estimated };
    Ok(Ranked { count: count(best.count()), rows: best.into_rows(), ..Ranked::default() })
}

fn scored(ranking: &Ranked) -> impl Iterator<Item = (Row, f64)> {
    ranking.rows.iter().map(|scored| (scored.row, scored.score))
}
