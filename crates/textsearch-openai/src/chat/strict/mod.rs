//! The [subset of JSON
//! Schema](https://platform.openai.com/docs/guides/structured-outputs#supported-schemas) that
//! OpenAI can enforce.
//!
//! Every property is required and no others are allowed, so an optional property becomes a nullable
//! one.

mod nulls;
mod references;

use serde_json::{Map, Value, json};
use textsearch_core::{Error, Result};

pub(super) use nulls::without_added_nulls;

use crate::config::refused;

/// Accepted unchanged. All others that aren't refused are dropped: they are descriptive, or
/// restrict values in ways that the caller validates anyway.
const KEPT: &[&str] = &[
    "type",
    "$ref",
    "enum",
    "description",
    "format",
    "pattern",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
];

/// These change which values are valid, and the subset can't express them.
const REFUSED: &[&str] = &[
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "patternProperties",
    "propertyNames",
    "contains",
    "minContains",
    "maxContains",
    "prefixItems",
    "unevaluatedItems",
    "unevaluatedProperties",
];

const FORMATS: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/// Returns the schema in the form that OpenAI accepts with `strict`. `option` names it in errors,
/// with the part that can't be expressed and the reason.
pub(super) fn schema(option: &str, schema: &Value) -> Result<Value> {
    let is_object = schema.get("type").and_then(Value::as_str) == Some("object");
    if !is_object || has_choices(schema) {
        return Err(inexpressible(option, "its root is not an object, or has anyOf or oneOf"));
    }
    // An object without properties is a map, except here, where it is a tool without arguments.
    let has_none =
        schema.get("properties").is_none() && schema.get("additionalProperties").is_none();
    let mut root = schema.clone();
    if let Some(fields) = root.as_object_mut() {
        // Arguments and responses as a whole are never null.
        fields.remove("nullable");
        if has_none {
            fields.insert("additionalProperties".to_owned(), Value::Bool(false));
        }
    }
    rewritten(&references::merged(&root), option)
}

fn rewritten(schema: &Value, place: &str) -> Result<Value> {
    let Some(schema) = schema.as_object() else {
        return Err(inexpressible(place, "it allows any value"));
    };
    if let Some(word) = REFUSED.iter().find(|word| schema.contains_key(**word)) {
        return Err(inexpressible(place, &format!("it says `{word}`")));
    }
    if schema.contains_key("$ref") && schema.keys().any(|word| references::counts(word)) {
        return Err(inexpressible(place, "it has other keywords beside `$ref`"));
    }
    let mut written = Map::new();
    for (word, value) in schema {
        let inner = format!("{place}.{word}");
        match word.as_str() {
            "$defs" | "definitions" => drop(written.insert(word.clone(), each(value, &inner)?)),
            "items" => drop(written.insert(word.clone(), rewritten(value, &inner)?)),
            "anyOf" | "oneOf" => drop(written.insert("anyOf".to_owned(), all(value, &inner)?)),
            "allOf" => merge_only(&mut written, value, &inner)?,
            "const" => drop(written.insert("enum".to_owned(), json!([value]))),
            "format" if !value.as_str().is_some_and(|format| FORMATS.contains(&format)) => {}
            _ if KEPT.contains(&word.as_str()) => drop(written.insert(word.clone(), value.clone())),
            _ => {}
        }
    }
    let words = ["type", "$ref", "anyOf", "enum"];
    if !words.iter().any(|word| written.contains_key(*word)) {
        return Err(inexpressible(place, "it allows any value"));
    }
    if has_type(&written, "object") {
        object(schema, &mut written, place)?;
    }
    if has_type(&written, "array") && !written.contains_key("items") {
        return Err(inexpressible(place, "its items may be any value"));
    }
    // OpenAPI 3.0's keyword for nullable values.
    let is_nullable = schema.get("nullable") == Some(&Value::Bool(true));
    Ok(if is_nullable { or_null(Value::from(written)) } else { Value::from(written) })
}

