//! Removes rows from a graph.

use rayon::prelude::*;

use super::{build::Builder, walk::Found};
use crate::rows::{Bitmap, Row};

impl Builder<'_> {
    /// Removes the rows in `gone`, a set for each chunk. Each row that linked to one of them is
    /// linked to the nearest of its neighbours instead.
    pub(super) fn remove(&mut self, gone: &[Bitmap]) {
        let is_gone =
            |row: Row| gone.get(row.chunk()).is_some_and(|rows| rows.contains(row.offset()));
        let rows: Vec<Row> = self.graph.rows().filter(|row| !is_gone(*row)).collect();
        let mended: Vec<_> =
            rows.par_iter().flat_map_iter(|row| self.mend(*row, &is_gone)).collect();
        for (row, level, links) in mended {
            self.graph.set_links(row, level, links.into_iter());
        }
        let gone: Vec<Row> = self.graph.rows().filter(|row| is_gone(*row)).collect();
        self.graph.remove(gone.into_iter());
        self.connect();
    }

    /// Returns the new links of a row on each level where one of its links is gone.
    fn mend(&self, row: Row, is_gone: &impl Fn(Row) -> bool) -> Vec<(Row, usize, Vec<Row>)> {
        let levels = 0..=self.graph.level(row).unwrap_or_default();
        let torn =
            levels.filter(|level| self.graph.links(row, *level).iter().any(|link| is_gone(*link)));
        torn.map(|level| {
            let old = self.graph.links(row, level);
            let mut links: Vec<Row> = old.iter().copied().filter(|link| !is_gone(*link)).collect();
            for lost in old.iter().filter(|link| is_gone(**link)) {
                links.extend(self.substitute(row, *lost, level, &links, is_gone));
            }
            (row, level, links)
        })
        .collect()
    }

    /// Returns the nearest neighbour of `lost` that is neither gone nor in `links`.
    fn substitute(
        &self,
        row: Row,
        lost: Row,
        level: usize,
        links: &[Row],
        is_gone: &impl Fn(Row) -> bool,
    ) -> Option<Row> {
        let beyond = self.graph.links(lost, level).iter().copied();
        let beyond: Vec<Row> = beyond
            .filter(|other| *other != row && !is_gone(*other) && !links.contains(other))
            .collect();
        let mut costs = Vec::new();
        self.measure.costs(self.measure.row(row), &beyond, &mut costs);
        let found = beyond.iter().zip(&costs).map(|(row, cost)| Found { cost: *cost, row: *row });
        found.min().map(|nearest| nearest.row)
    }
}
