//! Checks whether an existing collection matches a definition.

use std::{collections::HashMap, fmt};

use qdrant_client::qdrant::{
    CollectionInfo, CollectionParams, Distance as ServerDistance, FieldType, PayloadSchemaInfo,
    PayloadSchemaType, Value, VectorParams, VectorsConfig, vectors_config,
};
use textsearch_core::{
    Error, Result,
    vector::{RecordDefinition, VectorField},
};

use super::{
    ANALYZER, DISTANCES, FILTERABLE, FULL_TEXT, LANGUAGE, MEAN_LENGTH, METADATA, WEIGHT, has_terms,
    indexes, metadata,
    parameters::{check_distribution, check_parameters},
    refused, server_distance,
};
use crate::{
    conversion::{self, Json},
    path,
};

const WRITE_AGAIN: &str =
    "store its records again, in a new collection or after this one is deleted";

pub(crate) struct Missing {
    pub(crate) indexes: Vec<(String, FieldType)>,
    pub(crate) metadata: Option<HashMap<String, Value>>,
}

/// Returns the collection's missing parts.
///
/// # Errors
/// Returns `InvalidOptions` if the collection differs; the error names the field, its definition
/// and the existing value.
pub(crate) fn check_existing(
    info: CollectionInfo,
    definition: &RecordDefinition,
) -> Result<Missing> {
    let is_empty = info.points_count.unwrap_or_default() == 0;
    let mut config = info.config.unwrap_or_default();
    let mut params = config.params.take().unwrap_or_default();
    let vectors = vectors(params.vectors_config.take());
    definition.vectors.iter().try_for_each(|field| check_vector(field, &vectors))?;
    check_metadata(&config.metadata, definition)?;
    if has_terms(definition) && !has_terms_vector(&params) {
        return Err(differs("full_text", "set", "no full text"));
    }
    let ours = config.metadata.contains_key(METADATA);
    check_parameters(&config, &vectors, definition, ours)?;
    check_distribution(&params, definition.distribution)?;
    let metadata = changed_metadata(&config.metadata, definition, is_empty)?;
    Ok(Missing { indexes: missing_indexes(definition, &info.payload_schema)?, metadata })
}

pub(super) fn has_columns(info: &CollectionInfo, definition: &RecordDefinition) -> bool {
    let Some(existing) = info.config.as_ref().and_then(|config| known(&config.metadata)) else {
        return false;
    };
    let defined = filterable(definition);
    let existing_fields = part(&existing, FILTERABLE);
    let has_key_order = part(&existing, "key").get("text_order") != Some(&false.into());
    has_key_order == definition.key.text_order
        && defined.iter().all(|(name, kind)| existing_fields.get(name) == Some(kind))
}

/// Returns the metadata to write if the filterable fields changed or a vector was added.
///
/// # Errors
/// Returns `InvalidOptions` if the filterable fields changed and the collection has records: they
/// have no columns for an added field, or columns of the wrong kind; new records would have none
/// for a removed field.
fn changed_metadata(
    existing: &HashMap<String, Value>,
    definition: &RecordDefinition,
    is_empty: bool,
) -> Result<Option<HashMap<String, Value>>> {
    let Some(existing) = known(existing) else { return Ok(None) };
    let defined = known(&metadata(definition)).unwrap_or_default();
    if !is_empty {
        check_filterable(&object(&existing, FILTERABLE), &object(&defined, FILTERABLE))?;
    }
    let mut changed = existing.clone();
    if let Some(changed) = changed.as_object_mut() {
        for name in [FILTERABLE, DISTANCES] {
            changed.insert(name.to_owned(), part(&defined, name));
        }
    }
    Ok((changed != existing).then(|| HashMap::from([(METADATA.to_owned(), changed.into())])))
}

fn check_filterable(existing: &Json, defined: &Json) -> Result<()> {
    let mut names = defined.keys().chain(existing.keys());
    match names.find(|name| defined.get(*name) != existing.get(*name)) {
        Some(name) => Err(filterable_differs(name, defined.get(name), existing.get(name))),
        None => Ok(()),
    }
}

fn filterable(definition: &RecordDefinition) -> Json {
    object(&known(&metadata(definition)).unwrap_or_default(), FILTERABLE)
}

/// Collections created by other programs have no metadata of this crate.
pub(super) fn known(metadata: &HashMap<String, Value>) -> Option<serde_json::Value> {
    metadata.get(METADATA).cloned().map(conversion::to_json)
}

pub(super) fn part(value: &serde_json::Value, name: &str) -> serde_json::Value {
    value.get(name).cloned().unwrap_or_default()
}

pub(super) fn object(value: &serde_json::Value, name: &str) -> Json {
    part(value, name).as_object().cloned().unwrap_or_default()
}

