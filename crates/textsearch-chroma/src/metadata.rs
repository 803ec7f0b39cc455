//! A record's metadata: the values that the server filters by.

use serde_json::{Map, Value};
use textsearch_core::{
    filter::{DateTime, lookup},
    vector::{DataField, DataKind, RecordDefinition, StoredRecord},
};

use crate::record::{NO_VECTOR, lacks_vector};

/// Marks a record with a list field whose value is not a list of texts.
pub(crate) const MIXED: &str = "textsearch_mixed";

/// Begins all names of this crate.
const RESERVED: &str = "textsearch_";

/// Returns the fields with metadata.
pub(crate) fn columns(definition: &RecordDefinition) -> impl Iterator<Item = &DataField> {
    definition.data.iter().filter(|field| field.filterable && is_column(&field.name))
}

/// The server rejects the first two beginnings. Metadata called `chroma:document` stop it from
/// writing anything again, also after a restart.
pub(crate) fn is_column(name: &str) -> bool {
    !["#", "$", "chroma:", RESERVED].iter().any(|begin| name.starts_with(begin))
}

/// Returns the name under which the instant of a date is kept.
pub(crate) fn time_of(field: &str) -> String {
    format!("{RESERVED}time:{field}")
}

/// Returns the whole microseconds since 1970, rounded down.
pub(crate) fn microseconds(time: DateTime) -> i64 {
    // Years have at most four digits.
    i64::try_from(time.unix_nanoseconds().div_euclid(1_000)).unwrap_or_default()
}

/// Returns a value for every name: the server keeps what an upsert doesn't name, and null removes.
pub(crate) fn filterable_values(
    record: &StoredRecord,
    definition: &RecordDefinition,
) -> Map<String, Value> {
    let mut metadata = Map::new();
    let mut is_mixed = false;
    if is_column(&definition.key.name) {
        metadata.insert(definition.key.name.clone(), Value::from(&record.key));
    }
    for field in columns(definition) {
        let value = lookup(&record.data, &field.name).unwrap_or(&Value::Null);
        if field.kind == DataKind::DateTime {
            let time = value.as_str().and_then(|text| DateTime::parse(text).ok());
            metadata.insert(time_of(&field.name), time.map(microseconds).into());
        }
        is_mixed |= field.kind == DataKind::Strings && !is_texts(value);
        metadata.insert(field.name.clone(), held(value, field.kind));
    }
    if columns(definition).any(|field| field.kind == DataKind::Strings) {
        metadata.insert(MIXED.to_owned(), is_mixed.then_some(true).into());
    }
    if !definition.vectors.is_empty() {
        let lacks_vector = lacks_vector(record, definition);
        metadata.insert(NO_VECTOR.to_owned(), lacks_vector.then_some(true).into());
    }
    metadata
}

fn is_texts(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().all(Value::is_string),
        _ => false,
    }
}

/// Lists hold values of one kind, and at least one.
fn held(value: &Value, kind: DataKind) -> Value {
    match value {
        Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
        Value::Array(items)
            if kind == DataKind::Strings && !items.is_empty() && is_texts(value) =>
        {
            value.clone()
        }
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use textsearch_core::vector::VectorField;

    use super::*;

    fn metadata(data: Value) -> Value {
        let definition = RecordDefinition::new("id")
            .with_data(DataField::integer("year").filterable())
            .with_data(DataField::string("author.name").filterable())
            .with_data(DataField::strings("tags").filterable())
            .with_data(DataField::date_time("at").filterable())
            .with_data(DataField::string("$x").filterable())
            .with_data(DataField::string("chroma:document").filterable())
            .with_data(DataField::string("body"))
            .with_vector(VectorField::new("embedding", 2));
        let record = StoredRecord::new(data.as_object().cloned().unwrap(), &definition).unwrap();
        filterable_values(&record, &definition).into()
    }

    #[test]
    fn filterable_fields_are_held_with_null_for_the_rest() {
        let data = json!({
            "id": "a", "year": 2024, "author": { "name": "Ada" }, "tags": ["b", "a"], "body": "x",
            "at": "1970-01-01T00:00:01.5Z", "$x": "no", "chroma:document": "never",
        });
        let expected = json!({
            "id": "a", "year": 2024, "author.name": "Ada", "tags": ["b", "a"],
            "at": "1970-01-01T00:00:01.5Z", "textsearch_time:at": 1_500_000,
            MIXED: null, NO_VECTOR: true,
        });
        assert_eq!(metadata(data), expected);
        let expected = json!({
            "id": "a", "year": null, "author.name": null, "tags": null, "at": null,
            "textsearch_time:at": null, MIXED: null, NO_VECTOR: true,
        });
        assert_eq!(metadata(json!({ "id": "a", "tags": [] })), expected);
    }

    #[test]
    fn lists_of_other_values_are_marked() {
        for tags in [json!("a"), json!(["a", 1]), json!([null])] {
            let metadata = metadata(json!({ "id": "a", "tags": tags }));
            assert_eq!(metadata[MIXED], json!(true), "{tags}");
        }
    }
}
