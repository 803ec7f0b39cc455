//! Measures the recall of a graph on its own rows.

use rayon::prelude::*;

use super::{
    graph::Graph,
    measure::Measure,
    positions::Positions,
    walk::{Goal, Walker},
};
use crate::rows::Row;

const SAMPLES: usize = 64;

const TOP: usize = 10;

/// Returns the fraction of the nearest rows that walks find. In data without structure every row is
/// about as far from every other, and walks end anywhere.
pub(super) fn recall(graph: &Graph, measure: &Measure<'_>, candidates: usize) -> f64 {
    let rows: Vec<Row> = graph.rows().collect();
    let step = rows.len().div_ceil(SAMPLES).max(1);
    let samples: Vec<Row> = rows.iter().copied().step_by(step).collect();
    let positions = Positions::new(graph);
    let count_nearest = |row: &Row| {
        let mut walker = Walker::new(graph, measure, &positions);
        let farthest = farthest_of_the_nearest(*row, &rows, measure);
        let walked = walk(*row, &mut walker, measure, candidates.max(TOP));
        let mut costs = Vec::new();
        measure.exact_costs(measure.row(*row), &walked, &mut costs);
        costs.iter().filter(|cost| **cost <= farthest).count().min(TOP)
    };
    let reached: usize = samples.par_iter().map(count_nearest).sum();
    let expected = samples.len() * TOP.min(rows.len().saturating_sub(1));
    if expected == 0 { 1.0 } else { reached as f64 / expected as f64 }
}

fn walk(row: Row, walker: &mut Walker<'_>, measure: &Measure<'_>, candidates: usize) -> Vec<Row> {
    let target = measure.target(measure.row(row));
    let goal = Goal {
        target: &target,
        level: 0,
        candidates,
        max_compared: usize::MAX,
        allows: |other: Row| other != row,
    };
    let from = walker.descend(&target, 0);
    let nearest = walker.nearest(&from, &goal).unwrap_or_default();
    nearest.into_iter().map(|neighbour| neighbour.row).collect()
}

/// Returns the cost of the last of the rows nearest to `row`, excluding itself.
fn farthest_of_the_nearest(row: Row, rows: &[Row], measure: &Measure<'_>) -> f32 {
    let mut costs = Vec::new();
    let mut nearest = Vec::new();
    for rows in rows.chunks(1024) {
        measure.exact_costs(measure.row(row), rows, &mut costs);
        let others = rows.iter().zip(&costs).filter(|(other, _)| **other != row);
        nearest.extend(others.map(|(_, cost)| *cost));
        nearest.sort_unstable_by(f32::total_cmp);
        nearest.truncate(TOP);
    }
    nearest.last().copied().unwrap_or(f32::INFINITY)
}
