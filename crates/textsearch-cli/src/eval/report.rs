//! What an evaluation found out, for people or for programs.

use anyhow::Result;
use serde::Serialize;

use super::{
    baseline::{Change, Comparison},
    judgements::Judged,
    measures::Figures,
    queries::Query,
};
use crate::{
    arguments::{EvalArguments, OutputFormat},
    output::{Output, excerpt, in_one_line},
};

/// How much of a query is shown to people.
const EXCERPT_LENGTH: usize = 100;

/// What is in the columns, where an evaluation is compared.
const COMPARED: &str = "            mean  baseline  difference   95 % interval   better  worse\n";

/// The whole evaluation.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    /// How many documents a query were looked at.
    cutoff: usize,
    /// How many queries were asked.
    queries: usize,
    ndcg: f64,
    recall: f64,
    mrr: f64,
    /// The queries that nobody judged.
    not_judged: Vec<String>,
    /// The queries that are judged and not in the file.
    pub(super) not_asked: Vec<String>,
    /// What changed since the baseline, where there is one.
    pub(super) comparison: Option<Comparison>,
    per_query: Vec<Evaluated>,
}

/// The evaluation of one query.
#[derive(Debug, Serialize)]
pub(super) struct Evaluated {
    id: String,
    text: String,
    #[serde(flatten)]
    figures: Figures,
    /// What was found, best first.
    documents: Vec<Document>,
    /// What is relevant and was not found, best first.
    missed: Vec<Document>,
}

/// A document, and what it is worth to a query: nothing is known where nobody judged it.
#[derive(Debug, Serialize)]
struct Document {
    id: String,
    score: Option<i32>,
}

impl Evaluated {
    /// Puts together what is known of a query and of the documents found for it.
    pub(super) fn new(query: Query, figures: Figures, found: Vec<String>, judged: &Judged) -> Self {
        let mut missed: Vec<Document> = judged
            .iter()
            .filter(|(id, score)| **score > 0 && !found.contains(id))
            .map(|(id, score)| Document { id: id.clone(), score: Some(*score) })
            .collect();
        missed.sort_by(|left, right| right.score.cmp(&left.score).then(left.id.cmp(&right.id)));
        let documents = found.into_iter().map(|id| {
            let score = judged.get(&id).copied();
            Document { id, score }
        });
        Self { id: query.id, text: query.text, figures, documents: documents.collect(), missed }
    }

    fn has_relevant(&self) -> bool {
        let mut known = self.documents.iter().chain(&self.missed);
        known.any(|document| document.score.is_some_and(|score| score > 0))
    }
}

impl Report {
    /// The report of these queries, in their order, and of those that could not be evaluated.
    pub(super) fn new(
        cutoff: usize,
        per_query: Vec<Evaluated>,
        not_judged: Vec<String>,
        not_asked: Vec<String>,
    ) -> Self {
        let Figures { ndcg, recall, reciprocal_rank } =
            Figures::mean(per_query.iter().map(|query| query.figures));
        let queries = per_query.len();
        Self {
            cutoff,
            queries,
            ndcg,
            recall,
            mrr: reciprocal_rank,
            not_judged,
            not_asked,
            comparison: None,
            per_query,
        }
    }

    /// The figures of each query, with its id.
    pub(super) fn figures(&self) -> impl Iterator<Item = (&str, Figures)> {
        self.per_query.iter().map(|query| (query.id.as_str(), query.figures))
    }

    /// The queries to which no document is relevant.
    pub(super) fn without_relevant(&self) -> Vec<String> {
        let without = self.per_query.iter().filter(|query| !query.has_relevant());
        without.map(|query| query.id.clone()).collect()
    }

    /// A relevant document and one that was found, where no relevant one was found at all: they may be called by
    /// names of different kinds.
    pub(super) fn strangers(&self) -> Option<(&str, &str)> {
        let missed = self.per_query.iter().flat_map(|query| &query.missed).next()?;
        let found = self.per_query.iter().flat_map(|query| &query.documents).next()?;
        (self.recall == 0.0).then_some((&missed.id, &found.id))
    }

    /// Prints the report for whoever asked.
    ///
    /// # Errors
    ///
    /// Where the output cannot be written.
    pub(super) fn print(&self, arguments: &EvalArguments, output: &mut Output) -> Result<()> {
        if arguments.selector.output == OutputFormat::Json {
            return output.json(self);
        }
        if arguments.per_query {
            output.line(&self.queries_table())?;
        }
        output.line(&self.means_table())
    }

    /// A line for each query, the worst first, and below it what it missed.
    fn queries_table(&self) -> String {
        let [ndcg, recall, mrr] = self.headings();
        let mut queries: Vec<&Evaluated> = self.per_query.iter().collect();
        // The sort is stable, so equals stay in the order of the file.
        queries.sort_by(|left, right| left.figures.ndcg.total_cmp(&right.figures.ndcg));
        let heading = format!("{ndcg:>9} {recall:>9} {mrr:>9}  query\n");
        let lines = queries.into_iter().map(|query| {
            let Figures { ndcg, recall, reciprocal_rank } = query.figures;
            let (id, text) = (in_one_line(&query.id), excerpt(&query.text, EXCERPT_LENGTH));
            format!("{ndcg:>9.3} {recall:>9.3} {reciprocal_rank:>9.3}  {id}  {text}\n")
                + &missed(query)
        });
        std::iter::once(heading).chain(lines).collect::<String>() + "\n"
    }

