//! The fused results of several queries to one search.

use serde_json::Value;
use textsearch_core::{
    SearchOptions, TextSearchRecord as _, TextSearchResult,
    connector::Mapped,
    results::{AnyRecord, ExplanationStep, FusedLeg, FusedPlace, RANK_CONSTANT, fuse_rankings},
};

/// The results of one query, best first.
pub(super) struct Ranking<'a> {
    pub(super) query: &'a str,
    pub(super) weight: f64,
    /// The part of the question that the query asks.
    pub(super) part: Option<&'a str>,
    pub(super) records: Vec<AnyRecord>,
}

/// Rankings, and their fusion by weighted reciprocal rank.
pub(super) struct Fused<'a> {
    rankings: Vec<Ranking<'a>>,
    places: Vec<FusedPlace>,
}

/// What tells the records of one search apart.
#[derive(PartialEq, Eq, Hash)]
enum Identity {
    Id(String),
    Link(String),
    Text(String),
}

impl<'a> Fused<'a> {
    pub(super) fn new(rankings: Vec<Ranking<'a>>) -> Self {
        let identity = |record: &AnyRecord| Identity::new(record.to_result());
        let keys = rankings
            .iter()
            .map(|ranking| (ranking.weight, ranking.records.iter().map(identity).collect()));
        let places = fuse_rankings(keys, RANK_CONSTANT);
        Self { rankings, places }
    }

    /// Returns the number of different results.
    pub(super) fn count(&self) -> usize {
        self.places.len()
    }

    /// Returns the records that `options` requests, each of the query that ranks it best, with the fused
    /// score.
    pub(super) fn window(&self, options: &SearchOptions) -> Vec<AnyRecord> {
        let places = self.places.iter().zip(1..).skip(options.skip).take(options.top);
        let is_explained = options.include_explanation;
        places.filter_map(|(place, rank)| self.record(place, rank, is_explained)).collect()
    }

    fn record(&self, place: &FusedPlace, rank: usize, is_explained: bool) -> Option<AnyRecord> {
        let (_, record) = self.leg(place.best)?;
        let mut record = record.clone();
        let mut result = record.to_result().with_score(place.score);
        let rankings = place.legs.iter().filter_map(|leg| self.rankings.get(leg.ranking));
        let parts: Vec<Value> =
            rankings.filter_map(|ranking| ranking.part.map(Value::from)).collect();
        if !parts.is_empty() {
            result.metadata.insert("parts".to_owned(), parts.into());
        }
        if is_explained {
            let steps = place.steps(rank, |leg| self.step(leg));
            record = steps.into_iter().fold(record, AnyRecord::with_step);
        }
        Some(Mapped::new(record, result).into_any_record())
    }

    fn step(&self, leg: FusedLeg) -> ExplanationStep {
        let step = ExplanationStep::new(ExplanationStep::QUERY);
        let Some((ranking, record)) = self.leg(leg) else { return step };
        ExplanationStep {
            detail: Some(ranking.query.to_owned()),
            score: record.to_result().score,
            weight: Some(ranking.weight),
            ..step
        }
    }

    fn leg(&self, leg: FusedLeg) -> Option<(&Ranking<'a>, &AnyRecord)> {
        let ranking = self.rankings.get(leg.ranking)?;
        Some((ranking, ranking.records.get(leg.rank - 1)?))
    }
}

impl Identity {
    fn new(result: TextSearchResult) -> Self {
        match (result.id, result.link) {
            (Some(id), _) => Self::Id(id),
            (None, Some(link)) => Self::Link(link),
            (None, None) => Self::Text(result.value),
        }
    }
}
