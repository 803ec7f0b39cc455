//! The ranking that a search found.

use textsearch_core::results::TotalCount;

use super::top::{Best, ScoredRow};

pub(super) struct Ranked {
    pub(super) rows: Vec<ScoredRow>,
    pub(super) count: TotalCount,
}

impl Ranked {
    pub(super) fn new(best: Best<'_>) -> Self {
        Self { count: TotalCount::Exact(best.count()), rows: best.into_rows() }
    }
}

impl Default for Ranked {
    fn default() -> Self {
        Self { rows: Vec::new(), count: TotalCount::Exact(0) }
    }
}
