//! The arithmetic of every distance over rows of `f32`, in loops that compilers turn into vector instructions.

use textsearch_core::vector::Distance;

use crate::chunk::VectorBlock;

/// The number of independent sums of a row, as many as two of the narrowest vector registers hold.
const LANES: usize = 8;

/// Lengths between which no product or square of two elements overflows an `f32` or vanishes in it.
const ORDINARY: std::ops::Range<f32> = 1e-12..1e12;

/// A query vector, ready to be compared with rows.
pub(crate) struct Comparer<'a> {
    distance: Distance,
    query: &'a [f32],
    norm: f32,
    sums: Vec<f32>,
}

impl<'a> Comparer<'a> {
    /// Compares rows with `query` as `distance` says.
    pub(crate) fn new(distance: Distance, query: &'a [f32]) -> Self {
        Self { distance, query, norm: norm(query), sums: Vec::new() }
    }

    /// The scores of the rows of `block` at `offsets`, in their order.
    ///
    /// A score depends on the two vectors alone: equal rows have equal scores, to the last bit.
    pub(crate) fn scores(
        &mut self,
        block: &VectorBlock,
        offsets: &[usize],
    ) -> impl Iterator<Item = f64> {
        let row = |offset: &usize| block.row(*offset, self.query.len()).unwrap_or_default();
        let (query, sums) = (self.query, &mut self.sums);
        match self.distance {
            Distance::Euclidean | Distance::EuclideanSquared => {
                sum_rows(query, offsets, row, |a, b| (a - b) * (a - b), sums);
            }
            Distance::Manhattan => sum_rows(query, offsets, row, |a, b| (a - b).abs(), sums),
            Distance::Hamming => {
                sum_rows(query, offsets, row, |a, b| if a == b { 0.0 } else { 1.0 }, sums);
            }
            // All others, the cosines among them, are made of the dot product.
            _ => sum_rows(query, offsets, row, |a, b| a * b, sums),
        }
        let this = &*self;
        let found = this.sums.iter().zip(offsets);
        found.map(move |(sum, offset)| this.score(*sum, block, *offset))
    }

    fn score(&self, sum: f32, block: &VectorBlock, offset: usize) -> f64 {
        let norm = block.norm(offset).unwrap_or(f32::NAN);
        if !(ORDINARY.contains(&norm) && ORDINARY.contains(&self.norm)) {
            return self.by_definition(block, offset);
        }
        let sum = f64::from(sum);
        let cosine = || sum / (f64::from(self.norm) * f64::from(norm));
        match self.distance {
            Distance::CosineSimilarity => cosine(),
            Distance::CosineDistance => 1.0 - cosine(),
            Distance::NegativeDotProduct => -sum,
            Distance::Euclidean => sum.sqrt(),
            Distance::DotProduct
            | Distance::EuclideanSquared
            | Distance::Manhattan
            | Distance::Hamming => sum,
            _ => self.by_definition(block, offset),
        }
    }

    fn by_definition(&self, block: &VectorBlock, offset: usize) -> f64 {
        let row = block.row(offset, self.query.len()).unwrap_or_default();
        self.distance.score(self.query, row)
    }
}

/// The length of a vector, summed in `f64`, so that it is right for any elements that are finite.
pub(crate) fn norm(vector: &[f32]) -> f32 {
    let squares = vector.iter().map(|element| f64::from(*element) * f64::from(*element));
    squares.sum::<f64>().sqrt() as f32
}

/// Writes the sums of `term` over `query` and each row into `sums`.
///
/// Four rows go side by side, far from each other: memory delivers several streams faster than a single one, by a
/// third or so.
#[inline(always)]
fn sum_rows<'a>(
    query: &[f32],
    offsets: &[usize],
    row: impl Fn(&usize) -> &'a [f32],
    term: impl Fn(f32, f32) -> f32 + Copy,
    sums: &mut Vec<f32>,
) {
    sums.clear();
    sums.resize(offsets.len(), 0.0);
    let quarter = offsets.len() / 4;
    let [a, b, c, d, rest] = quarters(offsets, quarter);
    let rows = a.iter().zip(b).zip(c).zip(d);
    for (place, (((a, b), c), d)) in rows.enumerate() {
        let four = sum_four([row(a), row(b), row(c), row(d)], query, term);
        for (stream, sum) in four.into_iter().enumerate() {
            if let Some(place) = sums.get_mut(place + stream * quarter) {
                *place = sum;
            }
        }
    }
    for (sum, offset) in sums.iter_mut().skip(4 * quarter).zip(rest) {
        *sum = sum_one(row(offset), query, term);
    }
}

fn quarters(offsets: &[usize], quarter: usize) -> [&[usize]; 5] {
    let (a, rest) = offsets.split_at(quarter);
    let (b, rest) = rest.split_at(quarter);
    let (c, rest) = rest.split_at(quarter);
    let (d, rest) = rest.split_at(quarter);
    [a, b, c, d, rest]
}

