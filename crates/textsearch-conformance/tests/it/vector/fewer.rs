//! The limits of the store with fewer capabilities.

use serde_json::Value;
use textsearch_conformance::core::{
    Error, ErrorKind, Filter, Result,
    vector::{
        DataKind, Distance, IndexKind, KeyKind, RecordDefinition, ScanOptions, StoredRecord,
        VectorSearchOptions,
    },
};

use super::store::refused;

const LARGEST: u64 = 1 << 53;

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
    if definition.key.kind == KeyKind::Uuid {
        return Err(refused("key", "a UUID", "a text or an integer"));
    }
    if definition.full_text_fields().next().is_some() {
        return Err(refused("full_text", "a field", "none"));
    }
    Ok(())
}

pub(super) fn check_filter(filter: Option<&Filter>) -> Result<()> {
    match filter {
        Some(filter) if filter.to_string().contains(&(LARGEST + 1).to_string()) => {
            Err(refused("filter", filter, "numbers of 53 bits"))
        }
        _ => Ok(()),
    }
}

pub(super) fn check_search(options: &VectorSearchOptions) -> Result<()> {
    match options.score_threshold {
        _ if options.exact => Err(refused("exact", true, "false")),
        Some(threshold) => Err(refused("score_threshold", threshold, "none")),
        None => check_filter(options.filter.as_ref()),
    }
}

pub(super) fn check_scan(options: &ScanOptions, definition: &RecordDefinition) -> Result<()> {
    let is_text = |name: &str| {
        definition.data_field(name).is_some_and(|field| field.kind == DataKind::String)
    };
    match options.order_by.iter().find(|order| is_text(&order.field)) {
        Some(order) => Err(refused("order_by", &order.field, "a number")),
        None => check_filter(options.filter.as_ref()),
    }
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
    if value.as_str().is_some_and(|text| text.len() > MAX_BYTES) {
        return false;
    }
    let size = value.as_u64().or_else(|| value.as_i64().map(i64::unsigned_abs));
    size.is_none_or(|size| size <= LARGEST)
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
