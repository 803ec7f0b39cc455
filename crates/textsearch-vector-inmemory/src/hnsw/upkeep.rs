//! What a graph lacks, and how it is brought up to date.

use super::{Index, build::Builder, check, graph::Graph, measure::Measure};
use crate::{bitmap::Bitmap, distance::ORDINARY, state::Row};

/// Fewer rows than this are compared with one by one, and no graph is made of them.
const LEAST: usize = 1024;

impl Index {
    /// Whether the graph that one builds would be that of the other.
    pub(super) fn is_built_like(&self, other: &Self) -> bool {
        let (one, other) = (&self.parameters, &other.parameters);
        (one.connections, one.ef_construction) == (other.connections, other.ef_construction)
    }

    /// Whether so much is missing or outdated that the graph should be brought up to date.
    pub(super) fn is_behind(&self, measure: &Measure<'_>) -> bool {
        let nodes = self.graph.len();
        let most_missing = (nodes / 128).max(LEAST);
        let most_outdated = if nodes < LEAST { 1 } else { (nodes / 8).max(LEAST) };
        self.outdated().1 >= most_outdated || self.missing(measure).len() >= most_missing
    }

    /// The index with at most `most` more rows, and without those that are outdated, and the rows that it knows anew.
    pub(super) fn brought_up(
        &self,
        measure: &Measure<'_>,
        most: usize,
        is_cancelled: impl Fn() -> bool,
    ) -> (Self, Vec<Row>) {
        let mut graph = self.graph.clone();
        let (outdated, count) = self.outdated();
        if count == graph.len() {
            // Nothing is left of it: give the memory back.
            graph = Graph::new(self.parameters.connections as usize);
        } else if count > 0 {
            self.builder(&mut graph, measure).remove(&outdated);
        }
        let mut added = self.missing(measure);
        added.truncate(most);
        let count = self.builder(&mut graph, measure).insert(&added, is_cancelled);
        added.truncate(count);
        let mut index = Self { graph, version: self.version + 1, ..self.clone() };
        index.check(measure);
        (index, added)
    }

    /// Takes the graph of `newer`, which was made of this very index, and knows `rows` of it.
    pub(super) fn follow(&self, newer: Self, rows: impl Iterator<Item = Row>) -> Option<Self> {
        if newer.version != self.version + 1 {
            return None;
        }
        let mut followed = Self { known: self.known.clone(), ..newer };
        rows.for_each(|row| followed.learn(row));
        Some(followed)
    }

    pub(super) fn builder<'a>(
        &self,
        graph: &'a mut Graph,
        measure: &'a Measure<'a>,
    ) -> Builder<'a> {
        let (connections, candidates) =
            (self.parameters.connections as usize, self.parameters.ef_construction as usize);
        Builder { graph, measure, connections, candidates: candidates.max(connections) }
    }

    /// Measures how much the graph finds, where it has grown by half since that was done.
    fn check(&mut self, measure: &Measure<'_>) {
        let nodes = self.graph.len();
        if nodes >= self.checked_at + self.checked_at / 2 {
            self.recall = check::recall(&self.graph, measure, self.parameters.ef_search as usize);
            self.checked_at = nodes;
        }
    }

    /// The rows that a graph can hold and that this one does not know.
    fn missing(&self, measure: &Measure<'_>) -> Vec<Row> {
        let blocks = measure.blocks().iter().enumerate();
        let missing = blocks.flat_map(|(chunk, block)| {
            let present = block.map(|block| block.present()).unwrap_or_default();
            let rows = present.and(self.known(chunk).not());
            rows.rows().map(move |offset| Row::new(chunk, offset.into()))
        });
        // Rows that vanish or overflow in `f32` would lead walks astray.
        missing.filter(|row| ORDINARY.contains(&measure.row(*row).norm)).collect()
    }

    /// The rows of the graph whose vectors are others by now, for each chunk, and how many they are.
    pub(super) fn outdated(&self) -> (Vec<Bitmap>, usize) {
        let chunks = 0..self.graph.chunks();
        let outdated: Vec<_> =
            chunks.map(|chunk| self.graph.nodes(chunk).and(self.known(chunk).not())).collect();
        let count = outdated.iter().map(|rows| rows.len()).sum();
        (outdated, count)
    }
}