#[inline(always)]
fn sum_four(
    [a, b, c, d]: [&[f32]; 4],
    query: &[f32],
    term: impl Fn(f32, f32) -> f32 + Copy,
) -> [f32; 4] {
    let (query_lanes, query_rest) = query.as_chunks::<LANES>();
    let [(a, a_rest), (b, b_rest), (c, c_rest), (d, d_rest)] =
        [a, b, c, d].map(|row| row.as_chunks::<LANES>());
    let [mut a_sums, mut b_sums, mut c_sums, mut d_sums] = [[0.0_f32; LANES]; 4];
    for ((((query, a), b), c), d) in query_lanes.iter().zip(a).zip(b).zip(c).zip(d) {
        add(&mut a_sums, query, a, term);
        add(&mut b_sums, query, b, term);
        add(&mut c_sums, query, c, term);
        add(&mut d_sums, query, d, term);
    }
    add(&mut a_sums, query_rest, a_rest, term);
    add(&mut b_sums, query_rest, b_rest, term);
    add(&mut c_sums, query_rest, c_rest, term);
    add(&mut d_sums, query_rest, d_rest, term);
    [a_sums, b_sums, c_sums, d_sums].map(fold)
}

/// The same as one of [`sum_four`], to the last bit.
#[inline(always)]
fn sum_one(row: &[f32], query: &[f32], term: impl Fn(f32, f32) -> f32 + Copy) -> f32 {
    let (query_lanes, query_rest) = query.as_chunks::<LANES>();
    let (row_lanes, row_rest) = row.as_chunks::<LANES>();
    let mut sums = [0.0_f32; LANES];
    for (query, row) in query_lanes.iter().zip(row_lanes) {
        add(&mut sums, query, row, term);
    }
    add(&mut sums, query_rest, row_rest, term);
    fold(sums)
}

#[inline(always)]
fn add(sums: &mut [f32; LANES], query: &[f32], row: &[f32], term: impl Fn(f32, f32) -> f32 + Copy) {
    for (sum, (query, row)) in sums.iter_mut().zip(query.iter().zip(row)) {
        *sum += term(*query, *row);
    }
}

/// Adds the lanes up pairwise, which rounds less than one after another.
#[inline(always)]
fn fold([a, b, c, d, e, f, g, h]: [f32; LANES]) -> f32 {
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::prepare::Vector;

    /// Elements that look random and are the same in every run.
    fn vector(length: usize, seed: u32) -> Vec<f32> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        (0..length).map(|_| next()).collect()
    }

    fn block(rows: &[&[f32]]) -> VectorBlock {
        let mut block = VectorBlock::default();
        for (offset, row) in rows.iter().enumerate() {
            let elements = Arc::from(*row);
            block.set(offset, Some(&Vector { elements, norm: norm(row) }));
        }
        block
    }

    fn score(distance: Distance, query: &[f32], row: &[f32]) -> f64 {
        let scores: Vec<f64> =
            Comparer::new(distance, query).scores(&block(&[row]), &[0]).collect();
        scores[0]
    }

    #[test]
    fn a_row_scores_the_same_alone_and_among_any_others() {
        let rows: Vec<Vec<f32>> = (0..23).map(|seed| vector(37, seed)).collect();
        let block = block(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let query = vector(37, 99);
        for distance in Distance::ALL {
            let alone: Vec<f64> = rows.iter().map(|row| score(distance, &query, row)).collect();
            for step in 1..5 {
                let offsets: Vec<usize> = (0..rows.len()).step_by(step).collect();
                let mut comparer = Comparer::new(distance, &query);
                let together: Vec<f64> = comparer.scores(&block, &offsets).collect();
                assert_eq!(together.len(), offsets.len());
                assert!(
                    together.iter().zip(&offsets).all(|(score, offset)| *score == alone[*offset])
                );
            }
        }
    }

    #[test]
    fn every_distance_agrees_with_its_definition_at_every_length() {
        for distance in Distance::ALL {
            for length in [1, 2, 15, 16, 17, 31, 32, 33, 100, 384] {
                let (query, row) = (vector(length, 1), vector(length, 2));
                let expected = distance.score(&query, &row);
                let found = score(distance, &query, &row);
                assert!(
                    (found - expected).abs() <= 1e-5 * (1.0 + expected.abs()),
                    "{distance:?} at {length}: {found} for {expected}",
                );
            }
        }
    }

    #[test]
    fn elements_beyond_the_squares_of_f32_still_compare() {
        for scale in [1e-30_f32, 1e30] {
            let (query, row) = ([scale, 0.0], [scale, scale]);
            for distance in Distance::ALL {
                let found = score(distance, &query, &row);
                assert_eq!(found, distance.score(&query, &row), "{distance:?}");
            }
        }
    }

    #[test]
    fn small_whole_numbers_score_exactly() {
        let (query, row) = ([3.0, 4.0, 0.0], [0.0, 4.0, 1.0]);
        let score = |distance| score(distance, &query, &row);
        assert_eq!(score(Distance::DotProduct), 16.0);
        assert_eq!(score(Distance::NegativeDotProduct), -16.0);
        assert_eq!(score(Distance::EuclideanSquared), 10.0);
        assert_eq!(score(Distance::Euclidean), 10_f64.sqrt());
        assert_eq!(score(Distance::Manhattan), 4.0);
        assert_eq!(score(Distance::Hamming), 2.0);
    }
}
