//! The results of an evaluation.

use std::fmt;

use serde::Serialize;

use crate::{Change, Comparison, Judged, Measures, Query};

const COMPARED: &str = "            mean  baseline  difference   95 % interval   better  worse\n";

/// The means over the judged queries, and the results of each query. Displays as a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The number of documents measured per query.
    pub cutoff: usize,
    /// The number of judged queries.
    pub queries: usize,
    /// The mean nDCG.
    pub ndcg: f64,
    /// The mean recall.
    pub recall: f64,
    /// The mean reciprocal rank.
    pub mrr: f64,
    /// The ids of queries without judgements.
    pub not_judged: Vec<String>,
    /// The ids of judged queries that were not asked.
    pub not_asked: Vec<String>,
    /// Changes since a baseline, if there is one.
    pub comparison: Option<Comparison>,
    /// The judged queries, in their order.
    pub per_query: Vec<QueryReport>,
}

/// The evaluation of one query.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct QueryReport {
    /// The id of the query.
    pub id: String,
    /// The text of the query.
    pub text: String,
    /// The measures of the answer.
    #[serde(flatten)]
    pub measures: Measures,
    /// The found documents, best first.
    pub documents: Vec<JudgedDocument>,
    /// The relevant documents that were missed, best first.
    pub missed: Vec<JudgedDocument>,
}

/// A document, and how relevant it is to a query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct JudgedDocument {
    /// The id of the document.
    pub id: String,
    /// Its score; `None` if it is unjudged.
    pub score: Option<i32>,
}

impl QueryReport {
    /// Measures the documents found for a query, best first, down to rank `cutoff`.
    pub fn new(query: &Query, documents: Vec<String>, judged: &Judged, cutoff: usize) -> Self {
        let measures = Measures::of_documents(documents.iter().map(String::as_str), judged, cutoff);
        let mut missed: Vec<JudgedDocument> = judged
            .iter()
            .filter(|(id, score)| **score > 0 && !documents.contains(id))
            .map(|(id, score)| JudgedDocument { id: id.clone(), score: Some(*score) })
            .collect();
        missed.sort_by(|left, right| right.score.cmp(&left.score).then(left.id.cmp(&right.id)));
        let judged_documents = documents.into_iter().map(|id| {
            let score = judged.get(&id).copied();
            JudgedDocument { id, score }
        });
        let documents = judged_documents.collect();
        Self { id: query.id.clone(), text: query.text.clone(), measures, documents, missed }
    }

    /// Returns whether any document is relevant. Without one, all measures are 0.
    pub fn has_relevant(&self) -> bool {
        let mut known = self.documents.iter().chain(&self.missed);
        known.any(|document| document.score.is_some_and(|score| score > 0))
    }
}

impl Report {
    /// Computes the means over the judged queries. `not_judged` and `not_asked` are the ids of
    /// queries that only one file has.
    pub fn new(
        cutoff: usize,
        per_query: Vec<QueryReport>,
        not_judged: Vec<String>,
        not_asked: Vec<String>,
    ) -> Self {
        let Measures { ndcg, recall, reciprocal_rank: mrr } =
            Measures::mean(per_query.iter().map(|query| query.measures));
        let queries = per_query.len();
        let comparison = None;
        Self { cutoff, queries, ndcg, recall, mrr, not_judged, not_asked, comparison, per_query }
    }

    /// If the search found no relevant document, returns a missed and a found one: the judgements
    /// may use other ids than the search.
    pub fn mismatched_ids(&self) -> Option<(&str, &str)> {
        let missed = self.per_query.iter().flat_map(|query| &query.missed).next()?;
        let retrieved = self.per_query.iter().flat_map(|query| &query.documents).next()?;
        (self.recall == 0.0).then_some((&missed.id, &retrieved.id))
    }

    /// Returns the names of the three measures, such as `nDCG@10`.
    pub fn headings(&self) -> [String; 3] {
        ["nDCG", "recall", "MRR"].map(|measure| format!("{measure}@{}", self.cutoff))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let comparison = self.comparison.as_ref();
        if comparison.is_some() {
            formatter.write_str(COMPARED)?;
        }
        let changes = comparison.map(Comparison::changes).map_or([None; 3], |all| all.map(Some));
        let means = [self.ndcg, self.recall, self.mrr];
        for ((heading, mean), change) in self.headings().iter().zip(means).zip(changes) {
            write_row(formatter, heading, mean, change)?;
        }
        let queries = if self.queries == 1 { "query" } else { "queries" };
        write!(formatter, "{} {queries}", self.queries)?;
        if !self.not_judged.is_empty() {
            write!(formatter, "; {} left out, which nobody judged", self.not_judged.len())?;
        }
        if let Some(compared) = comparison.filter(|compared| compared.queries < self.queries) {
            write!(formatter, "; {} in the baseline", compared.queries)?;
        }
        writeln!(formatter)
    }
}

