//! Definitions that an index can hold.

use textsearch_core::{
    Result,
    vector::{Distance, Distribution, HnswParameters, IndexKind, RecordDefinition, VectorField},
};

use crate::{CONNECTOR, error::refused};

const LONGEST_NAME: usize = 45;

const MAX_DIMENSIONS: usize = 20_000;

/// Checks that an index can hold such records; `with_words` if full-text fields are allowed.
pub(crate) fn check(name: &str, definition: &RecordDefinition, with_words: bool) -> Result<()> {
    definition.validate(CONNECTOR)?;
    check_name(name)?;
    check_words(definition, with_words)?;
    if definition.distribution != Distribution::default() {
        let value = format_args!("{:?}", definition.distribution);
        return Err(refused("distribution", value, "unset: Pinecone decides"));
    }
    match definition.vectors.as_slice() {
        [] => Ok(()),
        [field] => check_vector(field),
        [_, second, ..] => {
            let allowed = "one vector per record: use another collection for the second";
            Err(refused(&second.name, "a second vector", allowed))
        }
    }
}

fn check_words(definition: &RecordDefinition, with_words: bool) -> Result<()> {
    let Some(field) = definition.full_text_fields().next() else { return Ok(()) };
    let mut vectors = definition.vectors.iter();
    let allowed = if !with_words {
        "a field without full text: Pinecone doesn't rank words as other stores do; for hybrid search \
         alone, PineconeConfig::with_hybrid_search(true)"
    } else if !vectors.any(|vector| vector.distance == Distance::DotProduct) {
        "a field without full text, or one beside a vector compared by DotProduct: Pinecone adds the \
         score of words to no other"
    } else {
        return Ok(());
    };
    Err(refused(&field.name, "a full-text field", allowed))
}

fn check_name(name: &str) -> Result<()> {
    let is_edge = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = name.as_bytes();
    let is_name = bytes.len() <= LONGEST_NAME
        && bytes.iter().all(|byte| is_edge(byte) || *byte == b'-')
        && [bytes.first(), bytes.last()].iter().all(|edge| edge.is_some_and(is_edge));
    if is_name {
        return Ok(());
    }
    let allowed =
        "1 to 45 lower-case ASCII letters, digits and hyphens, with no hyphen at its ends";
    Err(refused("name", format_args!("`{name}`"), allowed))
}

fn check_vector(field: &VectorField) -> Result<()> {
    let name = field.name.as_str();
    if field.dimensions > MAX_DIMENSIONS {
        let value = format_args!("{} dimensions", field.dimensions);
        return Err(refused(name, value, "1 to 20000 dimensions"));
    }
    if metric(field.distance).is_none() {
        let value = format_args!("compared by {:?}", field.distance);
        return Err(refused(name, value, "a cosine, a dot product or a Euclidean distance"));
    }
    let allowed = "unset: Pinecone decides";
    if let Some(quantization) = field.quantization {
        return Err(refused(name, format_args!("{quantization:?} quantization"), allowed));
    }
    if field.on_disk {
        return Err(refused(name, "on disk", allowed));
    }
    match &field.index {
        IndexKind::Hnsw(parameters) if *parameters == HnswParameters::default() => Ok(()),
        IndexKind::Hnsw(parameters) => {
            let allowed = "the default parameters: Pinecone chooses its index";
            Err(refused(name, format_args!("{parameters:?}"), allowed))
        }
        other => {
            let allowed = "`IndexKind::hnsw()`: Pinecone's index is approximate";
            Err(refused(name, format_args!("indexed as {other:?}"), allowed))
        }
    }
}

/// Returns Pinecone's name for the metric that ranks alike; `None` if there is none.
pub(crate) fn metric(distance: Distance) -> Option<&'static str> {
    match distance {
        Distance::CosineSimilarity | Distance::CosineDistance => Some("cosine"),
        Distance::DotProduct | Distance::NegativeDotProduct => Some("dotproduct"),
        Distance::Euclidean | Distance::EuclideanSquared => Some("euclidean"),
        _ => None,
    }
}

/// Returns the score of the distance for a score of its metric.
pub(crate) fn score(distance: Distance, score: f64) -> f64 {
    match distance {
        Distance::CosineDistance => 1.0 - score,
        // A negation could return minus zero.
        Distance::NegativeDotProduct => 0.0 - score,
        // Pinecone returns the square, which rounding may push below zero.
        Distance::Euclidean => score.max(0.0).sqrt(),
        Distance::EuclideanSquared => score.max(0.0),
        _ => score,
    }
}

#[cfg(test)]
mod tests {
    use textsearch_core::vector::{DataField, Quantization};

    use super::*;

    fn vector() -> VectorField {
        VectorField::new("embedding", 2).with_index(IndexKind::hnsw())
    }

    fn with(field: VectorField) -> RecordDefinition {
        RecordDefinition::new("id").with_vector(field)
    }

    fn text() -> DataField {
        DataField::string("text").full_text()
    }

    fn refusal(definition: &RecordDefinition) -> String {
        check("notes", definition, true).unwrap_err().message().to_owned()
    }

    #[test]
    fn names_are_those_of_indexes() {
        let definition = with(vector());
        for name in ["a", "7", "notes-2", &"n".repeat(45)] {
            assert!(check(name, &definition, false).is_ok(), "{name}");
        }
        for name in ["", "-a", "a-", "Notes", "a_b", "a b", "é", &"n".repeat(46)] {
            assert!(
                check(name, &definition, false).unwrap_err().message().contains("`name`"),
                "{name}"
            );
        }
    }

    #[test]
    fn words_need_the_setting() {
        let definition = with(vector().with_distance(Distance::DotProduct)).with_data(text());
        assert!(check("notes", &definition, true).is_ok());
        let error = check("notes", &definition, false).unwrap_err();
        assert!(error.message().contains("PineconeConfig::with_hybrid_search(true)"), "{error}");
    }

    #[test]
    fn settings_without_support_are_refused() {
        let cases = [
            (with(vector().with_distance(Distance::Manhattan)), "Manhattan"),
            (with(VectorField::new("embedding", 2)), "IndexKind::hnsw()"),
            (
                with(
                    vector()
                        .with_index(HnswParameters { connections: 8, ..HnswParameters::default() }),
                ),
                "connections: 8",
            ),
            (
                with(VectorField::new("embedding", 20_001).with_index(IndexKind::hnsw())),
                "20001 dimensions",
            ),
            (with(vector().with_quantization(Quantization::Scalar)), "Scalar"),
            (with(vector().on_disk()), "on disk"),
            (
                with(vector()).with_vector(VectorField::new("b", 3).with_index(IndexKind::hnsw())),
                "`b` is a second vector",
            ),
            (with(vector()).with_data(text()), "beside a vector compared by DotProduct"),
            (RecordDefinition::new("id").with_data(text()), "`text` is a full-text field"),
            (
                with(vector())
                    .with_distribution(Distribution { shards: Some(2), ..Distribution::default() }),
                "shards",
            ),
        ];
        for (definition, expected) in cases {
            let refusal = refusal(&definition);
            assert!(refusal.contains(expected), "{refusal}");
        }
    }

    #[test]
    fn scores_follow_the_distance() {
        assert_eq!(score(Distance::CosineDistance, 0.25), 0.75);
        assert_eq!(score(Distance::NegativeDotProduct, 3.0), -3.0);
        assert_eq!(score(Distance::Euclidean, 9.0), 3.0);
        assert_eq!(score(Distance::Euclidean, -1e-9), 0.0);
        assert_eq!(score(Distance::DotProduct, -2.0), -2.0);
    }
}
