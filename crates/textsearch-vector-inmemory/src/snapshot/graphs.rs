//! Stores the graphs of approximate indexes in sections after the records that they link.

use std::collections::BTreeSet;

use textsearch_core::vector::IndexKind;

use super::{
    budget::Budget,
    bytes::Bytes,
    fault::{Fault, Result},
};
use crate::{
    hnsw::{indexed, warn_of_unlinked},
    state::State,
    threads::Threads,
};

/// The bytes of a record's links on level 0, for each of its connections.
const LINK: usize = 8;

pub(super) fn bodies(state: &State, threads: &Threads) -> impl Iterator<Item = Vec<u8>> {
    let rows: Vec<_> = state.rows_by_chunk().flatten().collect();
    let graphs = indexed(state).filter(|(_, index, _)| index.len() > 0);
    graphs.filter_map(move |(place, index, measure)| {
        let name = &state.schema().definition().vectors.get(place)?.name;
        let mut body = (name.len() as u64).to_le_bytes().to_vec();
        body.extend_from_slice(name.as_bytes());
        // If a graph fails, save the records without it. It is rebuilt when the file is opened.
        let graph = index.to_bytes(&rows, &measure, threads);
        let graph = graph.inspect_err(warn_of_unlinked).ok()?;
        Some([body, graph].concat())
    })
}

/// Adds the index of the graph's field to `read`. Skips an invalid graph, which is then rebuilt.
pub(super) fn read(
    body: &[u8],
    state: &mut State,
    read: &mut BTreeSet<usize>,
    budget: &Budget,
) -> Result<()> {
    let mut body = Bytes(body);
    let length = usize::try_from(body.u64()?).unwrap_or(usize::MAX);
    let name = body.take(length)?;
    let fields = &state.schema().definition().vectors;
    let place = fields.iter().position(|field| field.name.as_bytes() == name);
    let place = place.ok_or(Fault::Damaged("a graph is of an unknown field"))?;
    if !read.insert(place) {
        return Err(Fault::Damaged("a field has two graphs"));
    }
    if let Some(IndexKind::Hnsw(graph)) = fields.get(place).map(|field| &field.index) {
        let room = state.len().next_power_of_two().saturating_mul(graph.connections as usize);
        budget.take(room.saturating_mul(LINK))?;
    }
    let mut graphs = indexed(state).filter(|(other, ..)| *other == place);
    let index = graphs.find_map(|(_, index, measure)| {
        let graph = index.stored(body.0, state.len())?;
        let rows: Vec<_> = state.rows_by_chunk().flatten().collect();
        index.with_graph(graph, &rows, &measure)
    });
    drop(graphs);
    if let Some(index) = index {
        state.indexes_mut().set(place, index);
    }
    Ok(())
}
