//! Fusion of the two rankings of a hybrid search.

use std::{collections::HashMap, hash::Hash};

use crate::{
    Error, Result,
    results::{Explanation, ExplanationStep},
};

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
        let mut add = |ranked: Ranked<K>| {
            *scores.entry(ranked.key).or_default() += ranked.contribution;
        };
        let [vector, words] = self.legs();
        vector.for_each(by_vector, &mut add);
        words.for_each(by_words, &mut add);
        scores
    }

    /// Explains the fused scores of `keys`, in their order. Pass the same rankings as to
    /// [`fuse`](Self::fuse). An explanation has a step for each ranking that contains the key.
    ///
    /// ```
    /// use textsearch_core::vector::Fusion;
    ///
    /// let explained = Fusion::default().explain(["b"], [("a", 0.9), ("b", 0.7)], [("b", 4.2)]);
    /// let words = explained[0].step("full_text").unwrap();
    /// assert_eq!((words.rank, words.contribution), (Some(1), Some(0.5)));
    /// ```
    pub fn explain<K: Eq + Hash>(
        &self,
        keys: impl IntoIterator<Item = K>,
        by_vector: impl IntoIterator<Item = (K, f64)>,
        by_words: impl IntoIterator<Item = (K, f64)>,
    ) -> Vec<Explanation> {
        let places: HashMap<K, usize> = keys.into_iter().zip(0..).collect();
        let mut explanations = vec![Explanation::default(); places.len()];
        let mut explain = |name, leg: Leg, ranked: Ranked<K>| {
            let place = places.get(&ranked.key).and_then(|place| explanations.get_mut(*place));
            let Some(explanation) = place else { return };
            explanation.push(ExplanationStep {
                rank: Some(ranked.rank),
                score: Some(ranked.score),
                weight: leg.weight(),
                contribution: Some(ranked.contribution),
                ..ExplanationStep::new(name)
            });
        };
        let [vector, words] = self.legs();
        vector.for_each(by_vector, |ranked| explain(ExplanationStep::VECTOR, vector, ranked));
        words.for_each(by_words, |ranked| explain(ExplanationStep::FULL_TEXT, words, ranked));
        explanations
    }

    /// Returns the kind of fusion, for explanations.
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::ReciprocalRank { .. } => "reciprocal_rank",
            Self::WeightedScores { .. } => "weighted_scores",
        }
    }

    /// Returns how the ranking by vector counts, and the one by words.
    fn legs(&self) -> [Leg; 2] {
        match *self {
            Self::ReciprocalRank { rank_constant } => {
                [Leg::ByRank { constant: f64::from(rank_constant) }; 2]
            }
            Self::WeightedScores { vector_weight } => {
                [vector_weight, 1.0 - vector_weight].map(|weight| Leg::ByScore { weight })
            }
        }
    }
}

impl Default for Fusion {
    fn default() -> Self {
        Self::weighted_scores(Self::DEFAULT_VECTOR_WEIGHT)
    }
}

/// How one ranking counts in a fusion.
#[derive(Clone, Copy)]
enum Leg {
    ByRank { constant: f64 },
    ByScore { weight: f64 },
}

struct Ranked<K> {
    key: K,
    /// From 1.
    rank: usize,
    score: f64,
    /// What the ranking adds to the fused score.
    contribution: f64,
}

impl Leg {
    fn weight(self) -> Option<f64> {
        match self {
            Self::ByRank { .. } => None,
            Self::ByScore { weight } => Some(weight),
        }
    }

    fn for_each<K>(
        self,
        ranking: impl IntoIterator<Item = (K, f64)>,
        mut take: impl FnMut(Ranked<K>),
    ) {
        match self {
            Self::ByRank { constant } => {
                for (rank, (key, score)) in (1..).zip(ranking) {
                    let contribution = 1.0 / (constant + rank as f64);
                    take(Ranked { key, rank, score, contribution });
                }
            }
            Self::ByScore { weight } => {
                let ranking: Vec<(K, f64)> = ranking.into_iter().collect();
                let scale = Scale::new(&ranking);
                for (rank, (key, score)) in (1..).zip(ranking) {
                    let contribution = weight * scale.scaled(score);
                    take(Ranked { key, rank, score, contribution });
                }
            }
        }
    }
}

/// Scales scores to 0 for the worst and 1 for the best. The order of the ranking tells which is
/// which, whether higher or lower is better.
struct Scale {
    best: f64,
    worst: f64,
}

impl Scale {
    fn new<K>(ranking: &[(K, f64)]) -> Self {
        let score = |ranked: Option<&(K, f64)>| ranked.map_or(0.0, |(_, score)| *score);
        Self { best: score(ranking.first()), worst: score(ranking.last()) }
    }

    fn scaled(&self, score: f64) -> f64 {
        let Self { best, worst } = self;
        if best == worst { 1.0 } else { (score - worst) / (best - worst) }
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
    fn contributions_add_up_to_the_fused_score() {
        let by_vector = [("a", 0.9), ("b", 0.5), ("c", 0.1)];
        let by_words = [("c", 7.0), ("b", 3.0)];
        for fusion in [Fusion::weighted_scores(0.3), Fusion::reciprocal_rank(60)] {
            let scores = fusion.fuse(by_vector, by_words);
            let keys = ["c", "a", "b"];
            for (key, explanation) in keys.iter().zip(fusion.explain(keys, by_vector, by_words)) {
                let parts = explanation.steps().iter().map(|step| step.contribution.unwrap());
                assert_eq!(parts.sum::<f64>(), scores[key], "{key}");
            }
        }
    }

    #[test]
    fn a_ranking_without_the_record_has_no_step() {
        let explained =
            Fusion::weighted_scores(0.3).explain(["a", "z"], [("a", 0.9)], [("b", 3.0)]);
        let [a, z] = explained.as_slice() else { panic!("two keys") };
        assert!(z.is_empty() && a.step(ExplanationStep::FULL_TEXT).is_none());
        assert_eq!(a.step(ExplanationStep::VECTOR).unwrap().weight, Some(0.3));
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
