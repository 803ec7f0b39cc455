//! The ranking that a search found.

use textsearch_core::results::TotalCount;

use super::top::{Best, Hit};

pub(super) struct Ranked {
    pub(super) hits: Vec<Hit>,
    pub(super) count: TotalCount,
}

impl Ranked {
    pub(super) fn of(best: Best<'_>) -> Self {
        Self { count: TotalCount::Exact(best.count()), hits: best.into_hits() }
    }
}

impl Default for Ranked {
    fn default() -> Self {
        Self { hits: Vec::new(), count: TotalCount::Exact(0) }
    }
}
