//! The lengths of vectors.

use crate::simd::Instructions;

/// Vector lengths for which no product or square of two elements overflows or underflows in `f32`.
pub(crate) const ORDINARY: std::ops::Range<f32> = 1e-12..1e12;

/// Returns the length of a vector. It is summed in `f64`, so it is right for any finite elements.
pub(crate) fn norm(vector: &[f32]) -> f32 {
    sum_of_squares(vector).sqrt() as f32
}

/// Returns the sum of the squared elements: finite if all are finite, and above zero unless all are
/// zero.
pub(super) fn sum_of_squares(vector: &[f32]) -> f64 {
    Instructions::detect().sum_of_squares(vector)
}