    fn means_table(&self) -> String {
        let changes = self.comparison.iter().flat_map(Comparison::changes).map(Some);
        let means = [self.ndcg, self.recall, self.mrr].into_iter();
        let rows = self.headings().into_iter().zip(means).zip(changes.chain([None; 3]));
        let rows: String =
            rows.map(|((heading, mean), change)| row(&heading, mean, change)).collect();
        let queries = match self.queries {
            1 => "1 query".to_owned(),
            number => format!("{number} queries"),
        };
        let left_out = match self.not_judged.len() {
            0 => String::new(),
            number => format!("; {number} left out, which nobody judged"),
        };
        let compared =
            self.comparison.as_ref().filter(|comparison| comparison.queries < self.queries);
        let compared =
            compared.map(|comparison| format!("; {} in the baseline", comparison.queries));
        let heading = if self.comparison.is_some() { COMPARED } else { "" };
        format!("{heading}{rows}{queries}{left_out}{}\n", compared.unwrap_or_default())
    }

    fn headings(&self) -> [String; 3] {
        ["nDCG", "recall", "MRR"].map(|measure| format!("{measure}@{}", self.cutoff))
    }
}

impl Comparison {
    fn changes(&self) -> [&Change; 3] {
        [&self.ndcg, &self.recall, &self.reciprocal_rank]
    }
}

/// A measure, with the mean over all queries; or over those that are in both evaluations, where two are compared.
fn row(heading: &str, mean: f64, change: Option<&Change>) -> String {
    let mean = change.map_or(mean, |change| change.mean);
    let compared = change.map(|change| {
        let Change { baseline, difference, better, worse, .. } = change;
        let interval = change
            .interval
            .map_or_else(|| "unknown".to_owned(), |[low, high]| format!("{low:+.3} to {high:+.3}"));
        format!("  {baseline:>8.3}  {difference:>+10.3}  {interval:>16}  {better:>6}  {worse:>5}")
    });
    format!("{heading:<9} {mean:>6.3}{}\n", compared.unwrap_or_default())
}

fn missed(query: &Evaluated) -> String {
    let named = query.missed.iter().map(|document| {
        format!("{} ({})", in_one_line(&document.id), document.score.unwrap_or_default())
    });
    match named.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => none,
        some => format!("{:31}missed: {some}\n", ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluated(id: &str, text: &str, found: &[&str], judged: &[(&str, i32)]) -> Evaluated {
        let judged: Judged = judged.iter().map(|(id, score)| ((*id).to_owned(), *score)).collect();
        let figures = Figures::of_documents(found.iter().copied(), &judged, 10);
        let query = Query { id: id.to_owned(), text: text.to_owned() };
        Evaluated::new(query, figures, found.iter().map(|id| (*id).to_owned()).collect(), &judged)
    }

    fn report() -> Report {
        let queries = vec![
            evaluated("q1", "One?", &["x", "a"], &[("a", 1)]),
            evaluated("q2", "Two\u{1b}\n?", &["x"], &[("b", 1), ("c", 2), ("d", 0)]),
        ];
        Report::new(10, queries, vec!["q3".to_owned()], vec!["q4".to_owned()])
    }

    #[test]
    fn the_means_are_a_small_table_with_the_number_of_queries() {
        let expected = "\
nDCG@10    0.315
recall@10  0.500
MRR@10     0.250
2 queries; 1 left out, which nobody judged
";
        assert_eq!(report().means_table(), expected);
    }

    #[test]
    fn changes_stand_beside_the_means_of_the_queries_that_are_in_both() {
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
        assert_eq!(report.means_table(), expected);
    }

    #[test]
    fn queries_come_worst_first_with_what_they_missed() {
        let expected = "  nDCG@10 recall@10    MRR@10  query
    0.000     0.000     0.000  q2  Two ?
                               missed: c (2), b (1)
    0.631     1.000     0.500  q1  One?

";
        assert_eq!(report().queries_table(), expected);
    }

    #[test]
    fn programs_get_every_figure_unrounded_in_the_order_of_the_file() {
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
    fn names_of_different_kinds_are_noticed_where_nothing_relevant_was_found() {
        assert_eq!(report().strangers(), None);
        let query = evaluated("q", "x", &["docs/a.md"], &[("a.md", 1)]);
        let report = Report::new(10, vec![query], Vec::new(), Vec::new());
        assert_eq!(report.strangers(), Some(("a.md", "docs/a.md")));
    }

    #[test]
    fn a_query_without_a_relevant_document_is_known() {
        let query = evaluated("q", "x", &["a"], &[("a", 0)]);
        let report = Report::new(10, vec![query], Vec::new(), Vec::new());
        assert_eq!(report.without_relevant(), ["q"]);
    }
}
