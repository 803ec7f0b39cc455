//! Scores as [`Distance`] defines them.

use std::{cmp::Ordering, sync::Arc};

use textsearch_core::{
    Result,
    vector::{Distance, RecordKey, StoredRecord},
};

use crate::{error::undecodable, read::elements, request::Hit};

/// How a ranking scores.
#[derive(Debug, Clone)]
pub(crate) enum Scoring {
    /// The service's score as it is.
    Plain,
    /// The score of the semantic ranker, from 0 to 4.
    Semantic,
    /// The service's score is [1 / (2 -
    /// cosine)](https://learn.microsoft.com/azure/search/vector-search-ranking).
    Cosine(Distance),
    /// Computed from the vector of the record: the service documents no formula.
    OfVector { field: String, vector: Arc<[f32]>, distance: Distance },
}

/// A record with its score.
pub(crate) struct Scored {
    pub(crate) record: StoredRecord,
    pub(crate) score: f64,
}

impl Scoring {
    pub(crate) fn score(&self, hit: &Hit) -> Result<f64> {
        match self {
            Self::Plain => Ok(hit.score),
            Self::Semantic => hit.reranker_score.ok_or_else(|| {
                undecodable("a result of the semantic ranker", "it lacks `@search.rerankerScore`")
            }),
            Self::Cosine(distance) => {
                let cosine = 2.0 - 1.0 / hit.score;
                Ok(if *distance == Distance::CosineDistance { 1.0 - cosine } else { cosine })
            }
            Self::OfVector { field, vector, distance } => {
                let found = hit.fields.get(field).and_then(elements);
                let found = found.ok_or_else(|| {
                    undecodable(
                        "a result of a search by vector",
                        format_args!("it lacks `{field}`"),
                    )
                })?;
                Ok(distance.score(vector, &found))
            }
        }
    }

    /// Returns the vector that the score is computed from.
    pub(crate) fn vector_name(&self) -> Option<&str> {
        match self {
            Self::OfVector { field, .. } => Some(field),
            _ => None,
        }
    }

    pub(crate) fn is_higher_better(&self) -> bool {
        match self {
            Self::Plain | Self::Semantic => true,
            Self::Cosine(distance) | Self::OfVector { distance, .. } => distance.is_higher_better(),
        }
    }

    /// Orders the better score first.
    pub(crate) fn compare(&self, one: f64, other: f64) -> Ordering {
        let order = one.total_cmp(&other);
        if self.is_higher_better() { order.reverse() } else { order }
    }

    /// Compares within the precision of the service's scores.
    pub(crate) fn reaches(&self, score: f64, threshold: Option<f64>) -> bool {
        threshold.is_none_or(|threshold| {
            let (score, threshold) = (score as f32, threshold as f32);
            if self.is_higher_better() { score >= threshold } else { score <= threshold }
        })
    }

    /// Sorts the best first, and equal scores by key.
    pub(crate) fn sort(&self, found: &mut [Scored]) {
        let key = |scored: &Scored| -> RecordKey { scored.record.key.clone() };
        found.sort_by(|one, other| {
            self.compare(one.score, other.score).then_with(|| key(one).cmp(&key(other)))
        });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn hit(fields: serde_json::Value) -> Hit {
        serde_json::from_value(fields).unwrap()
    }

    #[test]
    fn cosines_are_computed_from_the_score() {
        for (score, cosine) in [(1.0, 1.0), (0.5, 0.0), (1.0 / 3.0, -1.0)] {
            let hit = hit(json!({ "@search.score": score }));
            let similarity = Scoring::Cosine(Distance::CosineSimilarity).score(&hit).unwrap();
            let distance = Scoring::Cosine(Distance::CosineDistance).score(&hit).unwrap();
            assert!((similarity - cosine).abs() < 1e-9, "{similarity} for {cosine}");
            assert!((distance - (1.0 - cosine)).abs() < 1e-9, "{distance} for {cosine}");
        }
    }

    #[test]
    fn other_scores_are_computed_from_the_vector() {
        let scoring = Scoring::OfVector {
            field: "embedding".to_owned(),
            vector: Arc::from([1.0, 2.0]),
            distance: Distance::DotProduct,
        };
        let found = hit(json!({ "@search.score": 0.7, "embedding": [3.0, 4.0] }));
        assert_eq!(scoring.score(&found).unwrap(), 11.0);
        let error = scoring.score(&hit(json!({ "@search.score": 0.7 }))).unwrap_err();
        assert!(error.message().contains("embedding"), "{error}");
    }
}
