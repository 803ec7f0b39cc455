//! The lengths of vectors.

use crate::simd::Instructions;

/// Lengths between which no product or square of two elements overflows an `f32` or vanishes in it.
pub(crate) const ORDINARY: std::ops::Range<f32> = 1e-12..1e12;

/// The length of a vector, summed in `f64`, so that it is right for any elements that are finite.
pub(crate) fn norm(vector: &[f32]) -> f32 {
    sum_of_squares(vector).sqrt() as f32
}

/// The sum of the squares of elements: finite where all of them are, and more than zero unless all of them are zero.
pub(super) fn sum_of_squares(vector: &[f32]) -> f64 {
    Instructions::detect().sum_of_squares(vector)
}
