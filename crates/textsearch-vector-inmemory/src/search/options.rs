//! Reads search options.

use textsearch_core::{Result, vector::VectorSearchOptions};

use super::top::Ranking;
use crate::error::invalid_options;

pub(super) fn check_options(options: &VectorSearchOptions) -> Result<()> {
    match options.score_threshold {
        Some(threshold) if threshold.is_nan() => {
            Err(invalid_options("score_threshold", "not a number", "a number"))
        }
        _ => Ok(()),
    }
}

pub(super) fn wanted(options: &VectorSearchOptions, higher_better: bool) -> Ranking {
    let limit = options.skip.saturating_add(options.top);
    Ranking {
        limit,
        higher_better,
        threshold: options.score_threshold,
        counted: options.include_total_count,
    }
}
