//! The words of hybrid search, as sparse values.
//!
//! Pinecone scores the dot product of dense and sparse values. A word of a record weighs up to
//! [`MAX_WEIGHT`], so the query's weights are scaled until its words add up to at most 1. That is
//! comparable with the dot product of vectors of length 1.

use textsearch_core::{
    Result,
    text_analysis::{SparseFields, SparseTerms},
    vector::{Fusion, RecordDefinition, VectorSearchOptions},
};

use crate::{CONNECTOR, error::refused, wire::SparseValues};

/// Maximum number of [non-zero sparse
/// values](https://docs.pinecone.io/reference/api/database-limits/operation-limits#upsert-limits).
pub(crate) const MAX_WORDS: usize = 2_048;

/// The most that a word of a record can weigh: see `Bm25::saturation`.
const MAX_WEIGHT: f64 = 2.2;

/// The sparse values of a query, and the factor of its dense values.
pub(crate) struct Blend {
    pub(crate) dense: f64,
    /// `None` if words don't count.
    pub(crate) sparse: Option<SparseValues>,
}

/// Weighs dense and sparse values of a hybrid search as Pinecone [recommends
/// it](https://docs.pinecone.io/guides/search/hybrid-search/single-index).
pub(crate) fn blend(
    fields: &SparseFields,
    definition: &RecordDefinition,
    text: &str,
    options: &VectorSearchOptions,
) -> Result<Blend> {
    let Fusion::WeightedScores { vector_weight: dense } = options.fusion else {
        let allowed = "Fusion::weighted_scores: Pinecone adds dense and sparse scores, and fuses in \
                       no other way";
        return Err(refused("fusion", format_args!("{:?}", options.fusion), allowed));
    };
    if definition.full_text_fields().next().is_none() {
        let allowed = "a collection with a full-text field, which needs \
                       PineconeConfig::with_hybrid_search(true); or a search by vector";
        return Err(refused("hybrid", "used on a collection without words", allowed));
    }
    let terms = fields.query(definition, &options.full_text_fields, text, CONNECTOR)?;
    if terms.numbers.len() > MAX_WORDS {
        let value = format_args!("a text of {} different words", terms.numbers.len());
        return Err(refused("text", value, "at most 2048 different words"));
    }
    let sparse = scaled(terms, 1.0 - dense);
    // The vector decides alone if no word counts.
    let dense = if sparse.is_none() && dense == 0.0 { 1.0 } else { dense };
    Ok(Blend { dense, sparse })
}

/// Scales the weights, so that a record scores at most `max`.
fn scaled(terms: SparseTerms, max: f64) -> Option<SparseValues> {
    let sum: f64 = terms.weights.iter().copied().map(f64::from).sum();
    let scaled = |weight: f32| (f64::from(weight) * max / (sum * MAX_WEIGHT)) as f32;
    let pairs = terms.numbers.into_iter().zip(terms.weights.into_iter().map(scaled));
    let (indices, values): (Vec<u32>, Vec<f32>) = pairs.filter(|(_, value)| *value > 0.0).unzip();
    (!indices.is_empty()).then_some(SparseValues { indices, values })
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use textsearch_core::vector::DataField;

    use super::*;

    fn definition() -> RecordDefinition {
        RecordDefinition::new("id").with_data(DataField::string("text").full_text())
    }

    fn blended(text: &str, fusion: Fusion) -> Blend {
        let options = VectorSearchOptions::default().with_fusion(fusion);
        blend(&SparseFields::new(&definition()), &definition(), text, &options).unwrap()
    }

    #[test]
    fn weights_add_up_to_the_share_of_words() {
        let Blend { dense, sparse } = blended("fox dog fox bird", Fusion::weighted_scores(0.75));
        let SparseValues { indices, values } = sparse.unwrap();
        assert_eq!((dense, indices.len()), (0.75, 3));
        assert!((values.iter().sum::<f32>() - 0.25 / 2.2).abs() < 1e-6, "{values:?}");
        assert_eq!(values.iter().copied().fold(0.0, f32::max), (0.25 * 0.5 / 2.2) as f32);
    }

    #[test]
    fn no_words_or_no_weight_leaves_dense_values() {
        assert!(blended("?!", Fusion::default()).sparse.is_none());
        assert!(blended("fox", Fusion::weighted_scores(1.0)).sparse.is_none());
        assert_eq!(blended("?!", Fusion::weighted_scores(0.0)).dense, 1.0);
    }

    #[test]
    fn a_text_full_of_its_words_scores_nearly_one() {
        let fields = SparseFields::new(&definition());
        let data = json!({ "text": "fox ".repeat(10_000) });
        let weights = fields.writer().document(data.as_object().unwrap()).weights;
        let query = blended("fox", Fusion::weighted_scores(0.0)).sparse.unwrap();
        let score = weights[0] * query.values[0];
        assert!((0.5..=1.0).contains(&score), "{score}");
    }
}
