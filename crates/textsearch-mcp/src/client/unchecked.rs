//! Rules of schemas that no call checks.

use rmcp::model::JsonObject;
use serde_json::Value;

/// Returns a rule for arguments that only the server can check: a reference to another document, which
/// isn't loaded, or a pattern.
pub(super) fn unchecked(schema: &JsonObject) -> Option<String> {
    schema.iter().find_map(|(keyword, value)| match (keyword.as_str(), value) {
        ("$ref" | "$dynamicRef", Value::String(target)) if !target.starts_with('#') => {
            Some(format!("{keyword}: {target}"))
        }
        ("pattern", Value::String(pattern)) => Some(format!("pattern: {pattern}")),
        ("patternProperties", Value::Object(_)) => Some(keyword.clone()),
        // Values, which aren't schemas.
        ("const" | "default" | "enum" | "examples", _) => None,
        // Names may equal keywords.
        ("properties" | "$defs" | "definitions", Value::Object(named)) => {
            named.values().find_map(|schema| unchecked(schema.as_object()?))
        }
        (_, Value::Object(schema)) => unchecked(schema),
        (_, Value::Array(schemas)) => {
            schemas.iter().filter_map(Value::as_object).find_map(unchecked)
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn first_unchecked(schema: &Value) -> Option<String> {
        unchecked(schema.as_object().unwrap())
    }

    #[test]
    fn foreign_references_and_patterns_are_found() {
        let foreign = json!({ "properties": { "a": { "$ref": "https://x.example/s.json" } } });
        assert_eq!(first_unchecked(&foreign).unwrap(), "$ref: https://x.example/s.json");
        let nested = json!({ "properties": { "a": { "anyOf": [{}, { "pattern": "^a(?=b)" }] } } });
        assert_eq!(first_unchecked(&nested).unwrap(), "pattern: ^a(?=b)");
    }

    #[test]
    fn properties_and_values_named_like_keywords_are_not() {
        let schema = json!({
            "properties": {
                "pattern": { "type": "string", "default": { "pattern": "x" } },
                "$ref": { "$ref": "#/$defs/pattern" },
            },
            "$defs": { "pattern": {} },
        });
        assert_eq!(first_unchecked(&schema), None);
    }
}
