//! Rotates queries and keys by their position, so that their product tells the distance.

use super::{Processor, Work};

/// Cosines and sines of each position's angles.
#[derive(Debug, Clone)]
pub(crate) struct RotaryEmbedding {
    half: usize,
    cosines: Vec<f32>,
    sines: Vec<f32>,
}

impl RotaryEmbedding {
    /// Vectors have `size` elements. Each element of the first half turns with its partner in the second
    /// half.
    pub(crate) fn new(theta: f64, size: usize, positions: usize) -> Self {
        let half = size / 2;
        // In 32 bits, as models were trained.
        let frequency = |place: usize| 1.0 / (theta as f32).powf(2.0 * place as f32 / size as f32);
        let frequencies: Vec<f32> = (0..half).map(frequency).collect();
        let angles = (0..positions).flat_map(|position| {
            frequencies.iter().map(move |frequency| position as f32 * frequency)
        });
        let (sines, cosines) = angles.map(f32::sin_cos).unzip();
        Self { half, cosines, sines }
    }

    /// Rotates the first `count` vectors of each row. Rows are `stride` apart, and have consecutive
    /// positions from 0.
    pub(crate) fn apply(&self, rows: &mut [f32], stride: usize, count: usize) {
        Processor::detect().run(Rotate { rotary: self, rows, stride, count });
    }
}

struct Rotate<'a> {
    rotary: &'a RotaryEmbedding,
    rows: &'a mut [f32],
    stride: usize,
    count: usize,
}

impl Work for Rotate<'_> {
    #[inline(always)]
    fn run(self) {
        let RotaryEmbedding { half, cosines, sines } = self.rotary;
        let half = (*half).max(1);
        let angles = cosines.chunks_exact(half).zip(sines.chunks_exact(half));
        for (row, (cosines, sines)) in self.rows.chunks_exact_mut(self.stride).zip(angles) {
            for vector in row.chunks_exact_mut(2 * half).take(self.count) {
                let (first, second) = vector.split_at_mut(half);
                let pairs = first.iter_mut().zip(second);
                for ((first, second), (cosine, sine)) in pairs.zip(cosines.iter().zip(sines)) {
                    let before = *first;
                    *first = before * cosine - *second * sine;
                    *second = *second * cosine + before * sine;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_turn_by_position_and_the_rest_stays() {
        let mut rows = [1.0, 0.0, 7.0].repeat(3);
        RotaryEmbedding::new(10_000.0, 2, 3).apply(&mut rows, 3, 1);
        for (position, row) in rows.chunks(3).enumerate() {
            let (sine, cosine) = (position as f32).sin_cos();
            assert_eq!(row, [cosine, sine, 7.0]);
        }
    }
}
