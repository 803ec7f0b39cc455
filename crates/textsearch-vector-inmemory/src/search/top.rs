//! Keeps the best of many candidates, in a fixed order, without sorting all of them.

use std::{borrow::Cow, cmp::Ordering, collections::BinaryHeap};

use textsearch_core::{
    Result,
    vector::{RecordKey, VectorSearchOptions},
};

use crate::{error::CONNECTOR, rows::Row};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ScoredRow {
    pub(crate) row: Row,
    pub(crate) score: f64,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Ranking {
    pub(crate) limit: usize,
    pub(crate) higher_better: bool,
    /// The worst score that a record may have.
    pub(crate) threshold: Option<f64>,
    /// Whether to count all records that reach the threshold.
    pub(crate) counted: bool,
}

impl Ranking {
    /// # Errors
    /// Returns `InvalidOptions` if the threshold isn't a number.
    pub(crate) fn new(options: &VectorSearchOptions, higher_better: bool) -> Result<Self> {
        Ok(Self {
            limit: options.end(),
            higher_better,
            threshold: options.order(higher_better, CONNECTOR)?.bound(),
            counted: options.include_total_count,
        })
    }

    /// Converts a score so that higher is always better.
    fn merit(&self, score: f64) -> f64 {
        if self.higher_better { score } else { -score }
    }
}

pub(crate) struct Best<'a> {
    ranking: Ranking,
    /// The merit that a candidate must reach: of the threshold, or of the worst kept candidate once
    /// all places are taken.
    bar: f64,
    count: u64,
    /// The worst candidate is on top.
    heap: BinaryHeap<Candidate<'a>>,
}

impl<'a> Best<'a> {
    /// Memory grows with the candidates, so any limit works.
    pub(crate) fn new(ranking: Ranking) -> Self {
        let bar = match ranking.threshold {
            _ if ranking.limit == 0 => f64::INFINITY,
            Some(score) => ranking.merit(score),
            None => f64::NEG_INFINITY,
        };
        Self { ranking, bar, count: 0, heap: BinaryHeap::new() }
    }

    /// Calls `key` only if the candidate may be kept, and returns its errors.
    #[inline]
    pub(crate) fn offer(
        &mut self,
        row: Row,
        score: f64,
        key: impl FnOnce() -> Result<Option<Cow<'a, RecordKey>>>,
    ) -> Result<()> {
        let merit = self.ranking.merit(score);
        if self.reaches_threshold(merit) {
            self.count += 1;
            if merit >= self.bar
                && let Some(key) = key()?
            {
                self.keep(Candidate { merit, key, row, score });
            }
        }
        Ok(())
    }

    pub(crate) fn limit(&self) -> usize {
        self.ranking.limit
    }

    /// Returns the merit below which a candidate affects neither the ranking nor the count.
    pub(crate) fn bar(&self) -> f64 {
        match self.ranking.threshold {
            Some(threshold) if self.ranking.counted => self.ranking.merit(threshold),
            _ => self.bar,
        }
    }

    pub(crate) fn leave_out(&mut self, candidates: usize) {
        if self.ranking.threshold.is_none() {
            self.count += candidates as u64;
        }
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    pub(crate) fn into_rows(self) -> Vec<ScoredRow> {
        let sorted = self.heap.into_sorted_vec();
        sorted.into_iter().map(|entry| ScoredRow { row: entry.row, score: entry.score }).collect()
    }

    fn reaches_threshold(&self, merit: f64) -> bool {
        self.ranking.threshold.is_none_or(|threshold| merit >= self.ranking.merit(threshold))
    }

    fn keep(&mut self, candidate: Candidate<'a>) {
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

/// Ordered from best to worst: by merit, then by key.
struct Candidate<'a> {
    merit: f64,
    key: Cow<'a, RecordKey>,
    row: Row,
    score: f64,
}

impl Ord for Candidate<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        // Zero and minus zero are equal scores; `total_cmp` would order them.
        let merits = other.merit.partial_cmp(&self.merit);
        merits.unwrap_or(Ordering::Equal).then_with(|| self.key.cmp(&other.key))
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
        for (row, score) in scores.iter().enumerate().rev() {
            best.offer(Row(row as u32), *score, || Ok(keys.get(row).map(Cow::Borrowed))).unwrap();
        }
        let count = best.count();
        (best.into_rows().into_iter().map(|scored| scored.row.0).collect(), count)
    }

    const HIGHER: Ranking =
        Ranking { limit: 3, higher_better: true, threshold: None, counted: true };

    #[test]
    fn best_come_first_and_ties_sort_by_key() {
        assert_eq!(best(HIGHER, &[1.0, 2.0, 1.0, 2.0, 0.0]), (vec![1, 3, 0], 5));
        let lower = Ranking { higher_better: false, ..HIGHER };
        assert_eq!(best(lower, &[1.0, 2.0, 1.0, 2.0, 0.0]), (vec![4, 0, 2], 5));
    }

    #[test]
    fn zero_and_minus_zero_are_a_tie() {
        assert_eq!(best(HIGHER, &[-0.0, 0.0, -0.0]).0, [0, 1, 2]);
    }

    #[test]
    fn threshold_is_inclusive_and_limits_the_count() {
        let ranking = Ranking { threshold: Some(1.0), ..HIGHER };
        assert_eq!(best(ranking, &[0.5, 1.0, 3.0]), (vec![2, 1], 2));
        let ranking = Ranking { higher_better: false, ..ranking };
        assert_eq!(best(ranking, &[0.5, 1.0, 3.0]), (vec![0, 1], 2));
    }

    #[test]
    fn any_limit_works() {
        assert_eq!(best(Ranking { limit: 0, ..HIGHER }, &[1.0, 2.0]), (vec![], 2));
        assert_eq!(best(Ranking { limit: usize::MAX, ..HIGHER }, &[1.0, 2.0]), (vec![1, 0], 2));
    }
}
