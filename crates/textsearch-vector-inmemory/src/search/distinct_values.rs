//! The distinct values of a field.

use textsearch_core::{
    Filter, Result,
    vector::{DistinctValue, ValueCounter},
};

use crate::{
    error::CONNECTOR,
    state::{Matcher, State},
};

pub(crate) fn distinct_values(
    state: &State,
    field: &str,
    filter: Option<&Filter>,
    limit: usize,
) -> Result<Vec<DistinctValue>> {
    let definition = state.schema().definition();
    let kind = definition.check_distinct_values(field, filter, CONNECTOR)?.kind;
    let mut counter = ValueCounter::new(kind);
    for row in state.matching(&Matcher::new(filter, state.schema())?)? {
        let values = state.values(row, &[field])?;
        values.iter().flatten().for_each(|value| counter.add(value));
    }
    Ok(counter.most_frequent(limit))
}
