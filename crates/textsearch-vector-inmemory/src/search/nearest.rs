//! The nearest vectors, by comparing with every one that the filter lets through.

use textsearch_core::{
    Result, TotalCount,
    vector::{VectorField, VectorSearchOptions},
};

use super::{Ranked, scanner::Scanner};
use crate::{
    error::invalid_options, matcher::Matcher, prepare::vector_fault, state::State, top::Ranking,
};

/// Ranks the records by their distance from `query`; `ranking` is made for the way round in which scores read.
pub(super) fn rank(
    state: &State,
    query: &[f32],
    options: &VectorSearchOptions,
    ranking: impl FnOnce(bool) -> Ranking,
) -> Result<Ranked> {
    let (place, field) = state.schema().vector(options.vector_field.as_deref())?;
    check_query(query, field)?;
    let matcher = Matcher::new(options.filter.as_ref(), state.schema())?;
    let ranking = ranking(field.distance.is_higher_better());
    let mut scanner = Scanner::new(field, query, ranking);
    let mut offsets = Vec::new();
    for (number, chunk) in state.chunks().iter().enumerate() {
        let Some(block) = chunk.block(place) else { continue };
        matcher.select(chunk).and(block.present()).write_rows(&mut offsets);
        scanner.scan(number, chunk, block, &offsets);
    }
    let best = scanner.into_best();
    Ok(Ranked { count: TotalCount::Exact(best.count()), hits: best.into_hits() })
}

fn check_query(query: &[f32], field: &VectorField) -> Result<()> {
    let Some(fault) = vector_fault(query, field) else { return Ok(()) };
    let allowed =
        format!("{} finite numbers that `{}` can be compared with", field.dimensions, field.name);
    Err(invalid_options("vector", format_args!("a vector that {fault}"), allowed))
}
