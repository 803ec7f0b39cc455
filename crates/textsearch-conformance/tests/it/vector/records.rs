//! Faults in writing records and reading keys.

use std::sync::Arc;

use serde_json::Value;
use textsearch_conformance::core::vector::{
    KeyKind, RecordDefinition, RecordKey, StoredRecord, VectorField,
};

use super::fault::Fault;

/// Returns the record as the store writes it.
pub(super) fn changed(
    fault: Fault,
    mut record: StoredRecord,
    definition: &RecordDefinition,
) -> StoredRecord {
    match fault {
        Fault::ForgetsNull => record.data.retain(|_, value| !value.is_null()),
        Fault::RoundsNumbers => record.data.values_mut().for_each(round),
        Fault::CutsDeepData => record.data.values_mut().for_each(|value| cut(value, 50)),
        Fault::TrimsTexts => record.data.values_mut().for_each(trim),
        Fault::DropsUndefinedFields => record.data.retain(|name, _| {
            *name == definition.key.name || definition.data_field(name).is_some()
        }),
        Fault::AcceptsAnyVector => {
            record
                .vectors
                .retain(|name, _| definition.vectors.iter().any(|field| field.name == *name));
            for field in &definition.vectors {
                let vector = record.vectors.get_mut(&field.name);
                vector.into_iter().for_each(|vector| *vector = fitting(vector, field));
            }
        }
        Fault::NormalizesVectors => record.vectors.values_mut().for_each(normalize),
        _ => {}
    }
    let key = key(fault, &record.key, definition);
    if key != record.key {
        record.data.insert(definition.key.name.clone(), Value::from(&key));
        record.key = key;
    }
    record
}

/// Returns the key as the store reads it.
pub(super) fn key(fault: Fault, key: &RecordKey, definition: &RecordDefinition) -> RecordKey {
    match (fault, key) {
        (Fault::FoldsKeys, RecordKey::String(text)) => text.to_lowercase().into(),
        (Fault::TrimsKeys, RecordKey::String(text)) if !text.trim().is_empty() => {
            text.trim().into()
        }
        (Fault::ParsesUuidsInTexts, RecordKey::String(text)) if text.len() >= 32 => {
            text.replace('-', "").to_lowercase().into()
        }
        (Fault::RoundsIntegerKeys, RecordKey::Integer(key)) => ((*key as f64) as u64).into(),
        (Fault::ConfusesKeyKinds, RecordKey::Integer(key)) => key.to_string().into(),
        (Fault::AcceptsAnyKey, key) if !definition.key.accepts(key) => match definition.key.kind {
            KeyKind::Integer => RecordKey::Integer(0),
            _ => "67e55044-10b1-426f-9247-bb680e5fe0c8".into(),
        },
        (_, key) => key.clone(),
    }
}

fn round(value: &mut Value) {
    if let Value::Number(number) = value
        && let Some(float) = number.as_f64().filter(|_| number.is_f64())
    {
        *value = Value::from(float as f32);
    }
}

fn cut(value: &mut Value, levels: usize) {
    match value {
        Value::Array(_) | Value::Object(_) if levels == 0 => *value = Value::Null,
        Value::Array(items) => items.iter_mut().for_each(|item| cut(item, levels - 1)),
        Value::Object(fields) => fields.values_mut().for_each(|field| cut(field, levels - 1)),
        _ => {}
    }
}

fn trim(value: &mut Value) {
    if let Value::String(text) = value {
        *text = text.trim().to_owned();
    }
}

/// Of the field's length and without zeros and numbers that aren't finite.
pub(super) fn fitting(vector: &[f32], field: &VectorField) -> Arc<[f32]> {
    let elements = vector.iter().copied().chain(std::iter::repeat(1.0)).take(field.dimensions);
    elements
        .map(|element| if element.is_finite() && element != 0.0 { element } else { 1.0 })
        .collect()
}

fn normalize(vector: &mut Arc<[f32]>) {
    let length = vector.iter().map(|element| element * element).sum::<f32>().sqrt();
    *vector = vector.iter().map(|element| element / length).collect();
}
