//! Searches of one state: the rankings, and the results that are made of them.

mod full_text;
mod hybrid;
mod nearest;
mod order;
mod scan;
mod scanner;

use std::sync::Arc;

use futures_util::stream;
use textsearch_core::{
    Result, SearchResults, TotalCount,
    vector::{Scored, SearchInput, StoredRecord, VectorSearchOptions},
};

pub(crate) use self::{hybrid::hybrid, scan::scan};
use crate::{
    error::invalid_options,
    state::State,
    top::{Hit, Ranking},
};

/// A ranking of records: the best of them, and the number of all.
struct Ranked {
    hits: Vec<Hit>,
    count: TotalCount,
}

/// The records that fit `input` best: by vector, or by full text, since a plain collection has no embedding generator.
pub(crate) fn by_input(
    state: &Arc<State>,
    input: &SearchInput,
    options: &VectorSearchOptions,
) -> Result<SearchResults<Scored<StoredRecord>>> {
    match input {
        SearchInput::Vector(vector) => {
            check_options(options)?;
            let ranked = nearest::rank(state, vector, options, |is_higher_better| {
                wanted(options, is_higher_better)
            })?;
            Ok(results(state, ranked, options))
        }
        SearchInput::Text(text) => by_text(state, text, options),
        other => Err(invalid_options("input", format_args!("{other:?}"), "a vector or a text")),
    }
}

/// The records whose full-text fields fit the words of `text` best.
pub(crate) fn by_text(
    state: &Arc<State>,
    text: &str,
    options: &VectorSearchOptions,
) -> Result<SearchResults<Scored<StoredRecord>>> {
    check_options(options)?;
    let ranked = full_text::rank(state, text, options, wanted(options, true))?;
    Ok(results(state, ranked, options))
}

fn check_options(options: &VectorSearchOptions) -> Result<()> {
    match options.score_threshold {
        Some(threshold) if threshold.is_nan() => {
            Err(invalid_options("score_threshold", "not a number", "a number"))
        }
        _ => Ok(()),
    }
}

/// The ranking that `options` ask for.
fn wanted(options: &VectorSearchOptions, is_higher_better: bool) -> Ranking {
    let limit = options.skip.saturating_add(options.top);
    Ranking {
        limit,
        is_higher_better,
        threshold: options.score_threshold,
        is_counted: options.include_total_count,
    }
}

/// The results after those to skip; each record is copied out when it is read.
fn results(
    state: &Arc<State>,
    ranked: Ranked,
    options: &VectorSearchOptions,
) -> SearchResults<Scored<StoredRecord>> {
    let (state, with_vectors) = (Arc::clone(state), options.include_vectors);
    let record = move |hit: Hit| {
        let definition = Arc::clone(state.schema().definition());
        Ok(Scored::new(state.record(hit.row, with_vectors)?, hit.score, definition))
    };
    let hits = ranked.hits.into_iter().skip(options.skip);
    let results = SearchResults::from_stream(stream::iter(hits.map(record)));
    if options.include_total_count { results.with_total_count(ranked.count) } else { results }
}
