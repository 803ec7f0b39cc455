//! How two vectors are compared.

use serde::{Deserialize, Serialize};

/// How two vectors are compared, and whether a higher or a lower score is nearer.
///
/// ```
/// use textsearch_core::vector::Distance;
///
/// assert_eq!(Distance::Manhattan.score(&[0.0, 1.0], &[2.0, 1.0]), 2.0);
/// assert!(Distance::DotProduct.is_higher_better());
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive] // Stores add distances.
pub enum Distance {
    /// The cosine of the angle: 1 for the same direction, -1 for the opposite one.
    #[default]
    CosineSimilarity,
    /// One minus the cosine similarity: 0 for the same direction, 2 for the opposite one.
    CosineDistance,
    /// The dot product: higher is nearer.
    DotProduct,
    /// The negated dot product: lower is nearer.
    NegativeDotProduct,
    /// The length of the difference between the vectors.
    Euclidean,
    /// The square of the length of the difference.
    EuclideanSquared,
    /// The sum of the absolute differences.
    Manhattan,
    /// The number of elements that differ.
    Hamming,
    /// One minus the [Jaccard index](https://en.wikipedia.org/wiki/Jaccard_index): the number of
    /// elements other than zero in both vectors, divided by their number in either. 1 for two vectors
    /// of zeros.
    Jaccard,
}

impl Distance {
    /// All distances.
    pub const ALL: [Self; 9] = [
        Self::CosineSimilarity,
        Self::CosineDistance,
        Self::DotProduct,
        Self::NegativeDotProduct,
        Self::Euclidean,
        Self::EuclideanSquared,
        Self::Manhattan,
        Self::Hamming,
        Self::Jaccard,
    ];

    /// Returns whether a higher score is a nearer vector.
    pub const fn is_higher_better(self) -> bool {
        matches!(self, Self::CosineSimilarity | Self::DotProduct)
    }

    /// Returns whether all-zero vectors cannot be compared.
    pub const fn needs_direction(self) -> bool {
        matches!(self, Self::CosineSimilarity | Self::CosineDistance)
    }

    /// Returns the score of two vectors of the same length. Surplus elements of either are ignored.
    /// The cosine of a zero vector is 0.
    ///
    /// This is the reference implementation in `f64`; backends have faster ones that agree with it.
    pub fn score(self, left: &[f32], right: &[f32]) -> f64 {
        let pairs = || left.iter().zip(right).map(|(a, b)| (f64::from(*a), f64::from(*b)));
        let dot = || pairs().map(|(a, b)| a * b).sum::<f64>();
        let cosine = || {
            let lengths = norm(left) * norm(right);
            if lengths == 0.0 { 0.0 } else { dot() / lengths }
        };
        let squared = || pairs().map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        match self {
            Self::CosineSimilarity => cosine(),
            Self::CosineDistance => 1.0 - cosine(),
            Self::DotProduct => dot(),
            Self::NegativeDotProduct => -dot(),
            Self::Euclidean => squared().sqrt(),
            Self::EuclideanSquared => squared(),
            Self::Manhattan => pairs().map(|(a, b)| (a - b).abs()).sum(),
            Self::Hamming => pairs().filter(|(a, b)| a != b).count() as f64,
            Self::Jaccard => {
                let both = pairs().filter(|(a, b)| *a != 0.0 && *b != 0.0).count();
                let either = pairs().filter(|(a, b)| *a != 0.0 || *b != 0.0).count();
                1.0 - both as f64 / either.max(1) as f64
            }
        }
    }
}

fn norm(vector: &[f32]) -> f64 {
    vector.iter().map(|element| f64::from(*element) * f64::from(*element)).sum::<f64>().sqrt()
}
