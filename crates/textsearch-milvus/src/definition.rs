//! Definitions that a collection can hold, and definitions that fit an existing collection.

use textsearch_core::{
    Result,
    vector::{
        Distance, HnswParameters, IndexKind, RecordDefinition, VectorField, check_same_fields,
    },
};

use crate::{CONNECTOR, columns::has_column, error::refused, names};

const MAX_DIMENSIONS: usize = 32_768;

/// Checks that a collection can hold such records.
pub(crate) fn check(name: &str, definition: &RecordDefinition) -> Result<()> {
    definition.validate(CONNECTOR)?;
    names::check("name", name)?;
    names::check("definition", &definition.key.name)?;
    let columns = definition.data.iter().filter(|field| has_column(field));
    columns.into_iter().try_for_each(|field| names::check("definition", &field.name))?;
    let distribution = &definition.distribution;
    if let Some(factor) = distribution.write_consistency_factor {
        let allowed = "unset: Milvus logs each write once";
        return Err(refused("write_consistency_factor", factor, allowed));
    }
    let counts =
        [("shards", distribution.shards), ("replication_factor", distribution.replication_factor)];
    for (option, count) in counts {
        if count.is_some_and(|count| count == 0 || i32::try_from(count).is_err()) {
            return Err(refused(option, count.unwrap_or_default(), "at least 1"));
        }
    }
    definition.vectors.iter().try_for_each(|field| {
        names::check("definition", &field.name)?;
        check_vector(field)
    })
}

fn check_vector(field: &VectorField) -> Result<()> {
    let name = field.name.as_str();
    if field.dimensions > MAX_DIMENSIONS {
        let value = format_args!("{} dimensions", field.dimensions);
        return Err(refused(name, value, &format!("at most {MAX_DIMENSIONS}")));
    }
    metric(field.distance).map_or_else(
        || {
            let value = format_args!("compared by {:?}", field.distance);
            Err(refused(name, value, "cosine, dot product or euclidean"))
        },
        |_| Ok(()),
    )?;
    match &field.index {
        IndexKind::Exact => Ok(()),
        IndexKind::Hnsw(parameters) => {
            let connections = parameters.connections;
            let candidates = parameters.ef_construction;
            if (2..=2_048).contains(&connections) && candidates > 0 {
                return check_ef_search(parameters.ef_search);
            }
            let allowed = "2 to 2048 connections, and an ef_construction of at least 1";
            Err(refused(name, format_args!("{parameters:?}"), allowed))
        }
        other => Err(refused(name, format_args!("{other:?}"), "exact or HNSW")),
    }
}

pub(crate) fn check_ef_search(candidates: u32) -> Result<()> {
    if (1..=i32::MAX as u32).contains(&candidates) {
        return Ok(());
    }
    Err(refused("ef_search", candidates, "1 to 2147483647"))
}

/// Returns Milvus's name of the distance, if it has it.
pub(crate) const fn metric(distance: Distance) -> Option<&'static str> {
    match distance {
        Distance::CosineSimilarity | Distance::CosineDistance => Some("COSINE"),
        Distance::DotProduct | Distance::NegativeDotProduct => Some("IP"),
        Distance::Euclidean | Distance::EuclideanSquared => Some("L2"),
        _ => None,
    }
}

pub(crate) const fn hnsw(field: &VectorField) -> Option<&HnswParameters> {
    match &field.index {
        IndexKind::Hnsw(parameters) => Some(parameters),
        _ => None,
    }
}

/// Checks that the collection of `existing` holds records of `definition`, in the same columns.
pub(crate) fn check_fits(definition: &RecordDefinition, existing: &RecordDefinition) -> Result<()> {
    check_same_fields(CONNECTOR, &shapes(definition), &shapes(existing))
}

