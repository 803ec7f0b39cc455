//! The fields of a collection that have an approximate index.

use std::sync::Arc;

use super::{Index, measure::Measure};
use crate::state::State;

pub(crate) fn indexed(state: &State) -> impl Iterator<Item = (usize, &Arc<Index>, Measure<'_>)> {
    let fields = state.schema().definition().vectors.iter().enumerate();
    fields.filter_map(|(place, field)| {
        let index = state.indexes().get(place)?;
        Some((place, index, Measure::new(state.chunks(), place, field)))
    })
}
