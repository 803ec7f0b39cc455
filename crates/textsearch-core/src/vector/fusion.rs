//! How the two rankings of a hybrid search become one.

/// How a hybrid search fuses its ranking by words with its ranking by vector. Ties are broken by key.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Fusion {
    /// Each record scores the sum of `1 / (rank_constant + place)` over the rankings that hold it, places beginning
    /// at 1: [Cormack et al. 2009](https://dl.acm.org/doi/10.1145/1571941.1572114), who take 60.
    ReciprocalRank {
        /// How little the first places stand out; 60 by default.
        rank_constant: u32,
    },
    /// Each record scores `vector_weight` times its score by vector and the rest times its score by words, each scaled
    /// to 0 for the worst and 1 for the best of its ranking; a record that one ranking lacks has 0 there.
    WeightedScores {
        /// The share of the ranking by vector, from 0 to 1.
        vector_weight: f64,
    },
}

impl Fusion {
    /// Reciprocal rank fusion with the given constant.
    pub const fn reciprocal_rank(rank_constant: u32) -> Self {
        Self::ReciprocalRank { rank_constant }
    }

    /// Scaled scores, `vector_weight` of them by vector and the rest by words.
    pub const fn weighted_scores(vector_weight: f64) -> Self {
        Self::WeightedScores { vector_weight }
    }
}

impl Default for Fusion {
    fn default() -> Self {
        Self::reciprocal_rank(60)
    }
}
