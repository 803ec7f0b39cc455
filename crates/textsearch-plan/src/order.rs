//! Compares values.

use std::cmp::Ordering;

use serde_json::Value;

/// Whether both are the same JSON value: `1` is `1.0`, also inside.
pub(crate) fn is_same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(_), Value::Number(_)) => order(left, right).is_some_and(Ordering::is_eq),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| is_same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            let has = |(name, value)| right.get(name).is_some_and(|right| is_same(value, right));
            left.len() == right.len() && left.iter().all(has)
        }
        _ => left == right,
    }
}

/// `None` if the two values have no order.
pub(crate) fn order(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => match (left.as_i128(), right.as_i128()) {
            (Some(left), Some(right)) => Some(left.cmp(&right)),
            _ => left.as_f64()?.partial_cmp(&right.as_f64()?),
        },
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        _ => None,
    }
}
