//! Two evaluations of the same queries beside each other: what changed, and whether it is more than chance.

use std::{collections::HashMap, fs, path::Path};

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};

use super::{judgements::Judgements, measures::Figures, report::Report};

/// Nineteen of twenty intervals hold the true value: the quantile of the normal distribution for that.
const QUANTILE: f64 = 1.959_964;

/// The same of Student's distribution with 1, 2 and more degrees of freedom.
const STUDENT: [f64; 9] = [12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622];

/// An evaluation that was printed as JSON before.
#[derive(Debug, Deserialize)]
pub(super) struct Baseline {
    cutoff: usize,
    per_query: Vec<Before>,
}

/// What a query found then. What it was worth is not read: people may have judged more documents since.
#[derive(Debug, Deserialize)]
struct Before {
    id: String,
    documents: Vec<Document>,
}

#[derive(Debug, Deserialize)]
struct Document {
    id: String,
}

/// What changed since the baseline.
#[derive(Debug, Serialize)]
pub(super) struct Comparison {
    /// How many queries are in both.
    pub(super) queries: usize,
    pub(super) ndcg: Change,
    pub(super) recall: Change,
    pub(super) reciprocal_rank: Change,
}

/// How one measure changed, over the queries that are in both evaluations.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(super) struct Change {
    /// The mean now.
    pub(super) mean: f64,
    /// The mean then, by the judgements of now.
    pub(super) baseline: f64,
    /// The mean of the differences.
    pub(super) difference: f64,
    /// Between these two the true difference is, at 95 %, by the paired t-test; nothing is known of one query.
    pub(super) interval: Option<[f64; 2]>,
    /// How many queries have a higher figure.
    pub(super) better: usize,
    /// How many have a lower one.
    pub(super) worse: usize,
}

impl Baseline {
    /// Reads what `--output json` printed.
    ///
    /// # Errors
    ///
    /// Where it is none, or of another depth than `cutoff`.
    pub(super) fn read(location: &Path, cutoff: usize) -> Result<Self> {
        let path = location.display();
        let text = fs::read(location).with_context(|| format!("`{path}` cannot be read"))?;
        let baseline: Self = serde_json::from_slice(&text).with_context(|| {
            format!(
                "`{path}` is no evaluation: try a file that `textsearch eval --output json` printed"
            )
        })?;
        if baseline.cutoff != cutoff {
            bail!(
                "`{path}` is an evaluation of {} documents a query, and this one is of {cutoff}: try --top {}",
                baseline.cutoff,
                baseline.cutoff,
            );
        }
        Ok(baseline)
    }

    /// What changed since, by the same judgements for both.
    ///
    /// # Errors
    ///
    /// Where no query is in both.
    pub(super) fn compare(&self, report: &Report, judgements: &Judgements) -> Result<Comparison> {
        let before: HashMap<&str, Figures> =
            self.per_query.iter().filter_map(|query| self.figures(query, judgements)).collect();
        let pairs: Vec<(Figures, Figures)> = report
            .figures()
            .filter_map(|(id, figures)| Some((*before.get(id)?, figures)))
            .collect();
        if pairs.is_empty() {
            bail!(
                "no query is in the baseline and in this evaluation: try one of the same queries"
            );
        }
        let change = |figure: fn(&Figures) -> f64| {
            Change::of(
                &pairs
                    .iter()
                    .map(|(before, after)| (figure(before), figure(after)))
                    .collect::<Vec<_>>(),
            )
        };
        Ok(Comparison {
            queries: pairs.len(),
            ndcg: change(|figures| figures.ndcg),
            recall: change(|figures| figures.recall),
            reciprocal_rank: change(|figures| figures.reciprocal_rank),
        })
    }

    /// The figures of a query with its id; none where nobody judges it any more.
    fn figures<'a>(
        &self,
        query: &'a Before,
        judgements: &Judgements,
    ) -> Option<(&'a str, Figures)> {
        let judged = judgements.of(&query.id)?;
        let documents = query.documents.iter().map(|document| document.id.as_str());
        Some((&query.id, Figures::of_documents(documents, judged, self.cutoff)))
    }
}

impl Change {
    /// The change from the first of each pair to the second.
    fn of(pairs: &[(f64, f64)]) -> Self {
        let number = pairs.len() as f64;
        let differences: Vec<f64> = pairs.iter().map(|(before, after)| after - before).collect();
        let difference = differences.iter().sum::<f64>() / number;
        let interval = (pairs.len() > 1).then(|| {
            let squares = differences.iter().map(|one| (one - difference).powi(2)).sum::<f64>();
            let error = (squares / (number - 1.0) / number).sqrt();
            let margin = student(pairs.len() - 1) * error;
            [difference - margin, difference + margin]
        });
        Self {
            mean: pairs.iter().map(|(_, after)| after).sum::<f64>() / number,
            baseline: pairs.iter().map(|(before, _)| before).sum::<f64>() / number,
            difference,
            interval,
            better: differences.iter().filter(|one| **one > 0.0).count(),
            worse: differences.iter().filter(|one| **one < 0.0).count(),
        }
    }
}

/// The quantile of Student's distribution: from the table, and where that ends, by the first terms of the series.
fn student(degrees: usize) -> f64 {
    if let Some(exact) = degrees.checked_sub(1).and_then(|place| STUDENT.get(place)) {
        return *exact;
    }
    let (z, degrees) = (QUANTILE, degrees as f64);
    let first = (z.powi(3) + z) / 4.0;
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    let third = (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0;
    z + first / degrees + second / degrees.powi(2) + third / degrees.powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quantile_is_that_of_the_tables() {
        let table = [(1, 12.706), (2, 4.303), (9, 2.262), (10, 2.228), (49, 2.010), (1000, 1.962)];
        for (degrees, expected) in table {
            let found = student(degrees);
            assert!((found - expected).abs() < 0.001, "{degrees}: {found}");
        }
    }

    #[test]
    fn a_change_counts_queries_and_has_the_interval_of_the_paired_t_test() {
        let pairs = [(0.5, 1.0), (0.5, 0.5), (1.0, 0.5), (0.0, 1.0), (0.2, 0.3)];
        let change = Change::of(&pairs);
        assert!((change.baseline - 0.44).abs() < 1e-12 && (change.difference - 0.22).abs() < 1e-12);
        assert!((change.mean - 0.66).abs() < 1e-12);
        assert_eq!((change.better, change.worse), (3, 1));
        // By hand: the deviation of the differences is 0.563, that of their mean 0.2518; times 2.776.
        let [low, high] = change.interval.unwrap();
        assert!((low - -0.479).abs() < 0.01 && (high - 0.919).abs() < 0.01, "{low} {high}");
    }

    #[test]
    fn one_query_has_no_interval_and_no_change_has_one_of_no_width() {
        assert_eq!(Change::of(&[(0.0, 1.0)]).interval, None);
        assert_eq!(Change::of(&[(0.5, 0.5), (1.0, 1.0)]).interval, Some([0.0, 0.0]));
    }
}
