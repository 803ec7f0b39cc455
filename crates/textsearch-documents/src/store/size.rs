//! Estimates sizes.

use serde_json::{Map, Value};

/// For a number, a name or a mark.
const SHORT: usize = 8;

/// Approximate bytes as JSON, without the top-level names.
pub(super) fn of_fields(fields: &Map<String, Value>) -> usize {
    fields.values().map(of_value).sum()
}

fn of_value(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => SHORT,
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(of_value).sum(),
        Value::Object(fields) => of_fields(fields) + fields.keys().map(String::len).sum::<usize>(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nested_texts_and_numbers_count() {
        let Value::Object(fields) = json!({ "a": "12345", "b": [1, { "key": ["123", null] }] })
        else {
            panic!("an object");
        };
        assert_eq!(of_fields(&fields), 5 + SHORT + 3 + 3 + SHORT);
    }
}
