//! The search's name, and the schema of its records.

use serde_json::Value;
use textsearch_core::SearchOptions;

use crate::{Document, Subject};

/// Results, errors and spans have one name.
pub(crate) async fn the_name_stays_the_same(subject: Subject) {
    let running = subject.holding(Document::several(2)).await;
    let name = running.search.name().to_owned();
    running.results(&SearchOptions::top(2)).await;
    for _ in 0..2 {
        assert_eq!(running.search.name(), name, "the second call of `name`");
    }
}

/// Each record has the fields and types that the schema declares.
pub(crate) async fn records_fit_their_schema(subject: Subject) {
    let running = subject.holding(Document::several(3)).await;
    let schema = running.search.schema().to_value();
    let values = running.search.search_values("what there is", &SearchOptions::top(3)).await;
    let values = values.expect("the search succeeds").into_vec().await;
    for value in values.expect("records can be written as JSON") {
        if let Some(fault) = fault(&schema, &value) {
            panic!("{fault}: `schema` returns {schema}, the record is {value}");
        }
    }
}

/// Compares the outermost fields: a renamed one is a misleading schema.
fn fault(schema: &Value, value: &Value) -> Option<String> {
    let known = schema.get("properties")?.as_object()?;
    let Some(fields) = value.as_object() else { return Some("no object".to_owned()) };
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let mut required = required.filter_map(Value::as_str);
    if let Some(name) = required.find(|name| !fields.contains_key(*name)) {
        return Some(format!("`{name}` is missing"));
    }
    let is_open = schema.get("additionalProperties").is_some_and(|it| it != &Value::Bool(false));
    fields.iter().find_map(|(name, field)| match known.get(name) {
        None if !is_open => Some(format!("`{name}` is not in the schema")),
        Some(schema) if !has_type(schema, field) => Some(format!("`{name}` has another type")),
        _ => None,
    })
}

fn has_type(schema: &Value, value: &Value) -> bool {
    let types = match schema.get("type") {
        Some(Value::Array(types)) => types.as_slice(),
        Some(one) => std::slice::from_ref(one),
        None => return true,
    };
    types.iter().filter_map(Value::as_str).any(|name| match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    })
}
