//! Adding rows to a graph and taking them out, the same way in every run and for every number of threads.

use rayon::prelude::*;

use super::{
    graph::Graph,
    measure::Measure,
    walk::{Found, Goal, Walker},
};
use crate::{bitmap::Bitmap, state::Row};

/// How many rows are added at a time, each by itself: they meet by being compared one with another.
const ROUND: usize = 256;

/// The level that no row is above.
pub(super) const HIGHEST: usize = 24;

/// Changes a graph of the rows that `measure` knows.
pub(super) struct Builder<'a> {
    pub(super) graph: &'a mut Graph,
    pub(super) measure: &'a Measure<'a>,
    /// The most links that a new row begins with on a level.
    pub(super) connections: usize,
    /// How many candidates those are chosen from.
    pub(super) candidates: usize,
}

/// A row on its way into the graph.
#[derive(Clone, Copy)]
struct Newcomer {
    row: Row,
    level: usize,
}

/// A link that another row has to take note of.
struct Backlink {
    level: usize,
    to: Row,
    from: Found,
}

impl Builder<'_> {
    /// Adds `rows`, which are not in the graph, until they are all in or `is_cancelled`; returns how many are.
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
        let newcomers: Vec<_> =
            rows.iter().map(|row| Newcomer { row: *row, level: level(row) }).collect();
        let (graph, measure) = (&*self.graph, self.measure);
        let chosen: Vec<Vec<Vec<Found>>> = newcomers
            .par_iter()
            .map_init(
                || Walker::new(graph, measure),
                |walker, one| self.choose(*one, &newcomers, walker),
            )
            .collect();
        let mut backlinks = Vec::new();
        for (newcomer, levels) in newcomers.iter().zip(&chosen) {
            self.graph.insert(newcomer.row, newcomer.level);
            for (level, links) in levels.iter().enumerate() {
                self.graph.set_links(newcomer.row, level, links.iter().map(|link| link.row));
                backlinks.extend(links.iter().map(|link| Backlink {
                    level,
                    to: link.row,
                    from: Found { cost: link.cost, row: newcomer.row },
                }));
            }
        }
        self.link_back(backlinks);
    }

    /// The links of a new row on each of its levels.
    fn choose(&self, one: Newcomer, all: &[Newcomer], walker: &mut Walker<'_>) -> Vec<Vec<Found>> {
        let target = self.measure.target(self.measure.row(one.row));
        let highest = self.graph.entry().map(|(_, level)| level);
        let mut from = walker.descend(&target, one.level);
        let mut levels: Vec<Vec<Found>> = Vec::new();
        for level in (0..=one.level).rev() {
            let mut rows = Vec::new();
            if let Some(start) = from.filter(|_| highest.is_some_and(|highest| level <= highest)) {
                let (candidates, most_compared) = (self.candidates, usize::MAX);
                let goal =
                    Goal { target: &target, level, candidates, most_compared, allows: |_| true };
                let found = walker.nearest(start, &goal).unwrap_or_default();
                from = found.first().copied().or(from);
                rows.extend(found.into_iter().map(|found| found.row));
            }
            let beside = all.iter().filter(|other| other.level >= level && other.row != one.row);
            rows.extend(beside.map(|other| other.row));
            let mut found = self.measured(one.row, &rows);
            found.truncate(self.candidates);
            levels.push(self.spread(found, self.connections));
        }
        levels.reverse();
        levels
    }

    /// What `rows` cost from one row, the nearest first.
    fn measured(&self, row: Row, rows: &[Row]) -> Vec<Found> {
        let mut costs = Vec::new();
        self.measure.costs(self.measure.row(row), rows, &mut costs);
        let found = rows.iter().zip(&costs).map(|(row, cost)| Found { cost: *cost, row: *row });
        let mut found: Vec<Found> = found.collect();
        found.sort_unstable();
        found
    }

    /// At most `most` of the candidates, which come nearest first: those that are nearer to the row itself than to any
    /// that was chosen before, so that the links lead into all directions.
    fn spread(&self, candidates: Vec<Found>, most: usize) -> Vec<Found> {
        if candidates.len() < most {
            return candidates;
        }
        let (mut chosen, mut rows) = (Vec::with_capacity(most), Vec::with_capacity(most));
        let mut costs = Vec::new();
        for candidate in candidates {
            if chosen.len() == most {
                break;
            }
            self.measure.costs(self.measure.row(candidate.row), &rows, &mut costs);
            if costs.iter().all(|cost| *cost >= candidate.cost) {
                chosen.push(candidate);
                rows.push(candidate.row);
            }
        }
        chosen
    }

    /// Lets the rows that others were linked with link back.
    fn link_back(&mut self, mut backlinks: Vec<Backlink>) {
        backlinks.sort_unstable_by_key(|link| (link.level, link.to, link.from));
        let groups: Vec<&[Backlink]> =
            backlinks.chunk_by(|a, b| (a.level, a.to) == (b.level, b.to)).collect();
        let links: Vec<_> =
            groups.par_iter().filter_map(|group| self.with_backlinks(group)).collect();
        for (row, level, links) in links {
            self.graph.set_links(row, level, links.into_iter());
        }
    }

    /// The links of a row after others, all of one level, were linked with it.
    fn with_backlinks(&self, backlinks: &[Backlink]) -> Option<(Row, usize, Vec<Row>)> {
        let Backlink { level, to, .. } = *backlinks.first()?;
        let most = self.graph.most_links(level);
        let links = self.graph.links(to, level);
        let new = backlinks.iter().map(|link| link.from).filter(|new| !links.contains(&new.row));
        if links.len() + new.clone().count() <= most {
            return Some((
                to,
                level,
                links.iter().copied().chain(new.map(|new| new.row)).collect(),
            ));
        }
        let mut costs = Vec::new();
        self.measure.costs(self.measure.row(to), links, &mut costs);
        let old = links.iter().zip(&costs).map(|(row, cost)| Found { cost: *cost, row: *row });
        let mut candidates: Vec<Found> = old.chain(new).collect();
        candidates.sort_unstable();
        let chosen = self.spread(candidates, most);
        Some((to, level, chosen.iter().map(|link| link.row).collect()))
    }

    /// Takes the rows of `gone`, a set for each chunk, out: who was linked with one of them is linked with the nearest
    /// of those that it was linked with.
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
    }

    /// What the links of a row become, on each level where one of them goes.
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

    /// The nearest row that `lost` was linked with and that is neither gone nor among `links`.
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

/// The level of a row: one row in `connections` is above level 0, one of those in as many above level 1, and so on.
///
/// It follows from the number of the row alone, and looks random.
fn level_of(row: Row, connections: usize) -> usize {
    let mut bits = u64::from(row.0).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^= bits >> 31;
    let uniform = ((bits >> 11) as f64 + 1.0) / (1_u64 << 53) as f64;
    ((-uniform.ln() / (connections as f64).ln()) as usize).min(HIGHEST)
}
