//! The [subset of JSON
//! Schema](https://docs.anthropic.com/en/docs/build-with-claude/structured-outputs#json-schema-limitations)
//! that the provider can enforce.

use serde_json::{Map, Value};
use textsearch_core::Result;

use crate::config::refused;

/// Restrict values in ways that the caller validates anyway.
const DROPPED: &[&str] = &[
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
];

/// Change what a value means, so none can be dropped.
const REFUSED: &[&str] = &[
    "not",
    "if",
    "then",
    "else",
    "contains",
    "prefixItems",
    "patternProperties",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedItems",
    "unevaluatedProperties",
];

const FORMATS: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"];

/// Returns the schema in the form that the provider accepts. `option` names it in errors.
pub(crate) fn enforceable(option: &str, schema: &Value) -> Result<Value> {
    let Some(fields) = schema.as_object() else { return Ok(schema.clone()) };
    if fields.contains_key("oneOf") && fields.contains_key("anyOf") {
        return Err(refused(&format!("{option}.oneOf"), "beside `anyOf`", "one of the two"));
    }
    let mut written = Map::new();
    for (word, value) in fields {
        let inner = format!("{option}.{word}");
        let name = if word == "oneOf" { "anyOf" } else { word };
        let value = match (name, value) {
            ("properties" | "$defs" | "definitions", Value::Object(parts)) => {
                let part = |(name, part): (&String, &Value)| {
                    Ok((name.clone(), enforceable(&format!("{inner}.{name}"), part)?))
                };
                Value::Object(parts.iter().map(part).collect::<Result<_>>()?)
            }
            ("anyOf" | "allOf", Value::Array(parts)) => {
                let parts = parts.iter().map(|part| enforceable(&inner, part));
                Value::Array(parts.collect::<Result<_>>()?)
            }
            ("items", value) => enforceable(&inner, value)?,
            ("additionalProperties", value) if *value != Value::Bool(false) => {
                return Err(refused(&inner, "a map", "objects with named fields"));
            }
            (word, _) if REFUSED.contains(&word) => {
                return Err(refused(
                    &inner,
                    "a rule that the service can't enforce",
                    "other rules",
                ));
            }
            ("format", value) if !FORMATS.iter().any(|format| value == format) => continue,
            (word, _) if DROPPED.contains(&word) => continue,
            (_, value) => value.clone(),
        };
        written.insert(name.to_owned(), value);
    }
    let is_object = |kind: &Value| match kind {
        Value::Array(kinds) => kinds.iter().any(|kind| kind == "object"),
        kind => kind == "object",
    };
    if written.contains_key("properties") || written.get("type").is_some_and(is_object) {
        written.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    Ok(Value::Object(written))
}
