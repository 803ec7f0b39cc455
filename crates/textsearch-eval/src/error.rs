//! Errors of an evaluation.

pub(crate) type Result<T, E = EvalError> = std::result::Result<T, E>;

/// Why an evaluation failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvalError {
    /// A line of queries or judgements can't be read.
    #[error("line {line}: {reason}")]
    Line {
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong, and the expected form.
        reason: String,
    },
    /// A baseline isn't a [`Report`](crate::Report) as JSON.
    #[error("the baseline isn't a report as JSON")]
    NotABaseline(#[source] serde_json::Error),
    /// A baseline was measured at another depth.
    #[error("the baseline measured {baseline} documents per query, and this evaluation {cutoff}")]
    OtherCutoff {
        /// The depth of the baseline.
        baseline: usize,
        /// The depth of the report.
        cutoff: usize,
    },
    /// The baseline and this evaluation have no judged query in common.
    #[error("no query is in the baseline and in this evaluation: try one of the same queries")]
    NoCommonQuery,
    /// A query has a history and no rewrite, and [`rewritten`](crate::Query::rewritten) needs one.
    #[error("the query `{query}` has a history and no rewrite: add `rewrite` to its line")]
    NoRewrite {
        /// The id of the query.
        query: String,
    },
    /// The search for a query failed.
    #[error("the query `{query}` failed")]
    Search {
        /// The id of the query.
        query: String,
        /// The error of the search.
        source: textsearch_core::Error,
    },
}
