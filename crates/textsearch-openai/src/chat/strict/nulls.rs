//! Removes nulls from a call where they mean an omitted argument.

use serde_json::Value;

/// A choice may refer to itself.
const DEEPEST: usize = 4;

/// Removes nulls of properties that are optional, and not nullable, in the original schema.
///
/// Arguments that aren't JSON are returned unchanged.
pub(in crate::chat) fn without_added_nulls(arguments: String, schema: &Value) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(&arguments) else { return arguments };
    let before = value.clone();
    clean(&mut value, schema, schema);
    // Keep the model's own spelling.
    if value == before { arguments } else { value.to_string() }
}

fn clean(value: &mut Value, schema: &Value, root: &Value) {
    let schema = resolved(schema, root);
    match value {
        Value::Array(items) => {
            if let Some(schema) = schema.get("items") {
                items.iter_mut().for_each(|item| clean(item, schema, root));
            }
        }
        Value::Object(fields) => {
            let property = |name: &String| schema.pointer("/properties")?.get(name);
            fields.retain(|name, value| {
                !value.is_null()
                    || property(name).is_none_or(|property| {
                        is_required(schema, name) || takes_null(property, root, DEEPEST)
                    })
            });
            for (name, value) in fields {
                if let Some(property) = property(name) {
                    clean(value, property, root);
                }
            }
        }
        _ => {}
    }
}

fn is_required(schema: &Value, name: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|other| other.as_str() == Some(name)))
}

fn takes_null(schema: &Value, root: &Value, depth: usize) -> bool {
    let schema = resolved(schema, root);
    let is_null = |kind: &Value| kind == "null";
    let by_type = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(is_null),
        Some(kind) => is_null(kind),
        None => false,
    };
    let choices = ["anyOf", "oneOf"].into_iter().filter_map(|word| schema.get(word)?.as_array());
    let is_nullable = schema.get("nullable") == Some(&Value::Bool(true));
    by_type
        || is_nullable
        || depth > 0 && choices.flatten().any(|choice| takes_null(choice, root, depth - 1))
}

/// Follows a local reference by one step, which is as far as generators go.
fn resolved<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let reference = schema.get("$ref").and_then(Value::as_str);
    let target = reference.and_then(|path| root.pointer(path.strip_prefix('#')?));
    target.unwrap_or(schema)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use textsearch_conformance::with_each_depth;

    use super::*;

    #[test]
    fn arguments_nest_to_any_depth() {
        with_each_depth(256 << 10, |depth| {
            let schema = json!({
                "properties": { "a": { "$ref": "#" }, "b": { "type": "string" } },
                "items": { "$ref": "#" },
            });
            for (start, end) in [("[", "]"), (r#"{"a":"#, "}")] {
                let text = format!(r#"{}{{"b":null}}{}"#, start.repeat(depth), end.repeat(depth));
                let cleaned = without_added_nulls(text.clone(), &schema);
                // 127 levels are the parser's limit.
                assert_eq!(cleaned != text, depth < 127);
            }
        });
    }
}
