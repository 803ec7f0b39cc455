//! The rows that a search may find.

use super::Index;
use crate::rows::Bitmap;

/// The rows that a search may find, split by whether the graph knows them.
pub(crate) struct Searchable {
    /// The rows that the graph knows, for each chunk.
    known: Vec<Bitmap>,
    known_count: usize,
    /// The rows that the graph does not know, with chunk numbers. Chunks without such rows are left
    /// out.
    unknown: Vec<(usize, Bitmap)>,
    count: usize,
}

impl Searchable {
    /// Splits the rows `selected` for each chunk by whether the graph of `index` knows them.
    pub(crate) fn new(index: &Index, selected: impl Iterator<Item = Bitmap>) -> Self {
        let (mut known, mut unknown) = (Vec::with_capacity(selected.size_hint().0), Vec::new());
        let (mut known_count, mut count) = (0, 0);
        for (number, rows) in selected.enumerate() {
            let of_graph = rows.and(index.known(number));
            let others = rows.and(of_graph.not());
            if !others.is_empty() {
                unknown.push((number, others));
            }
            known_count += of_graph.len();
            count += rows.len();
            known.push(of_graph);
        }
        Self { known, known_count, unknown, count }
    }

    /// Returns the rows that the graph knows, for each chunk.
    pub(crate) fn known(&self) -> &[Bitmap] {
        &self.known
    }

    /// Returns how many rows the graph knows.
    pub(crate) fn known_count(&self) -> usize {
        self.known_count
    }

    /// Returns the rows that the graph does not know, with chunk numbers.
    pub(crate) fn unknown(&self) -> &[(usize, Bitmap)] {
        &self.unknown
    }

    /// Returns the number of rows.
    pub(crate) fn count(&self) -> usize {
        self.count
    }
}
