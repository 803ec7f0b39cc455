//! The arithmetic of every distance over rows of `f32`.

use textsearch_core::{Result, vector::Distance};

use super::{
    block::{RowBuffer, VectorBlock, row_of},
    norm::{ORDINARY, norm},
};
use crate::simd::Instructions;

pub(crate) struct Comparer<'a> {
    instructions: Instructions,
    distance: Distance,
    query: &'a [f32],
    norm: f32,
    sums: Vec<f32>,
    rows: RowBuffer,
}

impl<'a> Comparer<'a> {
    pub(crate) fn new(instructions: Instructions, distance: Distance, query: &'a [f32]) -> Self {
        Self {
            instructions,
            distance,
            query,
            norm: norm(query),
            sums: Vec::new(),
            rows: RowBuffer::default(),
        }
    }

    /// Each row must have a vector. A score depends only on the two vectors: equal rows have equal
    /// scores, to the last bit.
    ///
    /// # Errors
    ///
    /// Returns an error if rows on disk cannot be read.
    pub(crate) fn scores<'s>(
        &'s mut self,
        block: &'s VectorBlock,
        offsets: &'s [u16],
    ) -> Result<impl Iterator<Item = f64> + use<'s, 'a>> {
        let Self { instructions, distance, query, norm, sums, rows } = self;
        let (elements, places) = block.rows(offsets, rows)?;
        let row = |place| row_of(elements, usize::from(place), query.len());
        self::sums(*distance, *instructions, query, places, row, sums);
        let score = Score { distance: *distance, query, norm: *norm };
        let pairs = sums.iter().zip(offsets).zip(places);
        Ok(pairs.map(move |((sum, offset), place)| {
            let norm = block.norms().get(usize::from(*offset)).copied().unwrap_or(f32::NAN);
            score.of(*sum, norm, || row_of(elements, usize::from(*place), query.len()))
        }))
    }
}

struct Score<'a> {
    distance: Distance,
    query: &'a [f32],
    norm: f32,
}

impl<'a> Score<'a> {
    fn of(&self, sum: f32, norm: f32, row: impl FnOnce() -> &'a [f32]) -> f64 {
        if !(ORDINARY.contains(&norm) && ORDINARY.contains(&self.norm)) {
            return self.distance.score(self.query, row());
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
            _ => self.distance.score(self.query, row()),
        }
    }
}

/// Writes the sums that the distance is based on.
pub(crate) fn sums<'a>(
    distance: Distance,
    set: Instructions,
    query: &[f32],
    offsets: &[u16],
    row: impl Fn(u16) -> &'a [f32] + Copy,
    sums: &mut Vec<f32>,
) {
    match distance {
        Distance::Euclidean | Distance::EuclideanSquared => {
            set.sums(query, offsets, row, |a, b| (a - b) * (a - b), sums);
        }
        Distance::Manhattan => set.sums(query, offsets, row, |a, b| (a - b).abs(), sums),
        Distance::Hamming => {
            set.sums(query, offsets, row, |a, b| if a == b { 0.0 } else { 1.0 }, sums);
        }
        // The sum is the distance of a graph; scores are computed by definition.
        Distance::Jaccard => {
            sums.clear();
            sums.extend(offsets.iter().map(|offset| distance.score(query, row(*offset)) as f32));
        }
        // All others, including the cosines, are based on the dot product.
        _ => set.sums(query, offsets, row, |a, b| a * b, sums),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectors::{Elements, Vector};

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
            let elements = Elements::OfSnapshot(row);
            let vector = Vector { elements, norm: norm(row), coding: None };
            block.set(offset, Some(&vector), 0);
        }
        block
    }

    fn comparer(distance: Distance, query: &[f32]) -> Comparer<'_> {
        Comparer::new(Instructions::detect(), distance, query)
    }

    fn score(distance: Distance, query: &[f32], row: &[f32]) -> f64 {
        let block = block(&[row]);
        let mut comparer = comparer(distance, query);
        comparer.scores(&block, &[0]).unwrap().next().unwrap()
    }

    #[test]
    fn score_is_independent_of_other_rows() {
        let rows: Vec<Vec<f32>> = (0..23).map(|seed| vector(37, seed)).collect();
        let block = block(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let query = vector(37, 99);
        for distance in Distance::ALL {
            let alone: Vec<f64> = rows.iter().map(|row| score(distance, &query, row)).collect();
            for step in 1..5 {
                let offsets: Vec<u16> = (0..rows.len() as u16).step_by(step).collect();
                let mut comparer = comparer(distance, &query);
                let together: Vec<f64> = comparer.scores(&block, &offsets).unwrap().collect();
                assert_eq!(together.len(), offsets.len());
                assert!(
                    together
                        .iter()
                        .zip(&offsets)
                        .all(|(score, offset)| *score == alone[usize::from(*offset)])
                );
            }
        }
    }

    #[test]
    fn every_distance_agrees_with_its_definition_at_every_length() {
        for distance in Distance::ALL {
            for length in [1, 2, 15, 16, 17, 31, 32, 33, 100, 384] {
                let query = vector(length, 1);
                let row = vector(length, 2);
                let expected = distance.score(&query, &row);
                let actual = score(distance, &query, &row);
                assert!(
                    (actual - expected).abs() <= 1e-5 * (1.0 + expected.abs()),
                    "{distance:?} at {length}: {actual} for {expected}",
                );
            }
        }
    }

    #[test]
    fn elements_beyond_the_squares_of_f32_still_compare() {
        for scale in [1e-30_f32, 1e30] {
            let query = [scale, 0.0];
            let row = [scale, scale];
            for distance in Distance::ALL {
                let actual = score(distance, &query, &row);
                assert_eq!(actual, distance.score(&query, &row), "{distance:?}");
            }
        }
    }

    #[test]
    fn small_whole_numbers_score_exactly() {
        let query = [3.0, 4.0, 0.0];
        let row = [0.0, 4.0, 1.0];
        let score = |distance| score(distance, &query, &row);
        assert_eq!(score(Distance::DotProduct), 16.0);
        assert_eq!(score(Distance::NegativeDotProduct), -16.0);
        assert_eq!(score(Distance::EuclideanSquared), 10.0);
        assert_eq!(score(Distance::Euclidean), 10_f64.sqrt());
        assert_eq!(score(Distance::Manhattan), 4.0);
        assert_eq!(score(Distance::Hamming), 2.0);
        assert_eq!(score(Distance::Jaccard), 1.0 - 1.0 / 3.0);
    }
}
