//! Weighted reciprocal rank fusion of several rankings.

use std::{
    collections::{HashMap, hash_map::Entry},
    hash::Hash,
};

use crate::explanation::ExplanationStep;

/// The usual constant of reciprocal rank fusion, of [Cormack et al.
/// 2009](https://dl.acm.org/doi/10.1145/1571941.1572114). A larger one gives the top ranks less
/// advantage.
pub const RANK_CONSTANT: u32 = 60;

/// A result of the fused ranking, as [`fuse_rankings`] returns it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FusedPlace {
    /// The sum of what the rankings contribute.
    pub score: f64,
    /// The ranking that has the result first.
    pub best: FusedLeg,
    /// The rankings that contain the result, in their order.
    pub legs: Vec<FusedLeg>,
}

/// The rank of a result in one of the fused rankings.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct FusedLeg {
    /// The number of the ranking, counted from 0.
    pub ranking: usize,
    /// The rank in it, counted from 1.
    pub rank: usize,
    /// What it adds to the fused score.
    pub contribution: f64,
}

/// Fuses `rankings`, each with its weight and the keys of its results, best first. Returns the fused
/// ranking, best first.
///
/// Each result scores the sum of `weight / (rank_constant + rank)` over the rankings that contain it. A
/// ranking that repeats a result counts once. Ties are broken by the best rank, then by the order of the
/// rankings.
///
/// ```
/// use textsearch_core::results::{RANK_CONSTANT, fuse_rankings};
///
/// let fused = fuse_rankings([(1.0, vec!["a", "b"]), (0.5, vec!["b"])], RANK_CONSTANT);
/// assert_eq!((fused[0].legs.len(), fused[0].score), (2, 1.0 / 62.0 + 0.5 / 61.0));
/// assert_eq!((fused[0].best.ranking, fused[0].best.rank), (1, 1));
/// ```
pub fn fuse_rankings<K: Eq + Hash>(
    rankings: impl IntoIterator<Item = (f64, Vec<K>)>,
    rank_constant: u32,
) -> Vec<FusedPlace> {
    let mut known = HashMap::new();
    let mut places: Vec<FusedPlace> = Vec::new();
    for (ranking, (weight, keys)) in rankings.into_iter().enumerate() {
        for (key, rank) in keys.into_iter().zip(1..) {
            let contribution = weight / (f64::from(rank_constant) + rank as f64);
            let leg = FusedLeg { ranking, rank, contribution };
            match known.entry(key) {
                Entry::Vacant(unknown) => {
                    unknown.insert(places.len());
                    places.push(FusedPlace { score: contribution, best: leg, legs: vec![leg] });
                }
                Entry::Occupied(place) => {
                    if let Some(place) = places.get_mut(*place.get()) {
                        place.add(leg);
                    }
                }
            }
        }
    }
    places.sort_by(|left, right| {
        right.score.total_cmp(&left.score).then(left.best.rank.cmp(&right.best.rank))
    });
    places
}

impl FusedPlace {
    fn add(&mut self, leg: FusedLeg) {
        if self.legs.last().is_some_and(|last| last.ranking == leg.ranking) {
            return;
        }
        self.score += leg.contribution;
        if leg.rank < self.best.rank {
            self.best = leg;
        }
        self.legs.push(leg);
    }

    /// Returns a step for each ranking that contains the result, and one for the fusion. `rank` is the
    /// result's rank in the fused ranking, from 1. `step` names the source or query of a ranking and
    /// the score there; this method adds rank and contribution.
    pub fn steps(
        &self,
        rank: usize,
        step: impl Fn(FusedLeg) -> ExplanationStep,
    ) -> Vec<ExplanationStep> {
        let legs = self.legs.iter().map(|leg| ExplanationStep {
            rank: Some(leg.rank),
            contribution: Some(leg.contribution),
            ..step(*leg)
        });
        let fusion = ExplanationStep {
            detail: Some("reciprocal_rank".to_owned()),
            rank: Some(rank),
            score: Some(self.score),
            ..ExplanationStep::new(ExplanationStep::FUSION)
        };
        legs.chain([fusion]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ranking_that_repeats_a_result_counts_once() {
        let fused = fuse_rankings([(1.0, vec!["a", "a", "b"])], 0);
        let scores: Vec<_> = fused.iter().map(|place| place.score).collect();
        assert_eq!(scores, [1.0, 1.0 / 3.0]);
    }

    #[test]
    fn steps_have_each_rank_and_the_fused_one() {
        let fused = fuse_rankings([(1.0, vec!["a"]), (2.0, vec!["b", "a"])], 0);
        let steps = fused[0].steps(1, |leg| ExplanationStep::new(leg.ranking.to_string()));
        let steps: Vec<_> =
            steps.iter().map(|step| (&*step.name, step.rank, step.contribution)).collect();
        let legs = [("0", Some(1), Some(1.0)), ("1", Some(2), Some(1.0))];
        assert_eq!(steps, [legs[0], legs[1], ("fusion", Some(1), None)]);
    }
}
