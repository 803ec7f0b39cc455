//! Consecutive numbers for the rows of a graph. Row numbers have gaps: each chunk reserves 1,024 of
//! them, but may use only a few.

use super::graph::Graph;
use crate::rows::Row;

pub(super) struct Positions {
    /// The position of the first row of each chunk.
    starts: Vec<usize>,
    count: usize,
}

impl Positions {
    pub(super) fn new(graph: &Graph) -> Self {
        let mut count = 0;
        let mut starts = Vec::with_capacity(graph.chunks());
        for chunk in 0..graph.chunks() {
            starts.push(count);
            count += graph.reach(chunk);
        }
        Self { starts, count }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    #[inline]
    pub(super) fn of_row(&self, row: Row) -> Option<usize> {
        Some(self.starts.get(row.chunk())? + row.offset())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_chunks_take_few_places() {
        let mut graph = Graph::new(2);
        for chunk in 0..100 {
            graph.insert(Row::new(chunk, 0), 0);
        }
        graph.insert(Row::new(7, 2), 0);
        let positions = Positions::new(&graph);
        assert_eq!(positions.count(), 103);
        let mut places: Vec<usize> = graph.rows().flat_map(|row| positions.of_row(row)).collect();
        assert_eq!(places.len(), 101);
        places.dedup();
        assert_eq!(places.len(), 101);
    }
}
