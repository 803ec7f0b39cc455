//! Definitions that a collection can hold, and definitions that fit an existing collection.

use std::net::Ipv4Addr;

use textsearch_core::{
    Result,
    vector::{Distance, Distribution, IndexKind, RecordDefinition, VectorField, check_same_fields},
};

use crate::{CONNECTOR, error::refused, metadata};

const NAME: &str = "3 to 512 letters, digits, `.`, `_` and `-`, with a letter or digit at both ends, \
                    without `..`, and no IP address";

/// Checks that a collection can hold such records.
pub(crate) fn check(name: &str, definition: &RecordDefinition) -> Result<()> {
    definition.validate(CONNECTOR)?;
    if !is_name(name) {
        return Err(refused("name", format_args!("`{name}`"), NAME));
    }
    if let Some(field) = definition.full_text_fields().next() {
        return Err(refused(&field.name, "a full-text field", "a field without full text"));
    }
    if definition.distribution != Distribution::default() {
        let value = format_args!("{:?}", definition.distribution);
        return Err(refused("distribution", value, "unset: the server decides"));
    }
    match definition.vectors.as_slice() {
        [] => Ok(()),
        [field] => check_vector(field),
        [_, second, ..] => {
            let allowed = "one vector field; use a collection for each";
            Err(refused(&second.name, "a second vector field", allowed))
        }
    }
}

fn is_name(name: &str) -> bool {
    let is_inner = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
    let ends = [name.as_bytes().first(), name.as_bytes().last()];
    (3..=512).contains(&name.len())
        && name.as_bytes().iter().all(is_inner)
        && ends.into_iter().flatten().all(u8::is_ascii_alphanumeric)
        && !name.contains("..")
        && name.parse::<Ipv4Addr>().is_err()
}

fn check_vector(field: &VectorField) -> Result<()> {
    let name = field.name.as_str();
    if matches!(field.distance, Distance::Manhattan | Distance::Hamming | Distance::Jaccard) {
        let allowed = "cosine, dot product or Euclidean";
        return Err(refused(name, format_args!("compared by {:?}", field.distance), allowed));
    }
    let IndexKind::Hnsw(parameters) = &field.index else {
        let value = format_args!("{:?}", field.index);
        return Err(refused(name, value, "an HNSW index (`with_index(IndexKind::hnsw())`)"));
    };
    let numbers = [parameters.connections, parameters.ef_construction, parameters.ef_search];
    if parameters.connections < 2 || numbers.contains(&0) {
        let allowed = "at least 2 connections and 1 candidate";
        return Err(refused(name, format_args!("{parameters:?}"), allowed));
    }
    Ok(())
}

/// Checks that the collection of `existing` holds records of `definition`, with the same metadata.
pub(crate) fn check_fits(definition: &RecordDefinition, existing: &RecordDefinition) -> Result<()> {
    check_metadata(definition, existing)?;
    check_vectors(definition, existing)
}

/// Checks that the collection of `existing` ranks as `definition` says.
pub(crate) fn check_vectors(
    definition: &RecordDefinition,
    existing: &RecordDefinition,
) -> Result<()> {
    check_same_fields(CONNECTOR, &vectors(definition), &vectors(existing))
}

/// Checks that records of `definition` have the same metadata as the collection of `existing`.
pub(crate) fn check_metadata(
    definition: &RecordDefinition,
    existing: &RecordDefinition,
) -> Result<()> {
    check_same_fields(CONNECTOR, &metadata(definition), &metadata(existing))
}

/// A field's name, and what both definitions must say of it.
type Shape = (String, String);

fn metadata(definition: &RecordDefinition) -> Vec<Shape> {
    let key = (definition.key.name.clone(), format!("the key, {:?}", definition.key.kind));
    let data = metadata::columns(definition)
        .map(|field| (field.name.clone(), format!("filterable, {:?}", field.kind)));
    std::iter::once(key).chain(data).collect()
}

fn vectors(definition: &RecordDefinition) -> Vec<Shape> {
    let vectors = definition.vectors.iter().map(|field| {
        let dimensions = field.dimensions;
        let distance = field.distance;
        let index = &field.index;
        (field.name.clone(), format!("{dimensions} dimensions, {distance:?}, {index:?}"))
    });
    vectors.collect()
}

#[cfg(test)]
mod tests {
    use textsearch_core::vector::{DataField, HnswParameters, KeyKind};

    use super::*;

    fn vector(name: &str) -> VectorField {
        VectorField::new(name, 2).with_index(IndexKind::hnsw())
    }

    fn base() -> RecordDefinition {
        RecordDefinition::new("id").with_vector(vector("embedding"))
    }

    fn with(field: VectorField) -> RecordDefinition {
        RecordDefinition::new("id").with_vector(field)
    }

    #[test]
    fn names_that_the_server_rejects_are_refused() {
        for name in ["", "ab", "a b c", "Über", "a/b/c", "-abc", "abc.", "a..b", "127.0.0.1"] {
            assert!(check(name, &base()).is_err(), "{name}");
        }
        for name in ["abc", "a.b-c_1", &"x".repeat(512)] {
            assert!(check(name, &base()).is_ok(), "{name}");
        }
        assert!(check(&"x".repeat(513), &base()).is_err());
    }

    #[test]
    fn settings_without_support_are_refused() {
        let hnsw = |parameters: HnswParameters| with(vector("embedding").with_index(parameters));
        let cases = [
            (with(VectorField::new("embedding", 2)), "HNSW"),
            (with(vector("embedding").with_distance(Distance::Manhattan)), "Manhattan"),
            (with(vector("embedding").with_distance(Distance::Hamming)), "Hamming"),
            (with(vector("embedding").with_distance(Distance::Jaccard)), "Jaccard"),
            (base().with_vector(vector("picture")), "picture"),
            (hnsw(HnswParameters { ef_search: 0, ..HnswParameters::default() }), "ef_search: 0"),
            (base().with_data(DataField::string("text").full_text()), "full-text"),
            (
                base()
                    .with_distribution(Distribution { shards: Some(2), ..Distribution::default() }),
                "shards",
            ),
        ];
        for (definition, expected) in cases {
            let refusal = check("notes", &definition).unwrap_err();
            assert!(refusal.message().contains(expected), "{refusal}");
        }
    }

    #[test]
    fn changed_definitions_do_not_fit() {
        let year = || base().with_data(DataField::integer("year").filterable());
        let other = HnswParameters { connections: 8, ..HnswParameters::default() };
        let cases = [
            (base().with_key_kind(KeyKind::Uuid), base(), "id"),
            (with(VectorField::new("embedding", 3).with_index(IndexKind::hnsw())), base(), "3 dim"),
            (with(vector("embedding").with_index(other)), base(), "connections: 8"),
            (RecordDefinition::new("id"), base(), "embedding"),
            (year(), base(), "year"),
            (base(), year(), "year"),
        ];
        for (new, old, expected) in cases {
            let error = check_fits(&new, &old).unwrap_err();
            assert!(error.message().contains(expected), "{error}");
        }
        assert!(check_fits(&base().with_data(DataField::string("text")), &base()).is_ok());
    }
}
