//! Converts values to text as JavaScript does.

use std::borrow::Cow;

use serde_json::{Number, Value};

pub(super) fn text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => Cow::Borrowed(""),
        Value::Bool(true) => Cow::Borrowed("true"),
        Value::Bool(false) => Cow::Borrowed("false"),
        Value::Number(number) => Cow::Owned(number_text(number)),
        Value::String(text) => Cow::Borrowed(text),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(text).collect();
            Cow::Owned(items.join(","))
        }
        Value::Object(_) => Cow::Borrowed("[object Object]"),
    }
}

fn number_text(number: &Number) -> String {
    match number.as_f64() {
        Some(float) if number.is_f64() => float_text(float),
        _ => number.to_string(),
    }
}

/// The shortest text that identifies the number, with an exponent if JavaScript uses one.
fn float_text(float: f64) -> String {
    let size = float.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if (1e-6..1e21).contains(&size) {
        return float.to_string();
    }
    let text = format!("{float:e}");
    if size < 1.0 { text } else { text.replace('e', "e+") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::text;

    #[test]
    fn values_read_as_in_javascript() {
        let cases = [
            (json!(null), ""),
            (json!(true), "true"),
            (json!(1), "1"),
            (json!(1.0), "1"),
            (json!(-0.0), "0"),
            (json!(0.1), "0.1"),
            (json!(123456.789), "123456.789"),
            (json!(1e20), "100000000000000000000"),
            (json!(1e21), "1e+21"),
            (json!(1.5e-7), "1.5e-7"),
            (json!(0.000001), "0.000001"),
            (json!(["a", null, [1, 2], {}]), "a,,1,2,[object Object]"),
            (json!({ "a": 1 }), "[object Object]"),
        ];
        for (value, expected) in cases {
            assert_eq!(text(&value), expected, "{value}");
        }
    }
}
