//! The nearest vectors, by comparing with every one that the filter lets through.

use textsearch_core::{
    Result, TotalCount,
    vector::{VectorField, VectorSearchOptions},
};

use super::{Ranked, scanner::Scanner};
use crate::{
    error::invalid_options,
    matcher::Matcher,
    prepare::vector_fault,
    state::State,
    threads::Workers,
    top::{Best, Ranking},
};

/// How many rows all queries go through before the next ones: their codes stay in the fastest cache meanwhile.
const TILE: usize = 64;

/// Ranks the records by their distance from each of `queries`, which share one pass; `ranking` is made for the way
/// round in which scores read.
pub(super) fn rank(
    state: &State,
    queries: &[&[f32]],
    options: &VectorSearchOptions,
    ranking: impl FnOnce(bool) -> Ranking,
    workers: &Workers<'_>,
) -> Result<Vec<Ranked>> {
    let (place, field) = state.schema().vector(options.vector_field.as_deref())?;
    queries.iter().try_for_each(|query| check_query(query, field))?;
    let matcher = Matcher::new(options.filter.as_ref(), state.schema())?;
    let ranking = ranking(field.distance.is_higher_better());
    let parts = workers.share(state.chunks().len(), |numbers| {
        let mut scanners: Vec<Scanner<'_>> =
            queries.iter().map(|query| Scanner::new(field, query, ranking)).collect();
        let mut offsets = Vec::new();
        for number in numbers {
            let Some(chunk) = state.chunks().get(number) else { continue };
            let Some(block) = chunk.block(place) else { continue };
            matcher.select(chunk).and(block.present()).write_rows(&mut offsets);
            let tile = if queries.len() == 1 { offsets.len().max(1) } else { TILE };
            for tile in offsets.chunks(tile) {
                scanners.iter_mut().for_each(|scanner| scanner.scan(number, chunk, block, tile));
            }
        }
        scanners.into_iter().map(Scanner::into_best).collect::<Vec<_>>()
    });
    let whole = parts.into_iter().reduce(|whole, part| {
        whole.into_iter().zip(part).map(|(whole, part)| whole.merged_with(part)).collect()
    });
    let ranked =
        |best: Best<'_>| Ranked { count: TotalCount::Exact(best.count()), hits: best.into_hits() };
    Ok(whole.into_iter().flatten().map(ranked).collect())
}

fn check_query(query: &[f32], field: &VectorField) -> Result<()> {
    let Some(fault) = vector_fault(query, field) else { return Ok(()) };
    let allowed =
        format!("{} finite numbers that `{}` can be compared with", field.dimensions, field.name);
    Err(invalid_options("vector", format_args!("a vector that {fault}"), allowed))
}
