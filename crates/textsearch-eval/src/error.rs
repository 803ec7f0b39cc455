//! Errors of an evaluation.

/// The result of a step of an evaluation.
pub(crate) type Result<T, E = EvalError> = std::result::Result<T, E>;

/// The reason why an evaluation failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvalError {
    /// A line of queries or judgements can't be read.
    #[error("line {line}: {reason}")]
    Line {
        /// The number of the line, from 1.
        line: usize,
        /// The fault, and the expected form.
        reason: String,
    },
    /// A baseline isn't a [`Report`](crate::Report) as JSON.
    #[error("it is no evaluation")]
    NotABaseline(#[source] serde_json::Error),
    /// A baseline was measured at another depth.
    #[error("it is an evaluation of {baseline} documents a query, and this one is of {cutoff}")]
    OtherCutoff {
        /// The depth of the baseline.
        baseline: usize,
        /// The depth of the report.
        cutoff: usize,
    },
    /// The baseline and this evaluation have no query in common.
    #[error("no query is in the baseline and in this evaluation: try one of the same queries")]
    NoCommonQuery,
    /// The search for a query failed.
    #[error("the query `{query}` failed")]
    Search {
        /// The id of the query.
        query: String,
        /// The error of the search.
        source: textsearch_core::Error,
    },
}
