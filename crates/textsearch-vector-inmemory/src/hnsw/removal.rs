//! Removes rows from a graph.

use rayon::prelude::*;

use super::build::Builder;
use crate::rows::{Bitmap, Row};

impl Builder<'_> {
    /// Replaces each link to a removed row by a link to the nearest of its neighbours.
    /// `removed` has a set for each chunk.
    pub(super) fn remove(&mut self, removed: &[Bitmap]) {
        let is_removed =
            |row: Row| removed.get(row.chunk()).is_some_and(|rows| rows.contains(row.offset()));
        let rows: Vec<Row> = self.graph.rows().filter(|row| !is_removed(*row)).collect();
        let mended: Vec<_> =
            rows.par_iter().flat_map_iter(|row| self.mend(*row, &is_removed)).collect();
        for (row, level, links) in mended {
            self.graph.set_links(row, level, links.into_iter());
        }
        let removed: Vec<Row> = self.graph.rows().filter(|row| is_removed(*row)).collect();
        self.graph.remove(removed.into_iter());
        self.connect();
    }

    fn mend(&self, row: Row, is_removed: &impl Fn(Row) -> bool) -> Vec<(Row, usize, Vec<Row>)> {
        let levels = 0..=self.graph.level(row).unwrap_or_default();
        let torn = levels
            .filter(|level| self.graph.links(row, *level).iter().any(|link| is_removed(*link)));
        torn.map(|level| {
            let old = self.graph.links(row, level);
            let mut links: Vec<Row> =
                old.iter().copied().filter(|link| !is_removed(*link)).collect();
            for lost in old.iter().filter(|link| is_removed(**link)) {
                links.extend(self.substitute(row, *lost, level, &links, is_removed));
            }
            (row, level, links)
        })
        .collect()
    }

    fn substitute(
        &self,
        row: Row,
        lost: Row,
        level: usize,
        links: &[Row],
        is_removed: &impl Fn(Row) -> bool,
    ) -> Option<Row> {
        let beyond = self.graph.links(lost, level).iter().copied();
        let beyond: Vec<Row> = beyond
            .filter(|other| *other != row && !is_removed(*other) && !links.contains(other))
            .collect();
        let nearest = self.measured(&self.measure.row_target(row), &beyond);
        nearest.first().map(|neighbour| neighbour.row)
    }
}
