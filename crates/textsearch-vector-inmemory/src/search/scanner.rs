//! One query on its way through the rows.

use textsearch_core::vector::VectorField;

use crate::{
    bounds::Bounds,
    chunk::Chunk,
    codes::Coding,
    distance::Comparer,
    simd::{Instructions, Whereabouts},
    state::Row,
    top::{Best, Ranking},
    vector_block::VectorBlock,
};

/// How many rows are compared before their bounds are looked at again: as many as the loops take side by side.
const STEP: usize = 4;

/// As many rows of a chunk are compared without a look at their bounds.
const FEW: usize = 2;

/// Ranks rows by their distance from one query.
///
/// Where the distance has bounds, the 8-bit copies are read first, and only those rows are compared whose bound
/// reaches the worst of the best so far. What is left out could not have been kept, so the ranking is that of
/// comparing with every row.
pub(super) struct Scanner<'a> {
    comparer: Comparer<'a>,
    bounds: Option<Bounds>,
    best: Best<'a>,
    /// Room for the bounds of the rows of a chunk, and for those that reach the bar.
    row_bounds: Vec<f32>,
    candidates: Vec<(f32, u16)>,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(field: &VectorField, query: &'a [f32], ranking: Ranking) -> Self {
        let instructions = Instructions::detect();
        Self {
            comparer: Comparer::new(instructions, field.distance, query),
            bounds: Coding::of(field)
                .and_then(|_| Bounds::new(instructions, field.distance, query)),
            best: Best::new(ranking),
            row_bounds: Vec::new(),
            candidates: Vec::new(),
        }
    }

    /// Ranks the rows of `block`, which is of the chunk at place `number`, at `offsets`. Each of them has a vector.
    pub(super) fn scan(
        &mut self,
        number: usize,
        chunk: &'a Chunk,
        block: &VectorBlock,
        offsets: &[u16],
        whereabouts: Whereabouts,
    ) {
        // Of a few rows the codes and what belongs to them lie in more places than the rows themselves.
        let bounds = self.bounds.as_ref().filter(|_| offsets.len() > FEW);
        let Some(bounds) = bounds else {
            return self.compare(number, chunk, block, offsets);
        };
        let row_bounds = &mut self.row_bounds;
        bounds.write(block, offsets, whereabouts, row_bounds);
        let bar = bounds.key_of(self.best.bar());
        collect_candidates(row_bounds, offsets, bar, &mut self.candidates);
        let left_out = offsets.len() - self.candidates.len();
        self.best.leave_out(left_out);
        self.compare_candidates(number, chunk, block);
    }

    pub(super) fn into_best(self) -> Best<'a> {
        self.best
    }

    /// Compares the candidates, those with the highest bounds first, until the bar is above all that are left.
    fn compare_candidates(&mut self, number: usize, chunk: &'a Chunk, block: &VectorBlock) {
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.sort_unstable_by(|left, right| right.0.total_cmp(&left.0));
        let mut rest = candidates.as_slice();
        while let Some((highest, _)) = rest.first() {
            let bar = self.bounds.as_ref().map(|bounds| bounds.key_of(self.best.bar()));
            if bar.is_some_and(|bar| *highest < bar) {
                self.best.leave_out(rest.len());
                break;
            }
            let (step, others) = rest.split_at(STEP.min(rest.len()));
            let mut offsets = [0; STEP];
            offsets.iter_mut().zip(step).for_each(|(place, (_, offset))| *place = *offset);
            self.compare(number, chunk, block, offsets.get(..step.len()).unwrap_or_default());
            rest = others;
        }
        self.candidates = candidates;
    }

    fn compare(&mut self, number: usize, chunk: &'a Chunk, block: &VectorBlock, offsets: &[u16]) {
        for (offset, score) in offsets.iter().zip(self.comparer.scores(block, offsets)) {
            let offset = usize::from(*offset);
            let key = || Some(chunk.payload(offset)?.key());
            self.best.offer(Row::new(number, offset), score, key);
        }
    }
}

/// Puts those of `offsets` into `candidates` whose bound is not below `bar`.
fn collect_candidates(bounds: &[f32], offsets: &[u16], bar: f32, candidates: &mut Vec<(f32, u16)>) {
    candidates.clear();
    for (bounds, offsets) in bounds.chunks(64).zip(offsets.chunks(64)) {
        // What is not a number is no bound.
        if bounds.iter().fold(true, |all_below, bound| all_below & (*bound < bar)) {
            continue;
        }
        let rows = bounds.iter().zip(offsets);
        let rows = rows.filter(|(bound, _)| bound.is_nan() || **bound >= bar);
        candidates.extend(
            rows.map(|(bound, offset)| {
                (if bound.is_nan() { f32::INFINITY } else { *bound }, *offset)
            }),
        );
    }
}

#[cfg(test)]
mod tests;
