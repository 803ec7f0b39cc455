//! Scores as [`Distance`] defines them.

use std::sync::Arc;

use textsearch_core::{Result, vector::Distance};

use crate::{error::undecodable, read::elements, wire::ScoredDocument};

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

impl Scoring {
    pub(crate) fn score(&self, document: &ScoredDocument) -> Result<f64> {
        match self {
            Self::Plain => Ok(document.score),
            Self::Semantic => document.reranker_score.ok_or_else(|| {
                undecodable("a result of the semantic ranker", "it lacks `@search.rerankerScore`")
            }),
            Self::Cosine(distance) => {
                let cosine = 2.0 - 1.0 / document.score;
                Ok(if *distance == Distance::CosineDistance { 1.0 - cosine } else { cosine })
            }
            Self::OfVector { field, vector, distance } => {
                let stored = document.fields.get(field).and_then(elements);
                let stored = stored.ok_or_else(|| {
                    undecodable(
                        "a result of a search by vector",
                        format_args!("it lacks `{field}`"),
                    )
                })?;
                Ok(distance.score(vector, &stored))
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
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn document(fields: serde_json::Value) -> ScoredDocument {
        serde_json::from_value(fields).unwrap()
    }

    #[test]
    fn cosines_are_computed_from_the_score() {
        for (score, cosine) in [(1.0, 1.0), (0.5, 0.0), (1.0 / 3.0, -1.0)] {
            let document = document(json!({ "@search.score": score }));
            let similarity = Scoring::Cosine(Distance::CosineSimilarity).score(&document).unwrap();
            let distance = Scoring::Cosine(Distance::CosineDistance).score(&document).unwrap();
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
        let scored = document(json!({ "@search.score": 0.7, "embedding": [3.0, 4.0] }));
        assert_eq!(scoring.score(&scored).unwrap(), 11.0);
        let error = scoring.score(&document(json!({ "@search.score": 0.7 }))).unwrap_err();
        assert!(error.message().contains("embedding"), "{error}");
    }
}
