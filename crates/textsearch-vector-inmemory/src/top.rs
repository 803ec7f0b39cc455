//! The best of many candidates, in a fixed order, without sorting all of them.

use std::{cmp::Ordering, collections::BinaryHeap};

use textsearch_core::vector::RecordKey;

use crate::rows::Row;

/// A record and how good it is, without the record itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Hit {
    /// Where the record is.
    pub(crate) row: Row,
    /// Its score, as the caller sees it.
    pub(crate) score: f64,
}

/// Which records a ranking keeps, and which way round its scores read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ranking {
    /// The number of records to keep.
    pub(crate) limit: usize,
    /// Whether a higher score is a better one.
    pub(crate) is_higher_better: bool,
    /// The score that a record must reach.
    pub(crate) threshold: Option<f64>,
    /// Whether the number of all that reach the threshold matters.
    pub(crate) is_counted: bool,
}

impl Ranking {
    /// How good a score is: higher is always better.
    fn merit(&self, score: f64) -> f64 {
        if self.is_higher_better { score } else { -score }
    }
}

/// The best candidates so far, and the number of all that fit.
pub(crate) struct Best<'a> {
    ranking: Ranking,
    /// The merit that a candidate must reach: that of the threshold, and of the worst kept one once all places are
    /// taken.
    bar: f64,
    count: u64,
    /// The worst on top.
    heap: BinaryHeap<Candidate<'a>>,
}

impl<'a> Best<'a> {
    /// Keeps as many as `ranking` says. Room is taken as candidates come, so any limit will do.
    pub(crate) fn new(ranking: Ranking) -> Self {
        let bar = match ranking.threshold {
            _ if ranking.limit == 0 => f64::INFINITY,
            Some(score) => ranking.merit(score),
            None => f64::NEG_INFINITY,
        };
        Self { ranking, bar, count: 0, heap: BinaryHeap::new() }
    }

    /// Offers a candidate; its key is asked for only where it may be kept.
    #[inline]
    pub(crate) fn offer(
        &mut self,
        row: Row,
        score: f64,
        key: impl FnOnce() -> Option<&'a RecordKey>,
    ) {
        let merit = self.ranking.merit(score);
        if self.reaches_threshold(merit) {
            self.count += 1;
            if merit >= self.bar {
                self.keep(row, score, merit, key);
            }
        }
    }

    /// The number of candidates to keep.
    pub(crate) fn limit(&self) -> usize {
        self.ranking.limit
    }

    /// The merit that a candidate must reach to matter, be it for the ranking or for the count.
    pub(crate) fn bar(&self) -> f64 {
        match self.ranking.threshold {
            Some(threshold) if self.ranking.is_counted => self.ranking.merit(threshold),
            _ => self.bar,
        }
    }

    /// Takes notice of that many candidates that are below the [bar](Self::bar).
    pub(crate) fn leave_out(&mut self, candidates: usize) {
        if self.ranking.threshold.is_none() {
            self.count += candidates as u64;
        }
    }

    /// The number of candidates that reached the threshold, if it is to be counted.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The kept candidates, the best first.
    pub(crate) fn into_hits(self) -> Vec<Hit> {
        let sorted = self.heap.into_sorted_vec();
        sorted.into_iter().map(|one| Hit { row: one.row, score: one.score }).collect()
    }

    fn reaches_threshold(&self, merit: f64) -> bool {
        self.ranking.threshold.is_none_or(|threshold| merit >= self.ranking.merit(threshold))
    }

    fn keep(
        &mut self,
        row: Row,
        score: f64,
        merit: f64,
        key: impl FnOnce() -> Option<&'a RecordKey>,
    ) {
        let Some(key) = key() else { return };
        let candidate = Candidate { merit, key, row, score };
        if self.heap.len() < self.ranking.limit {
            self.heap.push(candidate);
        } else if let Some(mut worst) = self.heap.peek_mut()
            && candidate < *worst
        {
            *worst = candidate;
        }
        if self.heap.len() >= self.ranking.limit
            && let Some(worst) = self.heap.peek()
        {
            self.bar = worst.merit;
        }
    }
}

/// A candidate, ordered from best to worst: by merit, and by key where merits are equal.
struct Candidate<'a> {
    merit: f64,
    key: &'a RecordKey,
    row: Row,
    score: f64,
}

impl Ord for Candidate<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        // Zero and minus zero are one score, which `total_cmp` would keep apart.
        let merits = other.merit.partial_cmp(&self.merit);
        merits.unwrap_or(Ordering::Equal).then_with(|| self.key.cmp(other.key))
    }
}

impl PartialOrd for Candidate<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Candidate<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(ranking: Ranking, scores: &[f64]) -> (Vec<u32>, u64) {
        let keys: Vec<RecordKey> =
            (0..scores.len()).map(|key| RecordKey::from(key as u64)).collect();
        let mut best = Best::new(ranking);
        // Backwards, so that the order of keys is not the order of arrival.
        for (row, score) in scores.iter().enumerate().rev() {
            best.offer(Row(row as u32), *score, || keys.get(row));
        }
        let count = best.count();
        (best.into_hits().into_iter().map(|hit| hit.row.0).collect(), count)
    }

    const HIGHER: Ranking =
        Ranking { limit: 3, is_higher_better: true, threshold: None, is_counted: true };

    #[test]
    fn the_best_come_first_and_ties_in_the_order_of_keys() {
        assert_eq!(best(HIGHER, &[1.0, 2.0, 1.0, 2.0, 0.0]), (vec![1, 3, 0], 5));
        let lower = Ranking { is_higher_better: false, ..HIGHER };
        assert_eq!(best(lower, &[1.0, 2.0, 1.0, 2.0, 0.0]), (vec![4, 0, 2], 5));
    }

    #[test]
    fn zero_and_minus_zero_are_a_tie() {
        assert_eq!(best(HIGHER, &[-0.0, 0.0, -0.0]).0, [0, 1, 2]);
    }

    #[test]
    fn a_threshold_includes_its_own_score_and_bounds_the_count() {
        let ranking = Ranking { threshold: Some(1.0), ..HIGHER };
        assert_eq!(best(ranking, &[0.5, 1.0, 3.0]), (vec![2, 1], 2));
        let ranking = Ranking { is_higher_better: false, ..ranking };
        assert_eq!(best(ranking, &[0.5, 1.0, 3.0]), (vec![0, 1], 2));
    }

    #[test]
    fn any_limit_works() {
        assert_eq!(best(Ranking { limit: 0, ..HIGHER }, &[1.0, 2.0]), (vec![], 2));
        assert_eq!(best(Ranking { limit: usize::MAX, ..HIGHER }, &[1.0, 2.0]), (vec![1, 0], 2));
    }
}
