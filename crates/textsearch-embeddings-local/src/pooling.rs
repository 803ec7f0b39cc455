//! Pools the vectors of a text's tokens into one vector.

use crate::folder::PoolingMode;

/// `tokens` has at least one row of `size` elements.
pub(crate) fn pool(mode: PoolingMode, tokens: &[f32], size: usize) -> Vec<f32> {
    let rows = tokens.chunks_exact(size);
    let count = rows.len().max(1) as f32;
    match mode {
        PoolingMode::First => rows.take(1).flatten().copied().collect(),
        PoolingMode::Last => rows.rev().take(1).flatten().copied().collect(),
        PoolingMode::Max => fold(rows, size, f32::NEG_INFINITY, |_, max, value| max.max(value)),
        PoolingMode::Mean => scaled(sum(rows, size), count),
        PoolingMode::MeanSquareRoot => scaled(sum(rows, size), count.sqrt()),
        PoolingMode::WeightedMean => {
            let sums = fold(rows, size, 0.0, |place, sum, value| sum + value * (place + 1) as f32);
            scaled(sums, count * (count + 1.0) / 2.0)
        }
    }
}

/// Leaves a zero vector unchanged.
pub(crate) fn normalize(vector: &mut [f32]) {
    // Squares of large values overflow 32 bits, and the vector would become zeros.
    let squares = vector.iter().map(|value| f64::from(*value).powi(2));
    let length = squares.sum::<f64>().sqrt().max(1e-12);
    vector.iter_mut().for_each(|value| *value = (f64::from(*value) / length) as f32);
}

fn sum<'a>(rows: impl Iterator<Item = &'a [f32]>, size: usize) -> Vec<f32> {
    fold(rows, size, 0.0, |_, sum, value| sum + value)
}

fn fold<'a>(
    rows: impl Iterator<Item = &'a [f32]>,
    size: usize,
    start: f32,
    step: impl Fn(usize, f32, f32) -> f32,
) -> Vec<f32> {
    let mut folded = vec![start; size];
    for (place, row) in rows.enumerate() {
        for (folded, value) in folded.iter_mut().zip(row) {
            *folded = step(place, *folded, *value);
        }
    }
    folded
}

fn scaled(mut vector: Vec<f32>, divisor: f32) -> Vec<f32> {
    vector.iter_mut().for_each(|value| *value /= divisor);
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pooled(mode: PoolingMode) -> Vec<f32> {
        pool(mode, &[1.0, -2.0, 3.0, 4.0, 5.0, -8.0, 7.0, 2.0], 2)
    }

    #[test]
    fn each_pooling_mode_matches_its_name() {
        assert_eq!(pooled(PoolingMode::First), [1.0, -2.0]);
        assert_eq!(pooled(PoolingMode::Last), [7.0, 2.0]);
        assert_eq!(pooled(PoolingMode::Max), [7.0, 4.0]);
        assert_eq!(pooled(PoolingMode::Mean), [4.0, -1.0]);
        assert_eq!(pooled(PoolingMode::MeanSquareRoot), [8.0, -2.0]);
        assert_eq!(pooled(PoolingMode::WeightedMean), [5.0, -1.0]);
    }

    #[test]
    fn a_normalised_vector_has_length_one_and_zeros_stay() {
        let mut vector = [3.0, 4.0];
        let mut zeros = [0.0, 0.0];
        normalize(&mut vector);
        normalize(&mut zeros);
        assert_eq!((vector, zeros), ([0.6, 0.8], [0.0, 0.0]));
    }

    #[test]
    fn large_values_normalise_without_overflow() {
        let large = 2.0_f32.powi(100);
        let mut vector = [3.0 * large, 4.0 * large];
        normalize(&mut vector);
        assert_eq!(vector, [0.6, 0.8]);
    }
}
