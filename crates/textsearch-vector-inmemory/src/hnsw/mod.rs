//! The approximate index: HNSW, a graph of near vectors ([Malkov and Yashunin
//! 2016](https://arxiv.org/abs/1603.09320)). `docs/decisions/0014-our-own-graph.md` says why the
//! store has its own. These are the differences from the paper.
//!
//! # Structure
//!
//! The graph holds links only; the vectors stay in the chunks of the store. The links of 1,024 rows
//! form a block. A change copies the blocks it touches, and readers keep theirs. Links take about 9
//! · `connections` bytes a record.
//!
//! # Adding rows
//!
//! Rows are added in rounds of 256, in a pseudo-random order. All threads search the current graph
//! for the neighbours of the round's rows. Each row is also compared with the others of its round.
//! Then all links are set. The graph is the same for any number of threads: the level of a row
//! follows from its number.
//!
//! # Keeping every row reachable
//!
//! After each change, one pass over the links of level 0 finds the strongly connected parts. One
//! row of each part except the largest is linked in both directions with the nearest rows of the
//! largest part. If a row has no room for the new link, it passes its last link on to its new
//! neighbour, so no path is lost. If no row with room is found within 64 steps, the part stays
//! unreachable until the graph changes again; no test has seen this.
//!
//! The pass takes about 40 bytes a row while it runs; more if many blocks are small or almost
//! empty. Each unreachable part costs one walk, as much as adding a row.
//!
//! # Walks
//!
//! For distances based on dot products, walks compare 8-bit copies. All neighbours of a row are
//! compared together, so a walk waits for memory once. Links are chosen by the copies too, and
//! results scored in `f32`.
//!
//! A walk keeps eight rows on each higher level, not one, and starts the next level from all of
//! them: topics that have nothing in common give a walk no direction.
//!
//! # Lag
//!
//! Searches compare all rows that the graph does not know yet. They are added when there are 1,024
//! of them, or 1/128 of the graph if that is more. So the upsert of one record stays cheap.
//!
//! # Deletions
//!
//! Removed rows stay in the graph as paths until an eighth of it is outdated (at least 1,024 rows),
//! or other rows are added. Rows of an empty chunk have no vector left; walks treat them as
//! infinitely far. Then every row that linked to a removed one is linked to the nearest of its
//! neighbours instead, as in FreshDiskANN (Singh et al. 2021), without pruning. A graph that would
//! shrink below 1,024 rows is dropped. With constant removals, a small region may lose recall.
//!
//! # When a scan is faster
//!
//! A walk compares about 16 rows for each candidate, divided by the share of rows that the filter
//! matches. Each comparison costs twice as much as the next row of a scan. So a search of `m`
//! matching rows of `n` walks only if 32 · candidates · n < m². A walk that has compared half of
//! the matching rows, or ends with too few candidates, is abandoned for a scan. So the search costs
//! at most twice as much.
//!
//! # Data without structure
//!
//! The index looks up 64 of its own rows. If it finds less than 0.9 of their nearest rows, searches
//! scan instead. It measures again when half of the graph has changed, or `ef_search` has.
//! Snapshots store the measured recall and the number of changed rows.
//!
//! # Failures
//!
//! Writing, saving and opening succeed even if records can't be linked: a file leaves the graph
//! out, and the next write links the records. A `tracing` warning gives the reason.

mod build;
mod check;
mod collection_update;
mod components;
mod connect;
mod fields;
mod graph;
mod index_update;
mod indexes;
mod measure;
mod positions;
mod removal;
mod searchable;
mod stored;
#[cfg(test)]
pub(crate) mod tests;
mod walk;

use std::sync::Arc;

use textsearch_core::{
    Error,
    vector::{HnswParameters, VectorField},
};

pub(crate) use self::{
    collection_update::{catch_up, catch_up_here},
    fields::indexed,
    indexes::Indexes,
    searchable::Searchable,
};
use self::{
    graph::Graph,
    measure::{Measure, Query},
    positions::Positions,
    walk::{Goal, Walker},
};
use crate::{
    cached::Cached,
    rows::{Bitmap, Row},
    state::Chunk,
    vectors::{ORDINARY, norm},
};

/// Nothing is lost, so callers get no error.
pub(crate) fn warn_of_unlinked(error: &Error) {
    tracing::warn!("records could not be linked and are compared one by one: {error}");
}

/// Searches scan if the recall is below this.
const MIN_RECALL: f64 = 0.9;

/// The graph of one field. It may lag behind the records. Searches compare new and replaced rows
/// themselves: they find every new record, and none by its old vector.
#[derive(Clone)]
pub(crate) struct Index {
    parameters: HnswParameters,
    graph: Graph,
    /// The rows of each chunk whose current vectors the graph was built from.
    known: Vec<Bitmap>,
    /// Counts the changes of the graph.
    version: u64,
    recall: f64,
    measured: bool,
    /// Rows added and removed since.
    changed: usize,
    places: Cached<Positions>,
}

pub(crate) struct Lookup<'a> {
    pub(crate) query: &'a [f32],
    /// For each chunk.
    pub(crate) allowed: &'a [Bitmap],
    pub(crate) candidates: usize,
    pub(crate) max_compared: usize,
}

impl Index {
    fn new(parameters: HnswParameters) -> Self {
        Self {
            graph: Graph::new(parameters.connections as usize),
            parameters,
            known: Vec::new(),
            version: 0,
            recall: 1.0,
            measured: false,
            changed: 0,
            places: Cached::default(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.graph.len()
    }

    /// Returns the default number of candidates, or `None` if the recall is too low.
    pub(crate) fn ef_search(&self) -> Option<usize> {
        (self.is_checked() && self.recall >= MIN_RECALL)
            .then_some(self.parameters.ef_search as usize)
    }

    pub(crate) fn known(&self, chunk: usize) -> Bitmap {
        self.known.get(chunk).copied().unwrap_or_default()
    }

    fn knows(&self, row: Row) -> bool {
        self.known(row.chunk()).contains(row.offset())
    }

    fn learn(&mut self, row: Row) {
        if self.known.len() <= row.chunk() {
            self.known.resize(row.chunk() + 1, Bitmap::default());
        }
        if let Some(known) = self.known.get_mut(row.chunk()) {
            known.insert(row.offset());
        }
    }

    fn forget(&mut self, row: Row) {
        if let Some(known) = self.known.get_mut(row.chunk()) {
            known.remove(row.offset());
        }
    }

    /// Nearest first. Returns `None` if a scan would be faster.
    pub(crate) fn nearest(
        &self,
        chunks: &[Arc<Chunk>],
        place: usize,
        field: &VectorField,
        lookup: &Lookup<'_>,
    ) -> Option<Vec<Row>> {
        let query = Query { elements: lookup.query, norm: norm(lookup.query) };
        if !ORDINARY.contains(&query.norm) {
            return None;
        }
        let measure = Measure::new(chunks, place, field);
        let places = self.places.get_or_compute(|| Positions::new(&self.graph));
        let mut walker = Walker::new(&self.graph, &measure, places);
        let target = measure.target(query);
        let goal = Goal {
            target: &target,
            level: 0,
            candidates: lookup.candidates,
            max_compared: lookup.max_compared,
            allows: |row: Row| {
                lookup.allowed.get(row.chunk()).is_some_and(|rows| rows.contains(row.offset()))
            },
        };
        let from = walker.descend(&target, 0);
        let nearest = walker.nearest(&from, &goal)?;
        Some(nearest.into_iter().map(|neighbour| neighbour.row).collect())
    }
}
