//! The checks, the order, the threshold and the window of a search, for backends.

use std::{cmp::Ordering, sync::Arc};

use super::{StoredRecord, VectorField, VectorSearchOptions};
use crate::{Error, Filter, Result};

/// The order of search results: the best score first, equal scores by key, down to the threshold.
///
/// Scores reach the threshold in single precision, which vectors and most servers' scores have: in
/// every store, a record that scores `0.7_f32` reaches a threshold of 0.7.
///
/// ```
/// use textsearch_core::vector::ScoreOrder;
///
/// let order = ScoreOrder::new(true, Some(0.7));
/// let mut results = vec![("b", 0.9), ("c", 0.7), ("a", 0.9), ("d", 0.6)];
/// order.rank(&mut results, |(key, score)| (*score, key));
/// assert_eq!(results, [("a", 0.9), ("b", 0.9), ("c", 0.7)]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreOrder {
    higher_better: bool,
    bound: Option<f64>,
}

impl ScoreOrder {
    /// Creates the order for a distance whose higher scores are better, or whose lower scores are. The
    /// threshold isn't checked: [`VectorSearchOptions::order`] does that.
    pub fn new(higher_better: bool, threshold: Option<f64>) -> Self {
        Self { higher_better, bound: threshold.map(|score| worst_equal(score, higher_better)) }
    }

    /// Returns the worst score that reaches the threshold, for databases that compare scores
    /// themselves; `None` without a threshold.
    pub fn bound(&self) -> Option<f64> {
        self.bound
    }

    /// Returns whether a score reaches the threshold.
    pub fn reaches(&self, score: f64) -> bool {
        self.bound
            .is_none_or(|bound| if self.higher_better { score >= bound } else { score <= bound })
    }

    /// Compares two scores: the better one is less. Zero and minus zero are equal. What isn't a number
    /// is worst.
    pub fn compare(&self, left: f64, right: f64) -> Ordering {
        let order = (left + 0.0).total_cmp(&(right + 0.0));
        let order = if self.higher_better { order.reverse() } else { order };
        left.is_nan().cmp(&right.is_nan()).then(order)
    }

    /// Drops results that don't reach the threshold, and sorts the others. `parts` returns the
    /// score and the key of a result.
    pub fn rank<T, K: Ord + ?Sized>(&self, results: &mut Vec<T>, parts: impl Fn(&T) -> (f64, &K)) {
        results.retain(|result| self.reaches(parts(result).0));
        results.sort_by(|left, right| {
            let ((score, key), (other_score, other_key)) = (parts(left), parts(right));
            self.compare(score, other_score).then_with(|| key.cmp(other_key))
        });
    }
}

/// Returns the worst score that equals `score` in single precision.
fn worst_equal(score: f64, higher_better: bool) -> f64 {
    let single = score as f32;
    // Beyond the range of single precision, all scores would be equal.
    if single.is_infinite() || single.abs() == f32::MAX || (single == 0.0 && score != 0.0) {
        return score;
    }
    let worse = if higher_better { single.next_down() } else { single.next_up() };
    let middle = f64::midpoint(single.into(), worse.into());
    // Between two singles, the middle rounds to the even one.
    if middle as f32 == single {
        middle
    } else if higher_better {
        middle.next_up()
    } else {
        middle.next_down()
    }
}

impl VectorSearchOptions {
    /// Returns the order of the results. Errors name `connector`.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](crate::ErrorKind::InvalidOptions) if the threshold isn't a number.
    pub fn order(&self, higher_better: bool, connector: &str) -> Result<ScoreOrder> {
        if self.score_threshold.is_some_and(f64::is_nan) {
            let value = "not a number";
            return Err(Error::invalid_options(connector, "score_threshold", value, "a number"));
        }
        Ok(ScoreOrder::new(higher_better, self.score_threshold))
    }

    /// Returns the end of the window: how many of the best results the search needs.
    pub fn end(&self) -> usize {
        self.skip.saturating_add(self.top)
    }

