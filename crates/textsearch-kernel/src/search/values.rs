//! Converts arguments to values of filters.

use serde_json::{Number, Value};
use textsearch_core::filter::{DateTime, FilterValue};

/// If `is_date`, a string is an instant.
pub(super) fn read(value: Value, is_date: bool) -> Result<FilterValue, String> {
    match value {
        Value::String(text) if is_date => read_date(&text),
        Value::String(text) => Ok(FilterValue::String(text)),
        Value::Bool(value) => Ok(FilterValue::Bool(value)),
        Value::Number(number) => read_number(&number),
        Value::Array(items) => {
            let values: Result<_, _> = items.into_iter().map(|item| read(item, is_date)).collect();
            Ok(FilterValue::List(values?))
        }
        Value::Null => Err("must be a string, number, boolean or list: found null".to_owned()),
        Value::Object(_) => {
            Err("must be a string, number, boolean or list: found an object".to_owned())
        }
    }
}

fn read_date(text: &str) -> Result<FilterValue, String> {
    DateTime::parse(text).map(FilterValue::DateTime).map_err(|error| {
        format!("must be a date such as 2024-08-21 or 2024-08-21T12:00:00Z: {error}")
    })
}

fn read_number(number: &Number) -> Result<FilterValue, String> {
    let float = || number.as_f64().filter(|_| number.is_f64()).map(FilterValue::Float);
    let value = number.as_i64().map(FilterValue::Integer).or_else(float);
    value.ok_or_else(|| format!("must be at most {}: found {number}", i64::MAX))
}
