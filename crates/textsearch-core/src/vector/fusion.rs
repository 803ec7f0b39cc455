//! Fusion of the two rankings of a hybrid search.

use std::{collections::HashMap, hash::Hash};

use crate::{Error, Result};

/// How a hybrid search fuses its word ranking with its vector ranking: the best
/// [`DEPTH`](Self::DEPTH) records of each. Ties are broken by key.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive] // Other fusions follow.
pub enum Fusion {
    /// Each record scores the sum of `1 / (rank_constant + rank)` over the rankings that contain
    /// it. Ranks start at 1. [Cormack et al. 2009](https://dl.acm.org/doi/10.1145/1571941.1572114)
    /// use a constant of 60.
    ReciprocalRank {
        /// The rank constant. A larger one gives the top ranks less advantage.
        rank_constant: u32,
    },
    /// Each record scores `vector_weight` × vector score + (1 − `vector_weight`) × word score.
    /// Scores are first scaled to 0 for the worst and 1 for the best of each ranking. A record
    /// missing from a ranking has 0 there. This is the default, with
    /// [`Fusion::DEFAULT_VECTOR_WEIGHT`].
    WeightedScores {
        /// The weight of the vector ranking, from 0 to 1.
        vector_weight: f64,
    },
}

impl Fusion {
    /// The number of records of each ranking that are fused for the first `DEPTH` results, so that
    /// all windows show one ranking. Beyond, whole rankings are fused, or as much as a store can
    /// rank.
    pub const DEPTH: usize = 1000;

    /// The weight of the vector ranking in the default fusion.
    pub const DEFAULT_VECTOR_WEIGHT: f64 = 0.5;

    /// Returns reciprocal rank fusion.
    pub const fn reciprocal_rank(rank_constant: u32) -> Self {
        Self::ReciprocalRank { rank_constant }
    }

    /// Returns weighted scores.
    pub const fn weighted_scores(vector_weight: f64) -> Self {
        Self::WeightedScores { vector_weight }
    }

    /// Returns how many records of each ranking to fuse for `count` results; `None` means all.
    pub const fn depth(count: usize) -> Option<usize> {
        if count <= Self::DEPTH { Some(Self::DEPTH) } else { None }
    }

    /// Checks the settings. Errors name `connector`.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](crate::ErrorKind::InvalidOptions) if the weight is not from 0 to
    /// 1.
    pub(super) fn check(&self, connector: &str) -> Result<()> {
        match self {
            Self::WeightedScores { vector_weight } if !(0.0..=1.0).contains(vector_weight) => {
                let value = format_args!("a vector weight of {vector_weight}");
                Err(Error::invalid_options(connector, "fusion", value, "a weight from 0 to 1"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the fused scores. Pass each ranking with its scores, best first, and ties ordered by
    /// key.
    ///
    /// ```
    /// use textsearch_core::vector::Fusion;
    ///
    /// let scores = Fusion::reciprocal_rank(60).fuse([("a", 0.9), ("b", 0.7)], [("b", 4.2)]);
    /// assert_eq!((scores["a"], scores["b"]), (1.0 / 61.0, 1.0 / 62.0 + 1.0 / 61.0));
    /// ```
    pub fn fuse<K: Eq + Hash>(
        &self,
        by_vector: impl IntoIterator<Item = (K, f64)>,
        by_words: impl IntoIterator<Item = (K, f64)>,
    ) -> HashMap<K, f64> {
        let mut scores = HashMap::new();
        match *self {
            Self::ReciprocalRank { rank_constant } => {
                let constant = f64::from(rank_constant);
                add_ranks(&mut scores, by_vector, constant);
                add_ranks(&mut scores, by_words, constant);
            }
            Self::WeightedScores { vector_weight } => {
                add_scaled(&mut scores, by_vector, vector_weight);
                add_scaled(&mut scores, by_words, 1.0 - vector_weight);
            }
        }
        scores
    }
}

impl Default for Fusion {
    fn default() -> Self {
        Self::weighted_scores(Self::DEFAULT_VECTOR_WEIGHT)
    }
}

fn add_ranks<K: Eq + Hash>(
    scores: &mut HashMap<K, f64>,
    ranking: impl IntoIterator<Item = (K, f64)>,
    constant: f64,
) {
    for (place, (key, _)) in (1_u32..).zip(ranking) {
        *scores.entry(key).or_default() += 1.0 / (constant + f64::from(place));
    }
}

/// The order tells the best from the worst, whether higher or lower is better.
fn add_scaled<K: Eq + Hash>(
    scores: &mut HashMap<K, f64>,
    ranking: impl IntoIterator<Item = (K, f64)>,
    weight: f64,
) {
    let ranking: Vec<(K, f64)> = ranking.into_iter().collect();
    let score = |ranked: Option<&(K, f64)>| ranked.map_or(0.0, |(_, score)| *score);
    let best = score(ranking.first());
    let worst = score(ranking.last());
    for (key, score) in ranking {
        let scaled = if best == worst { 1.0 } else { (score - worst) / (best - worst) };
        *scores.entry(key).or_default() += weight * scaled;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_scores_from_worst_to_best() {
        let distances = [("a", 0.0), ("b", 1.0), ("c", 4.0)];
        let scores = Fusion::weighted_scores(0.5).fuse(distances, [("c", 7.0)]);
        assert_eq!((scores["a"], scores["b"], scores["c"]), (0.5, 0.375, 0.5));
    }

    #[test]
    fn an_empty_ranking_leaves_the_order_to_the_other() {
        let none = || Vec::<(&str, f64)>::new();
        let by_words = Fusion::default().fuse(none(), [("a", 7.0), ("b", 3.0)]);
        assert_eq!((by_words["a"], by_words["b"]), (0.5, 0.0));
        let by_vector = Fusion::default().fuse([("a", 0.9), ("b", 0.1)], none());
        assert_eq!((by_vector["a"], by_vector["b"]), (0.5, 0.0));
    }

    #[test]
    fn rejects_a_weight_outside_0_to_1() {
        assert!(Fusion::weighted_scores(1.0).check("shelf").is_ok());
        let error = Fusion::weighted_scores(1.5).check("shelf").unwrap_err();
        assert!(error.to_string().contains("a vector weight of 1.5"), "{error}");
    }

    #[test]
    fn first_thousand_results_are_fused_at_one_depth() {
        assert_eq!((Fusion::depth(1), Fusion::depth(1000)), (Some(1000), Some(1000)));
        assert_eq!(Fusion::depth(1001), None);
    }
}
