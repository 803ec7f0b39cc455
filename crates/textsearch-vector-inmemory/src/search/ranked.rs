//! The ranking that a search found.

use textsearch_core::results::{Explanation, TotalCount};

use super::top::{Best, ScoredRow};

pub(super) struct Ranked {
    pub(super) rows: Vec<ScoredRow>,
    pub(super) count: TotalCount,
    /// Of the rows in the window, if requested.
    pub(super) explanations: Vec<Explanation>,
}

impl Ranked {
    pub(super) fn new(best: Best<'_>) -> Self {
        let count = TotalCount::Exact(best.count());
        Self { count, rows: best.into_rows(), explanations: Vec::new() }
    }
}

impl Default for Ranked {
    fn default() -> Self {
        Self { rows: Vec::new(), count: TotalCount::Exact(0), explanations: Vec::new() }
    }
}
