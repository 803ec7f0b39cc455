//! The rows that a search may find.

use super::Index;
use crate::rows::Bitmap;

pub(crate) struct Searchable {
    /// For each chunk.
    known: Vec<Bitmap>,
    known_count: usize,
    /// With chunk numbers. Chunks without such rows are left out.
    unknown: Vec<(usize, Bitmap)>,
    count: usize,
}

impl Searchable {
    pub(crate) fn new(index: &Index, selected: impl Iterator<Item = Bitmap>) -> Self {
        let mut known = Vec::with_capacity(selected.size_hint().0);
        let mut unknown = Vec::new();
        let mut known_count = 0;
        let mut count = 0;
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

    pub(crate) fn known(&self) -> &[Bitmap] {
        &self.known
    }

    pub(crate) fn known_count(&self) -> usize {
        self.known_count
    }

    pub(crate) fn unknown(&self) -> &[(usize, Bitmap)] {
        &self.unknown
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }
}
