//! The limits of the store with fewer capabilities.

use serde_json::Value;
use textsearch_conformance::core::{
    Error, ErrorKind, Result,
    vector::{DataKind, Distance, IndexKind, RecordDefinition, StoredRecord},
};

use super::store::refused;

const MAX_BYTES: usize = 100_000;

pub(super) fn check_definition(definition: &RecordDefinition) -> Result<()> {
    if definition.vectors.iter().any(|field| field.distance == Distance::Hamming) {
        return Err(refused("distance", "hamming", "any other"));
    }
    if definition.vectors.len() > 1 {
        return Err(refused("vectors", definition.vectors.len(), "one"));
    }
    if definition.vectors.iter().any(|field| field.index == IndexKind::Exact) {
        return Err(refused("index", "exact", "a graph"));
    }
    if definition.full_text_fields().next().is_some() {
        return Err(refused("full_text", "a field", "none"));
    }
    Ok(())
}

pub(super) fn check_record(record: &StoredRecord, definition: &RecordDefinition) -> Result<()> {
    let is_kept = record.data.iter().all(|(name, value)| {
        let kind = definition.data_field(name).map(|field| field.kind);
        *name == definition.key.name
            || is_small(value) && (value.is_null() || kind.is_none_or(|kind| fits(value, kind)))
    });
    if is_kept {
        return Ok(());
    }
    let kind = ErrorKind::invalid_record(record.key.to_string());
    Err(Error::new(kind, "sabotaged", "a value does not fit"))
}

fn is_small(value: &Value) -> bool {
    value.as_str().is_none_or(|text| text.len() <= MAX_BYTES)
}

fn fits(value: &Value, kind: DataKind) -> bool {
    match kind {
        DataKind::String | DataKind::DateTime => value.is_string(),
        DataKind::Integer => value.is_i64() || value.is_u64(),
        DataKind::Number => value.is_number(),
        DataKind::Boolean => value.is_boolean(),
        DataKind::Strings => value.is_array(),
        _ => true,
    }
}
