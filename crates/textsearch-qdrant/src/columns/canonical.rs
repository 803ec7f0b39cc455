//! Canonical text of values: equal values have equal text.

use serde_json::{Number, Value};
use textsearch_core::filter::{DateTime, FilterValue};

pub(crate) fn canonical_json(value: &Value) -> String {
    match value {
        Value::Null => "z".to_owned(),
        Value::Bool(value) => boolean(*value),
        Value::Number(number) => json_number(number),
        Value::String(text) => format!("s{text}"),
        Value::Array(items) => list(items.iter().map(canonical_json)),
        // Filter values are never objects, so all objects share one text.
        Value::Object(_) => "o".to_owned(),
    }
}

/// Returns `None` if no single text matches: for a number that equals nothing, and for a list with
/// dates, because one date has many spellings.
pub(crate) fn canonical_filter(value: &FilterValue) -> Option<String> {
    match value {
        FilterValue::Bool(value) => Some(boolean(*value)),
        FilterValue::Integer(number) => Some(format!("n{number}")),
        FilterValue::Float(number) if number.is_finite() => Some(float(*number)),
        FilterValue::String(text) => Some(format!("s{text}")),
        FilterValue::List(items) => {
            let items = items.iter().map(|item| match item {
                FilterValue::DateTime(_) => None,
                item => canonical_filter(item),
            });
            Some(list(items.collect::<Option<Vec<_>>>()?.into_iter()))
        }
        FilterValue::DateTime(date) => Some(canonical_date(*date)),
        _ => None,
    }
}

pub(crate) fn canonical_date(date: DateTime) -> String {
    format!("d{date}")
}

fn boolean(value: bool) -> String {
    format!("b{value}")
}

fn json_number(number: &Number) -> String {
    match number.as_f64().filter(|_| number.is_f64()) {
        Some(value) => float(value),
        None => format!("n{number}"),
    }
}

/// Whole numbers get the same text as the equal integer.
fn float(number: f64) -> String {
    // JSON integers have at most 64 bits, so a larger float equals only other floats.
    if number.fract() == 0.0 && number.abs() < 1e20 {
        return format!("n{}", number as i128);
    }
    format!("n{number:e}")
}

/// Length prefixes keep element text from imitating a separator.
fn list(items: impl Iterator<Item = String>) -> String {
    items.fold("l".to_owned(), |text, item| format!("{text}{}:{item}", item.len()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn filter(value: impl Into<FilterValue>) -> String {
        canonical_filter(&value.into()).unwrap()
    }

    #[test]
    fn equal_values_have_equal_texts() {
        assert_eq!(canonical_json(&json!(1)), filter(1.0));
        assert_eq!(canonical_json(&json!(-0.0)), filter(0));
        assert_eq!(canonical_json(&json!(u64::MAX)), "n18446744073709551615");
        assert_eq!(canonical_json(&json!(1e300)), filter(1e300));
        assert_eq!(canonical_json(&json!(["a", "b"])), filter(vec!["a", "b"]));
    }

    #[test]
    fn different_values_have_different_texts() {
        assert_ne!(canonical_json(&json!("1")), filter(1));
        assert_ne!(canonical_json(&json!(["a1:sb"])), filter(vec!["a", "b"]));
        assert_ne!(canonical_json(&json!(["a", ["b"]])), canonical_json(&json!([["a"], "b"])));
    }

    #[test]
    fn dates_in_lists_and_nan_have_no_text() {
        let date = DateTime::parse("2024-01-01").unwrap();
        assert_eq!(canonical_filter(&FilterValue::List(vec![date.into()])), None);
        assert_eq!(canonical_filter(&FilterValue::Float(f64::NAN)), None);
    }
}
