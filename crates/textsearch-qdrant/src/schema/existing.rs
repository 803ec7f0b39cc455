//! Whether a collection that exists is what a definition says.

use std::{collections::HashMap, fmt};

use qdrant_client::qdrant::{
    CollectionInfo, CollectionParams, Distance as ServerDistance, FieldType, PayloadSchemaInfo,
    PayloadSchemaType, VectorParams, vectors_config,
};
use textsearch_core::{
    Error, ErrorKind, Result,
    vector::{RecordDefinition, VectorField},
};

use super::{METADATA, has_terms, indexes, metadata, server_distance};
use crate::{CONNECTOR, conversion, path};

/// Checks what exists, and returns the indexes that are missing.
///
/// # Errors
/// `InvalidOptions` that names the field, what the definition says, and what is there.
pub(crate) fn check_existing(
    info: CollectionInfo,
    definition: &RecordDefinition,
) -> Result<Vec<(String, FieldType)>> {
    let config = info.config.unwrap_or_default();
    let params = config.params.unwrap_or_default();
    let has_no_terms = has_terms(definition) && !has_terms_vector(&params);
    let vectors = vectors(params);
    definition.vectors.iter().try_for_each(|field| check_vector(field, &vectors))?;
    check_metadata(&config.metadata, definition)?;
    if has_no_terms {
        return Err(differs("full_text", "read by words", "a collection without terms"));
    }
    missing_indexes(definition, &info.payload_schema)
}

fn check_metadata(
    found: &HashMap<String, qdrant_client::qdrant::Value>,
    definition: &RecordDefinition,
) -> Result<()> {
    // Collections that others made have none.
    let Some(found) = found.get(METADATA).cloned().map(conversion::to_json) else { return Ok(()) };
    let wanted = metadata(definition).remove(METADATA).map(conversion::to_json).unwrap_or_default();
    let part = |value: &serde_json::Value, name: &str| value.get(name).cloned().unwrap_or_default();
    let (found_key, wanted_key) = (part(&found, "key"), part(&wanted, "key"));
    if found_key != wanted_key {
        return Err(differs("key", wanted_key, found_key));
    }
    // The records that are there have no terms of a field that is new, and none of another language.
    let (texts, vectors) = (part(&found, "full_text"), part(&found, "distances"));
    for (name, language) in part(&wanted, "full_text").as_object().into_iter().flatten() {
        match texts.get(name) {
            Some(there) if there == language => {}
            Some(there) => {
                return Err(differs(name, language_of(language), language_of(there)));
            }
            None => return Err(differs(name, "full text", "a field without full text")),
        }
    }
    for (name, distance) in part(&wanted, "distances").as_object().into_iter().flatten() {
        match vectors.get(name) {
            Some(there) if there != distance => {
                return Err(differs(name, format_args!("compared by {distance}"), there));
            }
            _ => {}
        }
    }
    Ok(())
}

fn language_of(language: &serde_json::Value) -> String {
    language.as_str().map_or("full text".to_owned(), |code| format!("full text in `{code}`"))
}

fn has_terms_vector(params: &CollectionParams) -> bool {
    let sparse = params.sparse_vectors_config.as_ref();
    sparse.is_some_and(|config| config.map.contains_key(path::TERMS))
}

fn vectors(params: CollectionParams) -> HashMap<String, VectorParams> {
    match params.vectors_config.and_then(|config| config.config) {
        Some(vectors_config::Config::ParamsMap(params)) => params.map,
        // A single vector without a name.
        Some(vectors_config::Config::Params(params)) => HashMap::from([(String::new(), params)]),
        None => HashMap::new(),
    }
}

fn check_vector(field: &VectorField, found: &HashMap<String, VectorParams>) -> Result<()> {
    let described = |size: u64, distance: ServerDistance| {
        format!("{size} dimensions, {}", distance.as_str_name())
    };
    let wanted = described(field.dimensions as u64, server_distance(field)?);
    let Some(params) = found.get(&field.name) else {
        let mut names: Vec<String> = found.keys().map(|name| format!("`{name}`")).collect();
        names.sort_unstable();
        let there = if names.is_empty() { "no vector".to_owned() } else { names.join(", ") };
        return Err(differs(&field.name, wanted, there));
    };
    let there = described(params.size, params.distance());
    if there == wanted { Ok(()) } else { Err(differs(&field.name, wanted, there)) }
}

fn missing_indexes(
    definition: &RecordDefinition,
    found: &HashMap<String, PayloadSchemaInfo>,
) -> Result<Vec<(String, FieldType)>> {
    let mut missing = Vec::new();
    for (path, index) in indexes(definition) {
        match found.get(&path).map(PayloadSchemaInfo::data_type) {
            None => missing.push((path, index)),
            Some(there) if is_same(index, there) => {}
            Some(there) => {
                let wanted = format!("indexed as {}", index.as_str_name());
                return Err(differs(
                    &path,
                    wanted,
                    format_args!("an index of {}", there.as_str_name()),
                ));
            }
        }
    }
    Ok(missing)
}

fn is_same(index: FieldType, there: PayloadSchemaType) -> bool {
    matches!(
        (index, there),
        (FieldType::Keyword, PayloadSchemaType::Keyword)
            | (FieldType::Integer, PayloadSchemaType::Integer)
            | (FieldType::Float, PayloadSchemaType::Float)
            | (FieldType::Bool, PayloadSchemaType::Bool)
            | (FieldType::Datetime, PayloadSchemaType::Datetime)
    )
}

fn differs(field: &str, found: impl fmt::Display, expected: impl fmt::Display) -> Error {
    let allowed = format!("{expected}, as in the collection that exists; delete it to start anew");
    let message = format!("the definition of `{field}` is {found}: allowed is {allowed}");
    let option = format!("definition.{field}");
    Error::new(ErrorKind::invalid_options(option, allowed), CONNECTOR, message)
}
