//! The nearest vectors, by comparing with every one that the filter lets through.

use textsearch_core::{Result, TotalCount, vector::VectorSearchOptions};

use super::Ranked;
use crate::{
    distance::Comparer,
    error::invalid_options,
    matcher::Matcher,
    prepare::vector_fault,
    state::{Row, State},
    top::{Best, Ranking},
};

/// Ranks the records by their distance from `query`; `ranking` is made for the way round in which scores read.
pub(super) fn rank(
    state: &State,
    query: &[f32],
    options: &VectorSearchOptions,
    ranking: impl FnOnce(bool) -> Ranking,
) -> Result<Ranked> {
    let (place, field) = state.schema().vector(options.vector_field.as_deref())?;
    if let Some(fault) = vector_fault(query, field) {
        let allowed = format!(
            "{} finite numbers that `{}` can be compared with",
            field.dimensions, field.name
        );
        return Err(invalid_options("vector", format_args!("a vector that {fault}"), allowed));
    }
    let mut matcher = Matcher::new(options.filter.as_ref(), state.schema())?;
    let mut comparer = Comparer::new(field.distance, query);
    let mut best = Best::new(ranking(field.distance.is_higher_better()));
    let mut offsets = Vec::new();
    for (number, chunk) in state.chunks().iter().enumerate() {
        let Some(block) = chunk.block(place) else { continue };
        offsets.clear();
        offsets.extend(block.offsets().filter(|offset| matcher.matches(chunk, *offset)));
        for (offset, score) in offsets.iter().zip(comparer.scores(block, &offsets)) {
            best.offer(Row::new(number, *offset), score, || Some(chunk.payload(*offset)?.key()));
        }
    }
    Ok(Ranked { count: TotalCount::Exact(best.count()), hits: best.into_hits() })
}
