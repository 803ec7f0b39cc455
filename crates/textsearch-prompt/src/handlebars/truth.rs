//! Truth and emptiness as in JavaScript.

use serde_json::Value;

pub(super) fn is_true(value: &Value, include_zero: bool) -> bool {
    !is_empty(value) && (include_zero || value.as_f64() != Some(0.0))
}

/// Objects and zero are never empty.
pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(is_true) => !is_true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Number(_) | Value::Object(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{is_empty, is_true};

    #[test]
    fn truth_matches_javascript() {
        for value in [json!(1), json!(-0.5), json!("0"), json!([0]), json!({}), json!(true)] {
            assert!(is_true(&value, false), "{value}");
        }
        for value in [json!(0), json!(0.0), json!(""), json!([]), json!(null), json!(false)] {
            assert!(!is_true(&value, false), "{value}");
        }
    }

    #[test]
    fn zero_is_not_empty() {
        assert!(is_true(&json!(0), true));
        assert!(!is_empty(&json!(0)));
        assert!(is_empty(&json!("")));
    }
}
