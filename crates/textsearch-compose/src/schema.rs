//! The JSON schema of records of several searches.

use textsearch_core::{
    schemars::{Schema, json_schema},
    serde_json::{Value, json},
};

/// Returns a schema that the records of each of `schemas` match.
pub(crate) fn any_of(schemas: impl IntoIterator<Item = Schema>) -> Schema {
    let mut different: Vec<Schema> = Vec::new();
    for schema in schemas {
        if !different.contains(&schema) {
            different.push(schema);
        }
    }
    if let [_] = different.as_slice() {
        return different.remove(0);
    }
    let mut parts: Vec<Value> = Vec::new();
    for part in different.into_iter().map(part) {
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    json_schema!({ "anyOf": parts })
}

/// References lead from the root of a document, so a schema with definitions can't be part of
/// another one.
fn part(schema: Schema) -> Value {
    let mut schema: Value = schema.into();
    if schema.get("$defs").is_some() {
        return json!({ "type": "object" });
    }
    if let Some(schema) = schema.as_object_mut() {
        schema.remove("$schema");
    }
    schema
}