    /// Returns the window of a ranking.
    pub fn window<T>(&self, ranking: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
        ranking.into_iter().skip(self.skip).take(self.top)
    }

    /// Checks the settings of a hybrid search, and returns its vector. Errors name `connector`.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](crate::ErrorKind::InvalidOptions) if there is no vector, or if a
    /// weight is not from 0 to 1.
    pub fn hybrid_vector(&self, vector: Option<Arc<[f32]>>, connector: &str) -> Result<Arc<[f32]>> {
        self.fusion.check(connector)?;
        vector.ok_or_else(|| {
            let allowed = "a vector to search with, or a store with an embedding generator, see \
                           `VectorStoreExt::with_embedding_generator`";
            Error::invalid_options(connector, "vector", "not given", allowed)
        })
    }
}

impl VectorField {
    /// Checks that `vector` can be compared with the field. Errors name `connector`.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](crate::ErrorKind::InvalidOptions) with the vector's
    /// [fault](Self::fault).
    pub fn check_query(&self, vector: &[f32], connector: &str) -> Result<()> {
        let Some(fault) = self.fault(vector) else { return Ok(()) };
        let allowed =
            format!("{} finite numbers that `{}` can be compared with", self.dimensions, self.name);
        let value = format_args!("a vector that {fault}");
        Err(Error::invalid_options(connector, "vector", value, allowed))
    }
}

impl StoredRecord {
    /// Returns whether the record matches `filter`, if there is one.
    pub fn matches(&self, filter: Option<&Filter>) -> bool {
        filter.is_none_or(|filter| filter.matches_object(&self.data))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCORES: [f64; 8] = [0.7, 0.3, 1.0, 0.0, -0.7, 1e-40, 16_777_216.0, 1e30];

    #[test]
    fn threshold_is_reached_in_single_precision() {
        for score in SCORES {
            let single = f64::from(score as f32);
            for higher_better in [true, false] {
                let order = ScoreOrder::new(higher_better, Some(score));
                assert!(order.reaches(score) && order.reaches(single), "{score}");
                let bound = order.bound().unwrap();
                assert_eq!(bound as f32, score as f32);
                let worse = if higher_better { bound.next_down() } else { bound.next_up() };
                assert_ne!(worse as f32, score as f32);
                assert!(!order.reaches(worse), "{score}");
            }
        }
    }

    #[test]
    fn thresholds_beyond_single_precision_are_exact() {
        for score in [1e39, -1e39, f32::MAX.into(), f32::MIN.into(), f64::MIN_POSITIVE] {
            for higher_better in [true, false] {
                let order = ScoreOrder::new(higher_better, Some(score));
                assert_eq!(order.bound(), Some(score));
            }
        }
    }

    #[test]
    fn infinite_thresholds_keep_all_or_nothing() {
        let reaches =
            |higher_better, threshold| ScoreOrder::new(higher_better, Some(threshold)).reaches(7.0);
        assert!(reaches(true, f64::NEG_INFINITY) && reaches(false, f64::INFINITY));
        assert!(!reaches(true, f64::INFINITY) && !reaches(false, f64::NEG_INFINITY));
    }

    #[test]
    fn scores_that_are_no_numbers_rank_last() {
        for higher_better in [true, false] {
            let mut results = vec![("a", f64::NAN), ("b", -f64::NAN), ("c", 0.0)];
            ScoreOrder::new(higher_better, None).rank(&mut results, |(key, score)| (*score, key));
            assert_eq!(results[0].0, "c");
        }
    }

    #[test]
    fn zero_and_minus_zero_sort_by_key() {
        for higher_better in [true, false] {
            let mut results = vec![("b", -0.0), ("c", 0.0), ("a", 0.0)];
            ScoreOrder::new(higher_better, Some(0.0))
                .rank(&mut results, |(key, score)| (*score, key));
            let keys: Vec<&str> = results.into_iter().map(|(key, _)| key).collect();
            assert_eq!(keys, ["a", "b", "c"]);
        }
    }
}