fn check_metadata(existing: &HashMap<String, Value>, definition: &RecordDefinition) -> Result<()> {
    let Some(existing) = known(existing) else { return Ok(()) };
    let defined = known(&metadata(definition)).unwrap_or_default();
    let existing_key = part(&existing, "key");
    let defined_key = part(&defined, "key");
    if existing_key != defined_key {
        return Err(differs("key", defined_key, existing_key));
    }
    check_full_text(&object(&existing, FULL_TEXT), &object(&defined, FULL_TEXT))?;
    check_distances(&object(&existing, DISTANCES), &object(&defined, DISTANCES))
}

/// Existing records have no terms for an added field, and different terms for a field that was
/// analyzed differently. Points are replaced as a whole, so writing a record without a field would
/// lose the field's terms.
fn check_full_text(existing: &Json, defined: &Json) -> Result<()> {
    for (name, read) in defined {
        match existing.get(name) {
            Some(there) if there == read => {}
            Some(there) if there.get(WEIGHT).is_none() => {
                return Err(refused(name, full_text(read), full_text(there), WRITE_AGAIN));
            }
            Some(there) => return Err(differs(name, full_text(read), full_text(there))),
            None => return Err(differs(name, full_text(read), "a field without full text")),
        }
    }
    match existing.iter().find(|(name, _)| !defined.contains_key(*name)) {
        Some((name, there)) => {
            Err(refused(name, "a field without full text", full_text(there), WRITE_AGAIN))
        }
        None => Ok(()),
    }
}

/// Rejects changed distances, which the server can't tell apart, and removed vectors, which later
/// writes would lose.
fn check_distances(existing: &Json, defined: &Json) -> Result<()> {
    for (name, there) in existing {
        match defined.get(name) {
            Some(distance) if distance == there => {}
            Some(distance) => {
                return Err(differs(name, format_args!("compared by {distance}"), there));
            }
            None => {
                let there = format_args!("a vector compared by {there}");
                return Err(refused(name, "missing", there, WRITE_AGAIN));
            }
        }
    }
    Ok(())
}

fn full_text(read: &serde_json::Value) -> String {
    if !read.get(WEIGHT).is_some_and(serde_json::Value::is_number) {
        return "full text as an earlier version of this crate wrote it".to_owned();
    }
    let language = part(read, LANGUAGE);
    let language = language.as_str().map_or(String::new(), |code| format!(" in `{code}`"));
    let [length, weight, version] = [MEAN_LENGTH, WEIGHT, ANALYZER].map(|name| part(read, name));
    format!(
        "full text{language} of {length} terms on average with the weight {weight} by version {version} of the analyzer"
    )
}

fn has_terms_vector(params: &CollectionParams) -> bool {
    let sparse = params.sparse_vectors_config.as_ref();
    sparse.is_some_and(|config| config.map.contains_key(path::TERMS))
}

pub(super) fn vectors(config: Option<VectorsConfig>) -> HashMap<String, VectorParams> {
    match config.and_then(|config| config.config) {
        Some(vectors_config::Config::ParamsMap(params)) => params.map,
        // A single unnamed vector.
        Some(vectors_config::Config::Params(params)) => HashMap::from([(String::new(), params)]),
        None => HashMap::new(),
    }
}

fn check_vector(field: &VectorField, vectors: &HashMap<String, VectorParams>) -> Result<()> {
    let described = |size: u64, distance: ServerDistance| {
        format!("{size} dimensions, {}", distance.as_str_name())
    };
    let defined = described(field.dimensions as u64, server_distance(field)?);
    let Some(params) = vectors.get(path::vector(&field.name)) else {
        let mut names: Vec<String> = vectors.keys().map(|name| format!("`{name}`")).collect();
        names.sort_unstable();
        let there = if names.is_empty() { "no vector".to_owned() } else { names.join(", ") };
        return Err(differs(&field.name, defined, there));
    };
    let there = described(params.size, params.distance());
    if there == defined { Ok(()) } else { Err(differs(&field.name, defined, there)) }
}

fn missing_indexes(
    definition: &RecordDefinition,
    existing: &HashMap<String, PayloadSchemaInfo>,
) -> Result<Vec<(String, FieldType)>> {
    let mut missing = Vec::new();
    for (path, index) in indexes(definition) {
        match existing.get(&path).map(PayloadSchemaInfo::data_type) {
            None => missing.push((path, index)),
            Some(there) if is_same(index, there) => {}
            Some(there) => {
                let defined = format!("indexed as {}", index.as_str_name());
                return Err(differs(
                    &path,
                    defined,
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

fn filterable_differs(
    field: &str,
    defined: Option<&serde_json::Value>,
    there: Option<&serde_json::Value>,
) -> Error {
    let described = |kind: Option<&serde_json::Value>| match kind.and_then(|kind| kind.as_str()) {
        Some(kind) => format!("filterable as {kind}"),
        None => "not filterable".to_owned(),
    };
    refused(field, described(defined), described(there), WRITE_AGAIN)
}

fn differs(field: &str, actual: impl fmt::Display, expected: impl fmt::Display) -> Error {
    refused(field, actual, expected, "delete it to start anew")
}
