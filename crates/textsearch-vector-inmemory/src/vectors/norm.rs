//! The lengths of vectors.

use crate::simd::Instructions;

/// Vector lengths for which products and squares of elements stay within the range of `f32`.
pub(crate) const ORDINARY: std::ops::Range<f32> = 1e-12..1e12;

/// Sums in `f64`, so the length is right for any finite elements.
pub(crate) fn norm(vector: &[f32]) -> f32 {
    sum_of_squares(vector).sqrt() as f32
}

/// Finite if all elements are finite, and above zero unless all are zero.
pub(super) fn sum_of_squares(vector: &[f32]) -> f64 {
    Instructions::detect().sum_of_squares(vector)
}
