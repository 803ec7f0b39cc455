//! The measures of trec_eval.

use serde::Serialize;

use crate::Judged;

/// The quality of one answer, or its mean over queries: the measures of trec_eval, from 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Measures {
    /// The normalised discounted cumulative gain, with linear gains.
    pub ndcg: f64,
    /// The fraction of the relevant documents that was found.
    pub recall: f64,
    /// 1 divided by the rank of the first relevant document; 0 without one.
    pub reciprocal_rank: f64,
}

impl Measures {
    /// Measures an answer: the ids of documents, best first. An unjudged document isn't relevant.
    ///
    /// ```
    /// use textsearch_eval::{Judged, Measures};
    ///
    /// let judged = Judged::from([("a".to_owned(), 1)]);
    /// let measures = Measures::of_documents(["x", "a"], &judged, 10);
    /// assert_eq!((measures.recall, measures.reciprocal_rank), (1.0, 0.5));
    /// ```
    pub fn of_documents<'a>(
        documents: impl IntoIterator<Item = &'a str>,
        judged: &Judged,
        cutoff: usize,
    ) -> Self {
        let scores = documents.into_iter().map(|id| judged.get(id).copied().unwrap_or_default());
        Self::from_scores(&scores.collect::<Vec<_>>(), judged.values().copied(), cutoff)
    }

    /// Takes the scores of the returned documents, best first, and of all judged ones.
    fn from_scores(scores: &[i32], judged: impl IntoIterator<Item = i32>, cutoff: usize) -> Self {
        let scores = scores.get(..cutoff).unwrap_or(scores);
        let mut ideal: Vec<i32> = judged.into_iter().filter(is_relevant).collect();
        ideal.sort_unstable_by(|left, right| right.cmp(left));
        if ideal.is_empty() {
            return Self::default();
        }
        let relevant = scores.iter().filter(|score| is_relevant(score)).count();
        let first = scores.iter().position(is_relevant);
        Self {
            ndcg: discounted_gain(scores, cutoff) / discounted_gain(&ideal, cutoff),
            recall: relevant as f64 / ideal.len() as f64,
            reciprocal_rank: first.map_or(0.0, |index| 1.0 / (index as f64 + 1.0)),
        }
    }

    pub(crate) fn mean(all: impl ExactSizeIterator<Item = Self>) -> Self {
        let number = all.len().max(1) as f64;
        let sum = all.fold(Self::default(), |sum, measures| Self {
            ndcg: sum.ndcg + measures.ndcg,
            recall: sum.recall + measures.recall,
            reciprocal_rank: sum.reciprocal_rank + measures.reciprocal_rank,
        });
        Self {
            ndcg: sum.ndcg / number,
            recall: sum.recall / number,
            reciprocal_rank: sum.reciprocal_rank / number,
        }
    }
}

fn is_relevant(score: &i32) -> bool {
    *score > 0
}

fn discounted_gain(scores: &[i32], cutoff: usize) -> f64 {
    let places = scores.iter().take(cutoff).zip(2_u32..);
    let gains = places.map(|(score, place)| f64::from((*score).max(0)) / f64::from(place).log2());
    // The sum of no floats is -0; adding 0 makes it 0.
    gains.sum::<f64>() + 0.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CUTOFF: usize = 10;

    /// Each judged document occurs at most once, among unjudged ones.
    fn answers() -> impl Strategy<Value = (Vec<i32>, Vec<i32>)> {
        let judged = prop::collection::vec(-1..=4, 1..20);
        judged.prop_flat_map(|judged| {
            let unjudged = vec![0; 10];
            let all = [judged.clone(), unjudged].concat();
            let length = all.len();
            let shuffled = (Just(all).prop_shuffle(), 1..=length);
            (shuffled.prop_map(|(all, length)| all[..length].to_vec()), Just(judged))
        })
    }

    fn figures(scores: &[i32], judged: &[i32]) -> Measures {
        Measures::from_scores(scores, judged.iter().copied(), CUTOFF)
    }

    proptest! {
        #[test]
        fn every_figure_is_from_0_to_1((scores, judged) in answers()) {
            let Measures { ndcg, recall, reciprocal_rank } = figures(&scores, &judged);
            for figure in [ndcg, recall, reciprocal_rank] {
                prop_assert!((0.0..=1.0 + 1e-12).contains(&figure), "{figure}");
            }
        }

        #[test]
        fn the_best_order_has_an_ndcg_of_1(mut judged in prop::collection::vec(0..=4_i32, 1..30)) {
            judged.sort_by_key(|score| std::cmp::Reverse(*score));
            let expected = if judged[0] > 0 { 1.0 } else { 0.0 };
            prop_assert_eq!(figures(&judged, &judged).ndcg, expected);
        }

        #[test]
        fn moving_a_better_document_up_worsens_no_measure(
            (mut scores, judged) in answers(), left in 0_usize..30, right in 0_usize..30,
        ) {
            let left = left % scores.len();
            let right = right % scores.len();
            let upper = left.min(right);
            let lower = left.max(right);
            if scores[upper] > scores[lower] {
                scores.swap(upper, lower);
            }
            let before = figures(&scores, &judged);
            scores.swap(upper, lower);
            let after = figures(&scores, &judged);
            prop_assert!(after.ndcg >= before.ndcg - 1e-12);
            prop_assert!(after.recall >= before.recall);
            prop_assert!(after.reciprocal_rank >= before.reciprocal_rank);
        }

        #[test]
        fn documents_below_the_cutoff_change_nothing((scores, judged) in answers()) {
            let cut = &scores[..scores.len().min(CUTOFF)];
            prop_assert_eq!(figures(&scores, &judged), figures(cut, &judged));
        }
    }

    #[test]
    fn gain_is_linear_with_logarithmic_discount() {
        let ndcg = figures(&[1, 0, 2], &[2, 1]).ndcg;
        let expected = (1.0 + 2.0 / 2.0) / (2.0 + 1.0 / 3_f64.log2());
        assert!((ndcg - expected).abs() < 1e-12, "{ndcg}");
    }

    #[test]
    fn nothing_found_and_nothing_relevant_are_0() {
        assert_eq!(figures(&[], &[1]), Measures::default());
        assert!(figures(&[], &[1]).ndcg.is_sign_positive());
        assert_eq!(figures(&[0, -1], &[0, -1]), Measures::default());
        assert_eq!(Measures::mean([].into_iter()), Measures::default());
    }

    #[test]
    fn recall_counts_all_relevant_documents_although_fewer_fit() {
        let relevant = vec![1; 20];
        assert_eq!(figures(&relevant, &relevant).recall, 0.5);
    }

    #[test]
    fn averages_each_measure_separately() {
        let all = [figures(&[0, 1], &[1]), figures(&[1], &[1, 1])];
        let mean = Measures::mean(all.into_iter());
        assert_eq!((mean.recall, mean.reciprocal_rank), (0.75, 0.75));
    }
}