fn object(
    schema: &Map<String, Value>,
    written: &mut Map<String, Value>,
    place: &str,
) -> Result<()> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let is_map = match schema.get("additionalProperties") {
        None => properties.is_none(),
        Some(value) => *value != Value::Bool(false),
    };
    if is_map {
        return Err(inexpressible(place, "it allows properties of any name"));
    }
    let required = schema.get("required").and_then(Value::as_array);
    if properties.is_some() && written.contains_key("anyOf") {
        return Err(inexpressible(place, "it has alternatives beside its properties"));
    }
    let mut all = Map::new();
    for (name, property) in properties.into_iter().flatten() {
        let property = rewritten(property, &format!("{place}.properties.{name}"))?;
        let is_required =
            required.is_some_and(|names| names.iter().any(|other| other.as_str() == Some(name)));
        let property = if is_required { property } else { or_null(property) };
        all.insert(name.clone(), property);
    }
    let names: Vec<&String> = all.keys().collect();
    written.insert("required".to_owned(), json!(names));
    written.insert("properties".to_owned(), Value::from(all));
    written.insert("additionalProperties".to_owned(), Value::Bool(false));
    Ok(())
}

fn or_null(mut schema: Value) -> Value {
    // Not named `null`, which `json!` would read as the value null.
    let nothing = json!({ "type": "null" });
    if let Some(choices) = schema.get_mut("anyOf").and_then(Value::as_array_mut) {
        if !choices.contains(&nothing) {
            choices.push(nothing);
        }
        return schema;
    }
    let Some(kind) = schema.get("type").cloned() else {
        return json!({ "anyOf": [schema, nothing] });
    };
    let kinds = match kind {
        Value::Array(kinds) => kinds,
        kind => vec![kind],
    };
    if kinds.iter().any(|kind| kind == "null") {
        return schema;
    }
    if let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut)
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    let kinds: Vec<Value> = kinds.into_iter().chain([Value::from("null")]).collect();
    if let Some(fields) = schema.as_object_mut() {
        fields.insert("type".to_owned(), Value::from(kinds));
    }
    schema
}

fn each(schemas: &Value, place: &str) -> Result<Value> {
    let schemas = schemas.as_object().into_iter().flatten();
    let written = schemas
        .map(|(name, schema)| Ok((name.clone(), rewritten(schema, &format!("{place}.{name}"))?)));
    Ok(Value::from(written.collect::<Result<Map<String, Value>>>()?))
}

fn all(schemas: &Value, place: &str) -> Result<Value> {
    let schemas = schemas.as_array().into_iter().flatten().enumerate();
    let written = schemas.map(|(index, schema)| rewritten(schema, &format!("{place}[{index}]")));
    Ok(Value::from(written.collect::<Result<Vec<Value>>>()?))
}

/// Generators write an `allOf` of one schema to describe a reference.
fn merge_only(written: &mut Map<String, Value>, schemas: &Value, place: &str) -> Result<()> {
    match schemas.as_array().map(Vec::as_slice) {
        Some([only]) => {
            let only = rewritten(only, place)?;
            written.extend(only.as_object().cloned().unwrap_or_default());
            Ok(())
        }
        _ => Err(inexpressible(place, "it joins several schemas")),
    }
}

fn has_choices(schema: &Value) -> bool {
    ["anyOf", "oneOf"].iter().any(|word| schema.get(word).is_some())
}

fn has_type(schema: &Map<String, Value>, expected: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(kind)) => kind == expected,
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == expected),
        _ => false,
    }
}

fn inexpressible(place: &str, why: &str) -> Error {
    let allowed = "a schema that OpenAI can enforce, or no `strict`";
    refused(place, &format!("a schema that cannot be strict ({why})"), allowed)
}

#[cfg(test)]
mod tests {
    use textsearch_conformance::with_each_depth;

    use super::schema as strict;
    use super::*;

    #[test]
    fn definitions_nest_to_any_depth() {
        // A debug build needs more than 256 KiB for eight definitions of eleven levels.
        with_each_depth(512 << 10, |depth| {
            let object = |property| json!({ "type": "object", "properties": { "a": property } });
            let definition = |number| {
                let next = format!("#/$defs/T{}", number + 1);
                let next = json!({ "$ref": next, "properties": { "b": { "type": "string" } } });
                (format!("T{number}"), (0..10).fold(next, |inner, _| object(inner)))
            };
            let definitions: Map<_, _> = (0..depth.min(1_200)).map(definition).collect();
            let mut root = object(json!({ "$ref": "#/$defs/T0", "minimum": 1 }));
            root["$defs"] = definitions.into();
            drop(strict("parameters", &root));
        });
    }
}
