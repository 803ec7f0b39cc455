//! Compares two evaluations of the same queries, and tests whether the change exceeds chance.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::{
    Judgements, Measures, Report,
    error::{EvalError, Result},
};

/// 95 % quantile of the normal distribution.
const QUANTILE: f64 = 1.959_964;

/// 95 % quantiles of Student's distribution, with 1 to 9 degrees of freedom.
const STUDENT: [f64; 9] = [12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622];

/// The answers of an earlier evaluation. They are measured again with the current judgements, which
/// may cover more documents.
#[derive(Debug, Clone, Deserialize)]
pub struct Baseline {
    cutoff: usize,
    per_query: Vec<Answer>,
}

#[derive(Debug, Clone, Deserialize)]
struct Answer {
    id: String,
    documents: Vec<Document>,
}

#[derive(Debug, Clone, Deserialize)]
struct Document {
    id: String,
}

/// Changes since a baseline, over the queries in both.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    /// The number of queries in both.
    pub queries: usize,
    /// The change of nDCG.
    pub ndcg: Change,
    /// The change of the recall.
    pub recall: Change,
    /// The change of the reciprocal rank.
    pub reciprocal_rank: Change,
}

/// The change of one measure.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// The mean now.
    pub mean: f64,
    /// The mean of the baseline, by the current judgements.
    pub baseline: f64,
    /// The mean of the differences.
    pub difference: f64,
    /// The 95 % interval of the true difference, by the paired t-test; `None` for a single query.
    /// If it contains 0, the difference may be chance.
    pub interval: Option<[f64; 2]>,
    /// The number of queries that got better.
    pub better: usize,
    /// The number of queries that got worse.
    pub worse: usize,
}

impl Baseline {
    /// Reads a [`Report`] that was written as JSON.
    ///
    /// # Errors
    ///
    /// Returns [`NotABaseline`](EvalError::NotABaseline) if the text isn't a report.
    pub fn parse(json: &str) -> Result<Self> {
        serde_json::from_str(json).map_err(EvalError::NotABaseline)
    }

    /// Checks that the baseline was measured at the depth `cutoff`.
    ///
    /// # Errors
    ///
    /// Returns [`OtherCutoff`](EvalError::OtherCutoff) if it was measured at another depth.
    pub fn check_cutoff(&self, cutoff: usize) -> Result<()> {
        let baseline = self.cutoff;
        if baseline == cutoff { Ok(()) } else { Err(EvalError::OtherCutoff { baseline, cutoff }) }
    }

    /// Returns the changes since the baseline, by the same judgements for both.
    ///
    /// # Errors
    ///
    /// Returns [`OtherCutoff`](EvalError::OtherCutoff) if the depths differ, or
    /// [`NoCommonQuery`](EvalError::NoCommonQuery) if the two have no judged query in common.
    pub fn compare(&self, report: &Report, judgements: &Judgements) -> Result<Comparison> {
        self.check_cutoff(report.cutoff)?;
        let before: HashMap<&str, Measures> = (self.per_query.iter())
            .filter_map(|answer| Some((answer.id.as_str(), self.measures(answer, judgements)?)))
            .collect();
        let pairs: Vec<(Measures, Measures)> = (report.per_query.iter())
            .filter_map(|query| Some((*before.get(query.id.as_str())?, query.measures)))
            .collect();
        if pairs.is_empty() {
            return Err(EvalError::NoCommonQuery);
        }
        let change = |measure: fn(&Measures) -> f64| {
            let pairs = pairs.iter().map(|(before, after)| (measure(before), measure(after)));
            Change::from_pairs(&pairs.collect::<Vec<_>>())
        };
        Ok(Comparison {
            queries: pairs.len(),
            ndcg: change(|measures| measures.ndcg),
            recall: change(|measures| measures.recall),
            reciprocal_rank: change(|measures| measures.reciprocal_rank),
        })
    }

    fn measures(&self, answer: &Answer, judgements: &Judgements) -> Option<Measures> {
        let documents = answer.documents.iter().map(|document| document.id.as_str());
        Some(Measures::of_documents(documents, judgements.of(&answer.id)?, self.cutoff))
    }
}

impl Change {
    /// Pairs are (before, after).
    fn from_pairs(pairs: &[(f64, f64)]) -> Self {
        let number = pairs.len() as f64;
        let differences: Vec<f64> = pairs.iter().map(|(before, after)| after - before).collect();
        let difference = differences.iter().sum::<f64>() / number;
        let interval = (pairs.len() > 1).then(|| {
            let squares = differences.iter().map(|value| (value - difference).powi(2)).sum::<f64>();
            let error = (squares / (number - 1.0) / number).sqrt();
            let margin = student(pairs.len() - 1) * error;
            [difference - margin, difference + margin]
        });
        Self {
            mean: pairs.iter().map(|(_, after)| after).sum::<f64>() / number,
            baseline: pairs.iter().map(|(before, _)| before).sum::<f64>() / number,
            difference,
            interval,
            better: differences.iter().filter(|value| **value > 0.0).count(),
            worse: differences.iter().filter(|value| **value < 0.0).count(),
        }
    }
}

/// Beyond the table, sums the first terms of the series.
fn student(degrees: usize) -> f64 {
    if let Some(exact) = degrees.checked_sub(1).and_then(|place| STUDENT.get(place)) {
        return *exact;
    }
    let z = QUANTILE;
    let degrees = degrees as f64;
    let first = (z.powi(3) + z) / 4.0;
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    let third = (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0;
    z + first / degrees + second / degrees.powi(2) + third / degrees.powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantile_matches_published_tables() {
        let table = [(1, 12.706), (2, 4.303), (9, 2.262), (10, 2.228), (49, 2.010), (1000, 1.962)];
        for (degrees, expected) in table {
            let quantile = student(degrees);
            assert!((quantile - expected).abs() < 0.001, "{degrees}: {quantile}");
        }
    }

    #[test]
    fn change_has_counts_and_the_paired_t_test_interval() {
        let pairs = [(0.5, 1.0), (0.5, 0.5), (1.0, 0.5), (0.0, 1.0), (0.2, 0.3)];
        let change = Change::from_pairs(&pairs);
        assert!((change.baseline - 0.44).abs() < 1e-12 && (change.difference - 0.22).abs() < 1e-12);
        assert!((change.mean - 0.66).abs() < 1e-12);
        assert_eq!((change.better, change.worse), (3, 1));
        // By hand: the deviation of the differences is 0.563, of their mean 0.2518; times 2.776.
        let [low, high] = change.interval.unwrap();
        assert!((low - -0.479).abs() < 0.01 && (high - 0.919).abs() < 0.01, "{low} {high}");
    }

    #[test]
    fn one_query_has_no_interval_and_no_change_zero_width() {
        assert_eq!(Change::from_pairs(&[(0.0, 1.0)]).interval, None);
        assert_eq!(Change::from_pairs(&[(0.5, 0.5), (1.0, 1.0)]).interval, Some([0.0, 0.0]));
    }
}
