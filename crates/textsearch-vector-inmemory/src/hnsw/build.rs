//! Adds rows to a graph. The result is the same in every run and for any number of threads.

use rayon::prelude::*;

use super::{
    graph::Graph,
    measure::{Measure, Target},
    positions::Positions,
    walk::{Goal, Neighbour, Walker},
};
use crate::rows::Row;

/// Rows added in parallel. Each is also compared with all others of its round.
pub(super) const ROUND: usize = 256;

pub(super) const HIGHEST: usize = 24;

pub(super) struct Builder<'a> {
    pub(super) graph: &'a mut Graph,
    pub(super) measure: &'a Measure<'a>,
    /// Maximum links that a new row starts with on a level.
    pub(super) connections: usize,
    /// Candidates that the links are selected from.
    pub(super) candidates: usize,
}

#[derive(Clone, Copy)]
pub(super) struct PendingRow {
    pub(super) row: Row,
    pub(super) level: usize,
}

/// A link that another row must return.
pub(super) struct Backlink {
    pub(super) level: usize,
    pub(super) to: Row,
    pub(super) from: Neighbour,
}

impl Builder<'_> {
    /// Rows must not be in the graph yet. Returns how many were added before `is_cancelled` became
    /// true.
    pub(super) fn insert(&mut self, rows: &[Row], is_cancelled: impl Fn() -> bool) -> usize {
        let mut done = 0;
        for rows in rows.chunks(ROUND) {
            if is_cancelled() {
                break;
            }
            self.insert_round(rows);
            done += rows.len();
        }
        done
    }

    fn insert_round(&mut self, rows: &[Row]) {
        let level = |row: &Row| level_of(*row, self.connections);
        let pending: Vec<_> =
            rows.iter().map(|row| PendingRow { row: *row, level: level(row) }).collect();
        let (graph, measure, positions) = (&*self.graph, self.measure, Positions::new(self.graph));
        let selected: Vec<Vec<Vec<Neighbour>>> = pending
            .par_iter()
            .map_init(
                || Walker::new(graph, measure, &positions),
                |walker, pending_row| self.choose(*pending_row, 0, &pending, walker),
            )
            .collect();
        let mut backlinks = Vec::new();
        for (pending_row, levels) in pending.iter().zip(&selected) {
            self.graph.insert(pending_row.row, pending_row.level);
            for (level, links) in levels.iter().enumerate() {
                self.graph.set_links(pending_row.row, level, links.iter().map(|link| link.row));
                backlinks.extend(links.iter().map(|link| Backlink {
                    level,
                    to: link.row,
                    from: Neighbour { cost: link.cost, row: pending_row.row },
                }));
            }
        }
        self.link_back(backlinks);
    }

    /// Chooses links for each of the row's levels from `lowest` up.
    pub(super) fn choose(
        &self,
        pending: PendingRow,
        lowest: usize,
        all: &[PendingRow],
        walker: &mut Walker<'_>,
    ) -> Vec<Vec<Neighbour>> {
        let target = self.measure.row_target(pending.row);
        let highest = self.graph.entry().map(|(_, level)| level);
        let mut from = walker.descend(&target, pending.level);
        let mut levels: Vec<Vec<Neighbour>> = Vec::new();
        for level in (lowest..=pending.level).rev() {
            let mut candidates = Vec::new();
            if highest.is_some_and(|highest| level <= highest) {
                let goal = Goal {
                    target: &target,
                    level,
                    candidates: self.candidates,
                    max_compared: usize::MAX,
                    allows: |other| other != pending.row,
                };
                candidates = walker.nearest(&from, &goal).unwrap_or_default();
                if !candidates.is_empty() {
                    from.clone_from(&candidates);
                }
            }
            let beside =
                all.iter().filter(|other| other.level >= level && other.row != pending.row);
            let beside: Vec<Row> = beside.map(|other| other.row).collect();
            candidates.extend(self.measured(&target, &beside));
            candidates.sort_unstable();
            levels.push(self.spread(self.nearest(candidates), self.connections));
        }
        levels.reverse();
        levels
    }

    /// Expects `nearest` sorted by distance.
    ///
    /// If a round holds more rows of one topic than there are candidates, they would link only to
    /// each other. So the nearest rows that were in the graph before are candidates too.
    fn nearest(&self, mut nearest: Vec<Neighbour>) -> Vec<Neighbour> {
        let is_old = |neighbour: &Neighbour| self.graph.level(neighbour.row).is_some();
        let farther = nearest.split_off(self.candidates.min(nearest.len()));
        if !nearest.iter().any(is_old) {
            nearest.extend(farther.into_iter().filter(is_old));
        }
        nearest
    }

    /// Nearest first.
    pub(super) fn measured(&self, target: &Target<'_>, rows: &[Row]) -> Vec<Neighbour> {
        let mut costs = Vec::new();
        self.measure.costs(target, rows, &mut costs);
        let measured =
            rows.iter().zip(&costs).map(|(row, cost)| Neighbour { cost: *cost, row: *row });
        let mut neighbours: Vec<Neighbour> = measured.collect();
        neighbours.sort_unstable();
        neighbours
    }

    /// Chooses up to `max` of the candidates, which are sorted by distance: each that is nearer to
    /// the row than to any selected candidate, so that links lead in all directions.
    pub(super) fn spread(&self, mut candidates: Vec<Neighbour>, max: usize) -> Vec<Neighbour> {
        if candidates.len() < max {
            return candidates;
        }
        let mut selected = Vec::with_capacity(max);
        let mut costs = Vec::new();
        while selected.len() < max && !candidates.is_empty() {
            let nearest = candidates.remove(0);
            selected.push(nearest);
            let rows: Vec<Row> = candidates.iter().map(|candidate| candidate.row).collect();
            self.measure.costs(&self.measure.row_target(nearest.row), &rows, &mut costs);
            let mut costs = costs.iter();
            candidates.retain(|candidate| costs.next().is_some_and(|cost| *cost >= candidate.cost));
        }
        selected
    }

    pub(super) fn link_back(&mut self, mut backlinks: Vec<Backlink>) {
        backlinks.sort_unstable_by_key(|link| (link.level, link.to, link.from));
        let groups: Vec<&[Backlink]> =
            backlinks.chunk_by(|a, b| (a.level, a.to) == (b.level, b.to)).collect();
        let links: Vec<_> =
            groups.par_iter().filter_map(|group| self.with_backlinks(group)).collect();
        for (row, level, links) in links {
            self.graph.set_links(row, level, links.into_iter());
        }
    }

    fn with_backlinks(&self, backlinks: &[Backlink]) -> Option<(Row, usize, Vec<Row>)> {
        let Backlink { level, to, .. } = *backlinks.first()?;
        let max = self.graph.max_links(level);
        let links = self.graph.links(to, level);
        let new = backlinks.iter().map(|link| link.from).filter(|new| !links.contains(&new.row));
        if links.len() + new.clone().count() <= max {
            return Some((
                to,
                level,
                links.iter().copied().chain(new.map(|new| new.row)).collect(),
            ));
        }
        let mut candidates = self.measured(&self.measure.row_target(to), links);
        candidates.extend(new);
        candidates.sort_unstable();
        let selected = self.spread(candidates, max);
        Some((to, level, selected.iter().map(|link| link.row).collect()))
    }
}

/// Of every `connections` rows, one continues to the next level. The level looks random, but
/// depends only on the number of the row.
fn level_of(row: Row, connections: usize) -> usize {
    let mut bits = u64::from(row.0).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^= bits >> 31;
    let uniform = ((bits >> 11) as f64 + 1.0) / (1_u64 << 53) as f64;
    ((-uniform.ln() / (connections as f64).ln()) as usize).min(HIGHEST)
}
