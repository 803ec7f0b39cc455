//! The approximate index: a graph of near vectors, as Malkov and Yashunin describe it in
//! [2016](https://arxiv.org/abs/1603.09320).
//!
//! `docs/decisions/0014-our-own-graph.md` says why it is made here.

mod build;
mod catch_up;
mod check;
mod connect;
#[cfg(test)]
mod fixture;
mod graph;
mod indexes;
mod measure;
mod parts;
mod places;
mod removal;
mod searchable;
mod stored;
mod upkeep;
mod walk;

use std::sync::Arc;

use textsearch_core::{
    Error,
    vector::{HnswParameters, VectorField},
};

#[cfg(test)]
pub(crate) use self::catch_up::catch_up_by;
pub(crate) use self::{
    catch_up::{catch_up, catch_up_here},
    indexes::{Indexes, indexed},
    searchable::Searchable,
};
use self::{
    graph::Graph,
    measure::{Measure, Query},
    places::Places,
    walk::{Goal, Walker},
};
use crate::{
    cached::Cached,
    chunk::Chunk,
    rows::{Bitmap, Row},
    vectors::{ORDINARY, norm},
};

/// Says why records are not linked, to whom it may concern: who stored, opened or saved them has nothing to do again.
pub(crate) fn warn_of_unlinked(error: &Error) {
    tracing::warn!("records are compared one by one, since they could not be linked: {error}");
}

/// The part of the nearest that a graph has to find, or else every row is compared with.
const ENOUGH: f64 = 0.9;

/// The graph of one field, which may lag behind the records.
///
/// Rows that it does not know yet, or that were replaced since, are compared with one by one; so none is ever missed for
/// being new, and none is found by a vector that it no longer has.
#[derive(Clone)]
pub(crate) struct Index {
    parameters: HnswParameters,
    graph: Graph,
    /// The rows whose vectors are those that the graph was made of, for each chunk.
    known: Vec<Bitmap>,
    /// Counts the changes of the graph.
    version: u64,
    /// The part of the nearest that it finds, as far as that was measured.
    recall: f64,
    is_measured: bool,
    /// How many rows were added and removed since.
    changed: usize,
    /// Those of the rows of the graph.
    places: Cached<Places>,
}

/// What a search looks for in the graph.
pub(crate) struct Lookup<'a> {
    pub(crate) query: &'a [f32],
    /// The rows that may be found, for each chunk.
    pub(crate) allowed: &'a [Bitmap],
    pub(crate) candidates: usize,
    /// After so many comparisons it is given up.
    pub(crate) most_compared: usize,
}

impl Index {
    fn new(parameters: HnswParameters) -> Self {
        Self {
            graph: Graph::new(parameters.connections as usize),
            parameters,
            known: Vec::new(),
            version: 0,
            recall: 1.0,
            is_measured: false,
            changed: 0,
            places: Cached::default(),
        }
    }

    /// The number of rows in the graph.
    pub(crate) fn len(&self) -> usize {
        self.graph.len()
    }

    /// How many candidates a search looks at that does not say itself; `None` where no such walk finds enough.
    pub(crate) fn ef_search(&self) -> Option<usize> {
        (self.is_checked() && self.recall >= ENOUGH).then_some(self.parameters.ef_search as usize)
    }

    /// The rows of a chunk that the graph finds.
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

    /// The rows near a query, the nearest first; `None` where that would take longer than to compare with every row.
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
        let places = self.places.get_or_compute(|| Places::of(&self.graph));
        let mut walker = Walker::new(&self.graph, &measure, places);
        let target = measure.target(query);
        let goal = Goal {
            target: &target,
            level: 0,
            candidates: lookup.candidates,
            most_compared: lookup.most_compared,
            allows: |row: Row| {
                lookup.allowed.get(row.chunk()).is_some_and(|rows| rows.contains(row.offset()))
            },
        };
        let from = walker.descend(&target, 0)?;
        let found = walker.nearest(from, &goal)?;
        Some(found.into_iter().map(|found| found.row).collect())
    }
}
