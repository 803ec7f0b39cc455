//! Walks a graph from row to row towards a query.

use std::{
    cmp::{Ordering, Reverse},
    collections::BinaryHeap,
};

use super::{
    graph::Graph,
    measure::{Measure, Target},
    positions::Positions,
};
use crate::rows::{CHUNK_ROWS, Row};

/// The number of rows that a walk keeps on each higher level. The paper keeps one, and then one query
/// in a hundred over a thousand distant topics ended in a wrong topic.
const STARTS: usize = 8;

#[derive(Debug, Clone, Copy)]
pub(super) struct Neighbour {
    pub(super) cost: f32,
    pub(super) row: Row,
}

pub(super) struct Goal<'q, F> {
    pub(super) target: &'q Target<'q>,
    pub(super) level: usize,
    pub(super) candidates: usize,
    /// The walk is abandoned after this many comparisons.
    pub(super) max_compared: usize,
    pub(super) allows: F,
}

/// Holds reusable buffers.
pub(super) struct Walker<'a> {
    graph: &'a Graph,
    measure: &'a Measure<'a>,
    positions: &'a Positions,
    /// A bit for each row position.
    visited: Vec<u64>,
    fresh: Vec<Row>,
    costs: Vec<f32>,
}

impl<'a> Walker<'a> {
    pub(super) fn new(
        graph: &'a Graph,
        measure: &'a Measure<'a>,
        positions: &'a Positions,
    ) -> Self {
        let visited = vec![0; positions.count().div_ceil(64)];
        Self { graph, measure, positions, visited, fresh: Vec::new(), costs: Vec::new() }
    }

    /// Returns rows near the target that a walk on `level` starts from, nearest first; none if the
    /// graph is empty.
    pub(super) fn descend(&mut self, target: &Target<'_>, level: usize) -> Vec<Neighbour> {
        let Some((entry, highest)) = self.graph.entry() else { return Vec::new() };
        self.measure.costs(target, &[entry], &mut self.costs);
        let mut nearest: Vec<Neighbour> =
            self.costs.iter().map(|cost| Neighbour { cost: *cost, row: entry }).collect();
        for level in (level + 1..=highest).rev() {
            let allows = |_| true;
            let max_compared = usize::MAX;
            let goal = Goal { target, level, candidates: STARTS, max_compared, allows };
            nearest = self.nearest(&nearest, &goal).unwrap_or_default();
        }
        nearest
    }

    /// Returns allowed rows, nearest first, or `None` if the walk was abandoned. It passes through
    /// other rows too, since they may lead to allowed ones.
    pub(super) fn nearest(
        &mut self,
        from: &[Neighbour],
        goal: &Goal<'_, impl Fn(Row) -> bool>,
    ) -> Option<Vec<Neighbour>> {
        self.visited.fill(0);
        let mut open: BinaryHeap<_> = from.iter().copied().map(Reverse).collect();
        let mut best = Nearest { max: goal.candidates, neighbours: BinaryHeap::new() };
        for start in from {
            visit(&mut self.visited, self.positions, start.row);
            if (goal.allows)(start.row) {
                best.offer(*start);
            }
        }
        let mut compared = 0;
        while let Some(Reverse(next)) = open.pop()
            && best.may_gain_from(next)
        {
            self.look_around(goal.target, next.row, goal.level);
            compared += self.fresh.len();
            if compared > goal.max_compared {
                return None;
            }
            let fresh = self.fresh.iter().zip(&self.costs);
            for neighbour in fresh.map(|(row, cost)| Neighbour { cost: *cost, row: *row }) {
                if best.has_room_for(neighbour) {
                    self.graph.prefetch(neighbour.row);
                    open.push(Reverse(neighbour));
                    if (goal.allows)(neighbour.row) {
                        best.offer(neighbour);
                    }
                }
            }
        }
        Some(best.neighbours.into_sorted_vec())
    }

    fn look_around(&mut self, target: &Target<'_>, row: Row, level: usize) {
        self.fresh.clear();
        for link in self.graph.links(row, level) {
            if visit(&mut self.visited, self.positions, *link) {
                self.fresh.push(*link);
            }
        }
        self.measure.costs(target, &self.fresh, &mut self.costs);
    }
}

/// Returns whether the row was not visited before.
#[inline]
fn visit(visited: &mut [u64], positions: &Positions, row: Row) -> bool {
    let Some(place) = positions.of_row(row) else { return false };
    let Some(word) = visited.get_mut(place / 64) else { return false };
    let bit = 1 << (place % 64);
    let is_new = *word & bit == 0;
    *word |= bit;
    is_new
}

struct Nearest {
    max: usize,
    /// The farthest row is on top.
    neighbours: BinaryHeap<Neighbour>,
}

impl Nearest {
    /// Whether rows linked with `neighbour` could be among the nearest.
    fn may_gain_from(&self, neighbour: Neighbour) -> bool {
        self.neighbours.len() < self.max
            || self.neighbours.peek().is_none_or(|worst| neighbour <= *worst)
    }

    /// Thousands of rows can be as far as the worst, such as duplicates. If they entered because of
    /// their number, walks would visit all of them.
    fn has_room_for(&self, neighbour: Neighbour) -> bool {
        let is_nearer = |worst: &Neighbour| neighbour.is_nearer_than(worst);
        self.neighbours.len() < self.max || self.neighbours.peek().is_none_or(is_nearer)
    }

    fn offer(&mut self, neighbour: Neighbour) {
        self.neighbours.push(neighbour);
        if self.neighbours.len() > self.max {
            self.neighbours.pop();
        }
    }
}

impl Neighbour {
    fn is_nearer_than(&self, other: &Self) -> bool {
        self.cost.total_cmp(&other.cost).is_lt()
    }
}

impl Ord for Neighbour {
    fn cmp(&self, other: &Self) -> Ordering {
        // Break ties by row number, so that walks are the same in every run.
        self.cost.total_cmp(&other.cost).then(self.row.cmp(&other.row))
    }
}

impl PartialOrd for Neighbour {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Neighbour {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Neighbour {}

const _: () = assert!(CHUNK_ROWS <= 1 << 16, "the place of a row in its chunk has 16 bits");
