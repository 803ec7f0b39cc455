//! Finds the rows that a graph lacks or should drop, and updates it.

use textsearch_core::vector::HnswParameters;

use super::{Index, build::Builder, check, graph::Graph, measure::Measure};
use crate::{
    rows::{Bitmap, Row},
    vectors::ORDINARY,
};

/// With fewer rows than this, searches compare all of them.
const MIN_NODES: usize = 1024;

impl Index {
    pub(super) fn is_built_like(&self, other: &Self) -> bool {
        let own = &self.parameters;
        let other = &other.parameters;
        (own.connections, own.ef_construction) == (other.connections, other.ef_construction)
    }

    pub(super) fn under(&self, parameters: HnswParameters) -> Self {
        let is_as_wide = parameters.ef_search == self.parameters.ef_search;
        Self { parameters, measured: self.measured && is_as_wide, ..self.clone() }
    }

    pub(super) fn is_checked(&self) -> bool {
        self.measured || self.graph.len() == 0
    }

    pub(super) fn is_behind(&self, measure: &Measure<'_>) -> bool {
        let nodes = self.graph.len();
        let max_missing = (nodes / 128).max(MIN_NODES);
        let max_outdated = if nodes < MIN_NODES { 1 } else { (nodes / 8).max(MIN_NODES) };
        !self.is_checked()
            || self.outdated().1 >= max_outdated
            || self.missing(measure).len() >= max_missing
    }

    /// Removes outdated rows and adds up to `max`. Returns the added rows too.
    pub(super) fn brought_up(
        &self,
        measure: &Measure<'_>,
        max: usize,
        is_cancelled: impl Fn() -> bool,
    ) -> (Self, Vec<Row>) {
        let mut graph = self.graph.clone();
        let (outdated, removed) = self.outdated();
        let mut added = self.missing(measure);
        let kept = graph.len() - removed;
        if kept + added.len() < MIN_NODES {
            added.clear();
        }
        if kept + added.len() < MIN_NODES || kept == 0 {
            graph = Graph::new(self.parameters.connections as usize);
        } else if removed > 0 {
            self.builder(&mut graph, measure).remove(&outdated);
        }
        added.sort_unstable_by_key(|row| disorder(*row));
        added.truncate(max);
        let mut builder = self.builder(&mut graph, measure);
        let count = builder.insert(&added, is_cancelled);
        builder.connect();
        added.truncate(count);
        let changed = self.changed + removed + count;
        let mut index = Self { graph, version: self.version + 1, changed, ..self.clone() };
        index.check(measure);
        (index, added)
    }

    /// `newer` was built from this index, and knows `rows` of it.
    pub(super) fn follow(&self, newer: Self, rows: impl Iterator<Item = Row>) -> Option<Self> {
        if newer.version != self.version + 1 {
            return None;
        }
        let chunks = (0..).zip(&self.known);
        let known = chunks.map(|(chunk, known)| known.and(newer.graph.nodes(chunk))).collect();
        let mut followed = Self { known, ..newer };
        rows.for_each(|row| followed.learn(row));
        Some(followed)
    }

    pub(super) fn builder<'a>(
        &self,
        graph: &'a mut Graph,
        measure: &'a Measure<'a>,
    ) -> Builder<'a> {
        let connections = self.parameters.connections as usize;
        let candidates = self.parameters.ef_construction as usize;
        Builder { graph, measure, connections, candidates: candidates.max(connections) }
    }

    fn check(&mut self, measure: &Measure<'_>) {
        if !self.measured || self.has_changed() {
            self.recall = check::recall(&self.graph, measure, self.parameters.ef_search as usize);
            (self.measured, self.changed) = (true, 0);
        }
    }

    pub(super) fn has_changed(&self) -> bool {
        self.changed.saturating_mul(2) >= self.graph.len()
    }

    fn missing(&self, measure: &Measure<'_>) -> Vec<Row> {
        let blocks = measure.blocks().iter().enumerate();
        let missing = blocks.flat_map(|(chunk, block)| {
            let present = block.map(|block| block.present()).unwrap_or_default();
            let rows = present.and(self.known(chunk).not());
            rows.rows().map(move |offset| Row::new(chunk, offset.into()))
        });
        // Vectors that underflow or overflow in `f32` would mislead walks.
        missing.filter(|row| ORDINARY.contains(&measure.row(*row).norm)).collect()
    }

    /// Returns a set for each chunk, and the total number.
    pub(super) fn outdated(&self) -> (Vec<Bitmap>, usize) {
        let chunks = 0..self.graph.chunks();
        let outdated: Vec<_> =
            chunks.map(|chunk| self.graph.nodes(chunk).and(self.known(chunk).not())).collect();
        let count = outdated.iter().map(|rows| rows.len()).sum();
        (outdated, count)
    }
}

/// Sorts rows in a pseudo-random order. Records often arrive topic by topic. Linked in that order,
/// the first rows of a topic would not know the later ones, the last would know hardly another
/// topic, and each round would hold one topic.
fn disorder(row: Row) -> u32 {
    // Multiply by the golden ratio: no two rows get the same key, and neighbours are far apart.
    row.0.wrapping_mul(0x9E37_79B9)
}

#[cfg(test)]
mod tests {
    use textsearch_core::vector::Distance;

    use super::*;
    use crate::hnsw::tests::{Collection, topic};

    #[test]
    fn too_small_graph_is_dropped_and_not_rebuilt() {
        let collection = Collection::new(Distance::Euclidean);
        collection.store(topic(0, MIN_NODES + 1));
        assert_eq!(collection.index().len(), MIN_NODES + 1);
        collection.delete(0..MIN_NODES - 10);
        let index = collection.index();
        assert_eq!((index.len(), index.outdated().1), (MIN_NODES + 1, MIN_NODES - 10));
        collection.delete(MIN_NODES - 10..MIN_NODES);
        let index = collection.index();
        assert_eq!((index.len(), index.known(0), index.known(1)), Default::default());
        let version = index.version;
        collection.delete(MIN_NODES..MIN_NODES + 1);
        assert_eq!(collection.index().version, version);
    }
}
