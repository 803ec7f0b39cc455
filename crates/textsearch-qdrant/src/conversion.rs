//! Conversion between JSON and payload values.

use qdrant_client::qdrant::{ListValue, Struct, Value, value::Kind};
use serde_json::{Map, Number};

pub(crate) type Json = Map<String, serde_json::Value>;

/// Maximum nesting depth of a value stored directly; message readers give up at about fifty levels.
const DEEPEST: usize = 30;

/// Returns whether a payload preserves the value: integers have at most 63 bits.
pub(crate) fn is_kept(value: &serde_json::Value) -> bool {
    is_kept_within(value, DEEPEST)
}

fn is_kept_within(value: &serde_json::Value, levels: usize) -> bool {
    let inner = |value: &serde_json::Value| levels > 0 && is_kept_within(value, levels - 1);
    match value {
        serde_json::Value::Number(number) => number.as_i64().is_some() || number.is_f64(),
        serde_json::Value::Array(items) => items.iter().all(inner),
        serde_json::Value::Object(fields) => fields.values().all(inner),
        _ => true,
    }
}

pub(crate) fn to_json(value: Value) -> serde_json::Value {
    match value.kind {
        None | Some(Kind::NullValue(_)) => serde_json::Value::Null,
        Some(Kind::BoolValue(value)) => value.into(),
        Some(Kind::IntegerValue(value)) => value.into(),
        Some(Kind::DoubleValue(value)) => {
            Number::from_f64(value).map_or(serde_json::Value::Null, Into::into)
        }
        Some(Kind::StringValue(value)) => value.into(),
        Some(Kind::ListValue(ListValue { values })) => values.into_iter().map(to_json).collect(),
        Some(Kind::StructValue(Struct { fields })) => object(fields).into(),
    }
}

pub(crate) fn object(fields: impl IntoIterator<Item = (String, Value)>) -> Json {
    fields.into_iter().map(|(name, value)| (name, to_json(value))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn kept_values_round_trip() {
        let values = [
            json!(null),
            json!(true),
            json!(-7),
            json!(i64::MIN),
            json!(1.0),
            json!(-0.0),
            json!("a"),
            json!([1, [2.5, {}], { "b": [] }]),
        ];
        for value in values {
            assert!(is_kept(&value));
            assert_eq!(to_json(value.clone().into()), value);
        }
    }

    #[test]
    fn large_integers_and_deep_nests_are_not_kept() {
        assert!(!is_kept(&json!([u64::MAX])));
        let deep = (0..40).fold(json!(1), |value, _| json!([value]));
        assert!(!is_kept(&deep));
    }
}