impl Comparison {
    fn changes(&self) -> [&Change; 3] {
        [&self.ndcg, &self.recall, &self.reciprocal_rank]
    }
}

/// With a change, the mean is over the queries in both evaluations.
fn write_row(
    formatter: &mut fmt::Formatter<'_>,
    heading: &str,
    mean: f64,
    change: Option<&Change>,
) -> fmt::Result {
    let mean = change.map_or(mean, |change| change.mean);
    write!(formatter, "{heading:<9} {mean:>6.3}")?;
    if let Some(Change { baseline, difference, interval, better, worse, .. }) = change {
        let interval = interval
            .map_or_else(|| "unknown".to_owned(), |[low, high]| format!("{low:+.3} to {high:+.3}"));
        write!(
            formatter,
            "  {baseline:>8.3}  {difference:>+10.3}  {interval:>16}  {better:>6}  {worse:>5}"
        )?;
    }
    writeln!(formatter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluated(id: &str, text: &str, documents: &[&str], judged: &[(&str, i32)]) -> QueryReport {
        let judged: Judged = judged.iter().map(|(id, score)| ((*id).to_owned(), *score)).collect();
        let documents = documents.iter().map(|id| (*id).to_owned()).collect();
        QueryReport::new(&Query::new(id, text), documents, &judged, 10)
    }

    fn report() -> Report {
        let queries = vec![
            evaluated("q1", "One?", &["x", "a"], &[("a", 1)]),
            evaluated("q2", "Two\u{1b}\n?", &["x"], &[("b", 1), ("c", 2), ("d", 0)]),
        ];
        Report::new(10, queries, vec!["q3".to_owned()], vec!["q4".to_owned()])
    }

    #[test]
    fn displays_means_and_query_count_as_a_table() {
        let expected = "\
nDCG@10    0.315
recall@10  0.500
MRR@10     0.250
2 queries; 1 left out, which nobody judged
";
        assert_eq!(report().to_string(), expected);
    }

    #[test]
    fn table_shows_changes_next_to_common_means() {
        let change = |interval| Change {
            mean: 0.3154,
            baseline: 0.25,
            difference: 0.0654,
            interval,
            better: 12,
            worse: 3,
        };
        let mut report = report();
        assert_eq!(report.recall, 0.5, "the mean over all queries");
        report.comparison = Some(Comparison {
            queries: 1,
            ndcg: change(Some([-0.0123, 0.1431])),
            recall: change(None),
            reciprocal_rank: Change::default(),
        });
        let expected = "            mean  baseline  difference   95 % interval   better  worse
nDCG@10    0.315     0.250      +0.065  -0.012 to +0.143      12      3
recall@10  0.315     0.250      +0.065           unknown      12      3
MRR@10     0.000     0.000      +0.000           unknown       0      0
2 queries; 1 left out, which nobody judged; 1 in the baseline
";
        assert_eq!(report.to_string(), expected);
    }

    #[test]
    fn json_has_unrounded_figures_in_file_order() {
        let json = serde_json::to_value(report()).unwrap();
        assert_eq!(json["ndcg"], 0.5 / 3_f64.log2());
        assert_eq!(json["per_query"][0]["ndcg"], 1.0 / 3_f64.log2());
        let documents =
            serde_json::json!([{ "id": "x", "score": null }, { "id": "a", "score": 1 }]);
        assert_eq!(json["per_query"][0]["documents"], documents);
        assert_eq!(json["not_judged"], serde_json::json!(["q3"]));
        assert_eq!(json["not_asked"], serde_json::json!(["q4"]));
    }

    #[test]
    fn detects_mismatched_ids_when_nothing_relevant_is_found() {
        assert_eq!(report().mismatched_ids(), None);
        let query = evaluated("q", "x", &["docs/a.md"], &[("a.md", 1)]);
        let report = Report::new(10, vec![query], Vec::new(), Vec::new());
        assert_eq!(report.mismatched_ids(), Some(("a.md", "docs/a.md")));
    }

    #[test]
    fn detects_queries_without_relevant_documents() {
        let query = evaluated("q", "x", &["a"], &[("a", 0)]);
        let report = Report::new(10, vec![query], Vec::new(), Vec::new());
        assert!(!report.per_query[0].has_relevant());
    }
}
