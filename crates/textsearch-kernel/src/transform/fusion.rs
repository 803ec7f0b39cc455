//! Weighted reciprocal rank fusion of several queries to one search.

use std::collections::HashMap;

use serde_json::Value;
use textsearch_core::{
    TextSearchRecord as _, TextSearchResult,
    connector::Mapped,
    results::{AnyRecord, ExplanationStep},
};

/// The usual one: [Cormack et al. 2009](https://dl.acm.org/doi/10.1145/1571941.1572114).
const RANK_CONSTANT: f64 = 60.0;

/// The results of one query, best first.
pub(super) struct Ranking<'a> {
    pub(super) query: &'a str,
    pub(super) weight: f64,
    /// The part of the question that the query asks.
    pub(super) part: Option<&'a str>,
    pub(super) records: Vec<AnyRecord>,
}

/// A result of the fused ranking.
pub(super) struct Fused<'a> {
    record: AnyRecord,
    result: TextSearchResult,
    score: f64,
    best_rank: usize,
    parts: Vec<&'a str>,
    /// The last ranking that contains it.
    ranking: usize,
    /// Of each ranking that contains it; empty unless explained.
    steps: Vec<ExplanationStep>,
}

/// What tells the records of one search apart.
#[derive(PartialEq, Eq, Hash)]
enum Identity {
    Id(String),
    Link(String),
    Text(String),
}

/// Fuses `rankings`: each result scores the sum of `weight / (60 + rank)` over the rankings that contain
/// it. A ranking that repeats a result counts once. Ties are broken by the best rank, then by the order
/// of the rankings.
pub(super) fn fuse(rankings: Vec<Ranking<'_>>, is_explained: bool) -> Vec<Fused<'_>> {
    let mut positions = HashMap::new();
    let mut all: Vec<Fused<'_>> = Vec::new();
    for (number, ranking) in rankings.into_iter().enumerate() {
        for (position, record) in ranking.records.into_iter().enumerate() {
            let rank = position + 1;
            let score = ranking.weight / (RANK_CONSTANT + rank as f64);
            let result = record.to_result();
            let step = is_explained.then(|| ExplanationStep {
                detail: Some(ranking.query.to_owned()),
                rank: Some(rank),
                score: result.score,
                weight: Some(ranking.weight),
                contribution: Some(score),
                ..ExplanationStep::new(ExplanationStep::QUERY)
            });
            let next = all.len();
            let known = *positions.entry(Identity::new(&result)).or_insert(next);
            let Some(fused) = all.get_mut(known) else {
                let parts = ranking.part.into_iter().collect();
                let steps = step.into_iter().collect();
                let best_rank = rank;
                all.push(Fused { record, result, score, best_rank, parts, ranking: number, steps });
                continue;
            };
            if fused.ranking == number {
                continue;
            }
            fused.ranking = number;
            fused.score += score;
            fused.steps.extend(step);
            fused.parts.extend(ranking.part);
            if rank < fused.best_rank {
                (fused.record, fused.result, fused.best_rank) = (record, result, rank);
            }
        }
    }
    all.sort_by(|left, right| {
        right.score.total_cmp(&left.score).then(left.best_rank.cmp(&right.best_rank))
    });
    all
}

impl Fused<'_> {
    /// Returns the record of the query that ranks it best, with the fused score. `rank` is that of the
    /// fused ranking.
    pub(super) fn into_record(self, rank: usize) -> AnyRecord {
        let Self { mut record, mut result, score, parts, steps, .. } = self;
        result.score = Some(score);
        if !parts.is_empty() {
            let parts: Value = parts.into_iter().collect();
            result.metadata.insert("parts".to_owned(), parts);
        }
        if !steps.is_empty() {
            let fusion = ExplanationStep {
                detail: Some("reciprocal_rank".to_owned()),
                rank: Some(rank),
                score: Some(score),
                ..ExplanationStep::new(ExplanationStep::FUSION)
            };
            record = steps.into_iter().chain([fusion]).fold(record, AnyRecord::with_step);
        }
        Mapped::new(record, result).into_any_record()
    }
}

impl Identity {
    fn new(result: &TextSearchResult) -> Self {
        match (&result.id, &result.link) {
            (Some(id), _) => Self::Id(id.clone()),
            (None, Some(link)) => Self::Link(link.clone()),
            (None, None) => Self::Text(result.value.clone()),
        }
    }
}