/// Describes the key, and each field with a column, an index or full text.
fn shapes(definition: &RecordDefinition) -> Vec<(String, String)> {
    let vectors = definition.vectors.iter().map(|field| {
        let index = hnsw(field).map_or("exact".to_owned(), |parameters| {
            let HnswParameters { connections, ef_construction, .. } = parameters;
            format!("HNSW with {connections} connections and ef_construction {ef_construction}")
        });
        let shape = format!("{} dimensions, {:?}, {index}", field.dimensions, field.distance);
        (field.name.clone(), shape)
    });
    let data = definition.data.iter().filter_map(|field| {
        let column = has_column(field).then(|| format!("filterable, {:?}", field.kind));
        let words = field.full_text.as_ref().map(|text| format!("full text, {text:?}"));
        let shape: Vec<String> = column.into_iter().chain(words).collect();
        (!shape.is_empty()).then(|| (field.name.clone(), shape.join(", ")))
    });
    let key = (definition.key.name.clone(), format!("the key, {:?}", definition.key.kind));
    std::iter::once(key).chain(data).chain(vectors).collect()
}

#[cfg(test)]
mod tests {
    use textsearch_core::vector::{DataField, Distribution, KeyKind};

    use super::*;

    fn base() -> RecordDefinition {
        RecordDefinition::new("id").with_vector(VectorField::new("embedding", 2))
    }

    fn with(field: VectorField) -> RecordDefinition {
        RecordDefinition::new("id").with_vector(field)
    }

    #[test]
    fn settings_without_support_are_refused() {
        let vector = || VectorField::new("embedding", 2);
        let hnsw = |parameters: HnswParameters| with(vector().with_index(parameters));
        let distributed = |distribution| base().with_distribution(distribution);
        let cases = [
            (with(vector().with_distance(Distance::Hamming)), "Hamming"),
            (with(vector().with_distance(Distance::Manhattan)), "Manhattan"),
            (with(VectorField::new("embedding", 32_769)), "32769 dimensions"),
            (
                hnsw(HnswParameters { connections: 1, ..HnswParameters::default() }),
                "connections: 1",
            ),
            (
                hnsw(HnswParameters { ef_construction: 0, ..HnswParameters::default() }),
                "ef_construction: 0",
            ),
            (hnsw(HnswParameters { ef_search: 0, ..HnswParameters::default() }), "ef_search"),
            (
                distributed(Distribution {
                    write_consistency_factor: Some(2),
                    ..Distribution::default()
                }),
                "logs",
            ),
            (distributed(Distribution { shards: Some(0), ..Distribution::default() }), "shards"),
            (with(VectorField::new("-".repeat(90), 2)), "bytes long"),
        ];
        for (definition, expected) in cases {
            let error = check("notes", &definition).unwrap_err();
            assert!(error.message().contains(expected), "{error}");
        }
    }

    #[test]
    fn other_columns_do_not_fit() {
        let year = |definition: RecordDefinition| {
            definition.with_data(DataField::integer("year").filterable())
        };
        let text = |field: DataField| base().with_data(field);
        let embedding = || VectorField::new("embedding", 2);
        let cases = [
            (base().with_key_kind(KeyKind::Uuid), base(), "id"),
            (with(VectorField::new("embedding", 3)), base(), "embedding"),
            (with(embedding().with_distance(Distance::CosineDistance)), base(), "CosineDistance"),
            (with(embedding().with_index(IndexKind::hnsw())), base(), "HNSW"),
            (RecordDefinition::new("id"), base(), "embedding"),
            (year(base()), base(), "year"),
            (base(), year(base()), "year"),
            (
                text(DataField::string("text").full_text_in("en")),
                text(DataField::string("text").full_text()),
                "text",
            ),
        ];
        for (new, old, expected) in cases {
            let error = check_fits(&new, &old).unwrap_err();
            assert!(error.message().contains(expected), "{error}");
        }
        assert!(check_fits(&base().with_data(DataField::string("text")), &base()).is_ok());
    }
}
