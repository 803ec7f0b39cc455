//! Numbers for the rows of a graph, one after another.

use super::graph::Graph;
use crate::rows::Row;

/// Where each row of a graph is in a list of them all.
///
/// Their numbers in the collection have gaps: each chunk has a thousand, of which there may be but the first.
pub(super) struct Places {
    /// Where each chunk begins.
    starts: Vec<usize>,
    count: usize,
}

impl Places {
    pub(super) fn of(graph: &Graph) -> Self {
        let mut count = 0;
        let mut starts = Vec::with_capacity(graph.chunks());
        for chunk in 0..graph.chunks() {
            starts.push(count);
            count += graph.reach(chunk);
        }
        Self { starts, count }
    }

    /// How many there are at most.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// That of a row that is in the graph.
    #[inline]
    pub(super) fn of_row(&self, row: Row) -> Option<usize> {
        Some(self.starts.get(row.chunk())? + row.offset())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_that_reach_little_take_few_places() {
        let mut graph = Graph::new(2);
        for chunk in 0..100 {
            graph.insert(Row::new(chunk, 0), 0);
        }
        graph.insert(Row::new(7, 2), 0);
        let places = Places::of(&graph);
        assert_eq!(places.count(), 103);
        let mut found: Vec<usize> = graph.rows().flat_map(|row| places.of_row(row)).collect();
        assert_eq!(found.len(), 101);
        found.dedup();
        assert_eq!(found.len(), 101);
    }
}
