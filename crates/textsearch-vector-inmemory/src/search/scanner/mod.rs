//! Ranks rows against one query.

use textsearch_core::{Result, vector::VectorField};

use super::top::{Best, Ranking};
use crate::{
    rows::Row,
    simd::{Instructions, RowLocation},
    state::Chunk,
    vectors::{Bounds, Coding, Comparer, VectorBlock},
};

/// Rows compared before the bounds are checked again: the loops process as many at once.
const STEP: usize = 4;

/// Up to this many rows of a chunk are compared without computing bounds.
const MAX_UNBOUNDED: usize = 2;

/// From this limit on, a ranking is deep and gathers the candidates of many chunks.
const DEEP: usize = 64;

/// Candidates, roughly, that a deep ranking gathers before it compares the best of them.
const GATHERED: usize = 1 << 13;

/// Gathered rows compared, best bounds first, before the bar is checked again.
const TRANCHE: usize = 128;

/// Ranks rows by their distance from one query.
///
/// If the distance has bounds, the scanner compares only rows whose bound, from the 8-bit copies,
/// reaches the bar: the worst score kept so far. The ranking is the same without bounds.
pub(super) struct Scanner<'a> {
    comparer: Comparer<'a>,
    bounds: Option<Bounds>,
    best: Best<'a>,
    row_bounds: Vec<f32>,
    candidates: Vec<(f32, u16)>,
    gathered: Option<Gathered<'a>>,
}

/// The bar of a deep ranking stays low for long. Comparing the best bounds of many chunks first
/// raises it at once, and most other rows are skipped.
#[derive(Default)]
struct Gathered<'a> {
    chunks: Vec<(usize, &'a Chunk, &'a VectorBlock)>,
    /// The bound, the index in `chunks` and the offset in the chunk.
    rows: Vec<(f32, u32, u16)>,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(field: &VectorField, query: &'a [f32], ranking: Ranking) -> Self {
        let instructions = Instructions::detect();
        Self {
            comparer: Comparer::new(instructions, field.distance, query),
            bounds: Coding::for_field(field)
                .and_then(|_| Bounds::new(instructions, field.distance, query)),
            best: Best::new(ranking),
            row_bounds: Vec::new(),
            candidates: Vec::new(),
            gathered: (DEEP..=GATHERED / 2).contains(&ranking.limit).then(Gathered::default),
        }
    }

    /// Each of the rows must have a vector.
    ///
    /// # Errors
    ///
    /// Returns an error if a part on disk cannot be read.
    pub(super) fn scan(
        &mut self,
        number: usize,
        chunk: &'a Chunk,
        block: &'a VectorBlock,
        offsets: &[u16],
        location: RowLocation,
    ) -> Result<()> {
        // For a few rows, the codes with their metadata are in more places than the vectors
        // themselves.
        let bounds = self.bounds.as_ref().filter(|_| offsets.len() > MAX_UNBOUNDED);
        let Some(bounds) = bounds else {
            return self.compare(number, chunk, block, offsets);
        };
        let row_bounds = &mut self.row_bounds;
        bounds.write(block, offsets, location, row_bounds);
        let bar = bounds.key_of(self.best.bar());
        collect_candidates(row_bounds, offsets, bar, &mut self.candidates);
        let left_out = offsets.len() - self.candidates.len();
        self.best.leave_out(left_out);
        let Some(gathered) = &mut self.gathered else {
            return self.compare_candidates(number, chunk, block);
        };
        gathered.add(number, chunk, block, &self.candidates);
        if gathered.rows.len() >= GATHERED { self.compare_gathered() } else { Ok(()) }
    }

    pub(super) fn into_best(mut self) -> Result<Best<'a>> {
        self.compare_gathered()?;
        Ok(self.best)
    }

    /// Compares highest bounds first, until the bar exceeds all remaining ones.
    fn compare_gathered(&mut self) -> Result<()> {
        let Some(Gathered { chunks, mut rows }) = self.gathered.as_mut().map(std::mem::take) else {
            return Ok(());
        };
        let mut size = self.best.limit();
        while !rows.is_empty() {
            if size < rows.len() {
                rows.select_nth_unstable_by(size, |left, right| right.0.total_cmp(&left.0));
            }
            let rest = rows.split_off(size.min(rows.len()));
            // In memory order.
            rows.sort_unstable_by_key(|(_, place, offset)| (*place, *offset));
            for run in rows.chunk_by(|left, right| left.1 == right.1) {
                let place = run.first().map(|(_, place, _)| *place as usize);
                let Some((number, chunk, block)) = place.and_then(|place| chunks.get(place)) else {
                    continue;
                };
                let offsets: Vec<u16> = run.iter().map(|(_, _, offset)| *offset).collect();
                self.compare(*number, chunk, block, &offsets)?;
            }
            let bar = self.bounds.as_ref().map(|bounds| bounds.key_of(self.best.bar()));
            let left = rest.len();
            rows = rest;
            rows.retain(|(bound, ..)| bar.is_none_or(|bar| *bound >= bar));
            self.best.leave_out(left - rows.len());
            size = TRANCHE;
        }
        Ok(())
    }

    /// Compares highest bounds first, until the bar exceeds all remaining ones.
    fn compare_candidates(
        &mut self,
        number: usize,
        chunk: &'a Chunk,
        block: &VectorBlock,
    ) -> Result<()> {
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
            self.compare(number, chunk, block, offsets.split_at(step.len()).0)?;
            rest = others;
        }
        self.candidates = candidates;
        Ok(())
    }

    fn compare(
        &mut self,
        number: usize,
        chunk: &'a Chunk,
        block: &VectorBlock,
        offsets: &[u16],
    ) -> Result<()> {
        for (offset, score) in offsets.iter().zip(self.comparer.scores(block, offsets)?) {
            let offset = usize::from(*offset);
            self.best.offer(Row::new(number, offset), score, || chunk.key(offset))?;
        }
        Ok(())
    }
}

impl<'a> Gathered<'a> {
    fn add(
        &mut self,
        number: usize,
        chunk: &'a Chunk,
        block: &'a VectorBlock,
        candidates: &[(f32, u16)],
    ) {
        if candidates.is_empty() {
            return;
        }
        let place = self.chunks.len() as u32;
        self.chunks.push((number, chunk, block));
        self.rows.extend(candidates.iter().map(|(bound, offset)| (*bound, place, *offset)));
    }
}

fn collect_candidates(bounds: &[f32], offsets: &[u16], bar: f32, candidates: &mut Vec<(f32, u16)>) {
    candidates.clear();
    for (bounds, offsets) in bounds.chunks(64).zip(offsets.chunks(64)) {
        // NaN is not below the bar.
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
