//! Which rows a search may find.

use super::Index;
use crate::rows::Bitmap;

/// The rows that a search may find, apart by whether a graph knows them.
pub(crate) struct Searchable {
    /// Those that it knows, for each chunk.
    known: Vec<Bitmap>,
    known_count: usize,
    /// Those that it does not know, with the numbers of their chunks, where there are any.
    unknown: Vec<(usize, Bitmap)>,
    count: usize,
}

impl Searchable {
    /// The rows `selected` for each chunk, apart by whether the graph of `index` knows them.
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

    /// The rows that the graph knows, for each chunk.
    pub(crate) fn known(&self) -> &[Bitmap] {
        &self.known
    }

    /// How many rows the graph knows.
    pub(crate) fn known_count(&self) -> usize {
        self.known_count
    }

    /// The rows that the graph does not know, with the numbers of their chunks, where there are any.
    pub(crate) fn unknown(&self) -> &[(usize, Bitmap)] {
        &self.unknown
    }

    /// The number of rows.
    pub(crate) fn count(&self) -> usize {
        self.count
    }
}
