//! The index fields of data fields, and the values that they hold.
//!
//! A filterable or searchable data field has an index field of its name. The record itself is in
//! one more, as JSON.

use serde_json::{Value, json};
use textsearch_core::{
    filter::DateTime,
    vector::{DataField, DataKind, RecordDefinition},
};

/// The service holds no longer term, which a filterable text is.
pub(crate) const LONGEST_TERM: usize = 32_766;

/// Floats represent every integer up to this magnitude exactly.
const EXACT_FLOATS: f64 = 9_007_199_254_740_992.0;

/// A [type](https://learn.microsoft.com/rest/api/searchservice/supported-data-types) of an index
/// field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edm {
    String,
    Int64,
    Double,
    Boolean,
    DateTimeOffset,
    Strings,
}

impl Edm {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::String => "Edm.String",
            Self::Int64 => "Edm.Int64",
            Self::Double => "Edm.Double",
            Self::Boolean => "Edm.Boolean",
            Self::DateTimeOffset => "Edm.DateTimeOffset",
            Self::Strings => "Collection(Edm.String)",
        }
    }

    fn from_kind(kind: DataKind) -> Option<Self> {
        Some(match kind {
            DataKind::String => Self::String,
            DataKind::Integer => Self::Int64,
            DataKind::Number => Self::Double,
            DataKind::Boolean => Self::Boolean,
            DataKind::DateTime => Self::DateTimeOffset,
            DataKind::Strings => Self::Strings,
            _ => return None,
        })
    }
}

/// Returns the fields with an index field.
///
/// A name with a dot may also be a path to a nested value, which an index field does not hold.
pub(crate) fn columns(definition: &RecordDefinition) -> impl Iterator<Item = (&DataField, Edm)> {
    definition.data.iter().filter_map(|field| Some((field, column(field)?)))
}

pub(crate) fn column(field: &DataField) -> Option<Edm> {
    let is_indexed = field.filterable || field.full_text.is_some();
    Edm::from_kind(field.kind).filter(|_| is_indexed && !field.name.contains('.'))
}

/// Returns a value as the index field holds it.
///
/// # Errors
/// Returns the kinds of values that the field can hold.
pub(crate) fn value(value: &Value, field: &DataField, edm: Edm) -> Result<Value, &'static str> {
    let is_short = |text: &str| !field.filterable || text.len() <= LONGEST_TERM;
    match (edm, value) {
        (_, Value::Null) => Ok(Value::Null),
        (Edm::String, Value::String(text)) if is_short(text) => Ok(json!(text)),
        (Edm::String, _) => Err("a text; if it is filterable, of at most 32,766 bytes"),
        (Edm::Int64, Value::Number(number)) => {
            let whole = |float: &f64| float.fract() == 0.0 && float.abs() <= EXACT_FLOATS;
            let float = || number.as_f64().filter(|_| number.is_f64()).filter(whole);
            let integer = number.as_i64().or_else(|| float().map(|float| float as i64));
            integer.map(Value::from).ok_or("a whole number of 64 bits with sign")
        }
        (Edm::Int64, _) => Err("a whole number of 64 bits with sign"),
        // Adding 0 makes -0 positive: the service may tell them apart.
        (Edm::Double, Value::Number(number)) => {
            Ok(json!(number.as_f64().unwrap_or_default() + 0.0))
        }
        (Edm::Double, _) => Err("a number"),
        (Edm::Boolean, Value::Bool(_)) => Ok(value.clone()),
        (Edm::Boolean, _) => Err("true or false"),
        (Edm::DateTimeOffset, Value::String(text)) => {
            let date = DateTime::parse(text).ok().and_then(milliseconds);
            date.map(Value::from).ok_or("a date in the years 1 to 9999")
        }
        (Edm::DateTimeOffset, _) => Err("a date in the years 1 to 9999"),
        (Edm::Strings, Value::Array(items))
            if items.iter().all(|item| item.as_str().is_some_and(is_short)) =>
        {
            Ok(value.clone())
        }
        (Edm::Strings, _) => {
            Err("a list of texts; if it is filterable, of at most 32,766 bytes each")
        }
    }
}

/// Returns the date with whole milliseconds, rounded down, as the service holds dates; `None` for
/// the year 0, which it does not know.
pub(crate) fn milliseconds(date: DateTime) -> Option<String> {
    let text = date.to_string();
    let text = text.strip_suffix('Z')?;
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, ""));
    let fraction = fraction.get(..3).unwrap_or(fraction);
    (!text.starts_with("0000")).then(|| format!("{seconds}.{fraction:0<3}Z"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(kind: DataKind, stored: Value) -> Option<Value> {
        let field = DataField::new("field", kind).filterable();
        value(&stored, &field, column(&field).unwrap()).ok()
    }

    #[test]
    fn values_of_the_kind_are_held() {
        let cases = [
            (DataKind::String, json!("a"), json!("a")),
            (DataKind::String, json!(null), json!(null)),
            (DataKind::Integer, json!(i64::MIN), json!(i64::MIN)),
            (DataKind::Integer, json!(2.0), json!(2)),
            (DataKind::Number, json!(1), json!(1.0)),
            (DataKind::Boolean, json!(true), json!(true)),
            (DataKind::DateTime, json!("2024-01-01"), json!("2024-01-01T00:00:00.000Z")),
            (
                DataKind::DateTime,
                json!("1969-12-31T23:59:59.9999Z"),
                json!("1969-12-31T23:59:59.999Z"),
            ),
            (DataKind::Strings, json!([]), json!([])),
        ];
        for (kind, stored, expected) in cases {
            assert_eq!(held(kind, stored.clone()), Some(expected), "{stored}");
        }
        assert_eq!(held(DataKind::Number, json!(-0.0)).unwrap().to_string(), "0.0");
    }

    #[test]
    fn other_values_are_refused() {
        let cases = [
            (DataKind::String, json!(1)),
            (DataKind::String, json!("a".repeat(LONGEST_TERM + 1))),
            (DataKind::Integer, json!(1.5)),
            (DataKind::Integer, json!(u64::MAX)),
            (DataKind::Integer, json!(1e300)),
            (DataKind::Number, json!("1")),
            (DataKind::Boolean, json!(0)),
            (DataKind::DateTime, json!("yesterday")),
            (DataKind::DateTime, json!("0000-01-01")),
            (DataKind::Strings, json!(["a", null])),
        ];
        for (kind, stored) in cases {
            assert_eq!(held(kind, stored.clone()), None, "{stored}");
        }
    }

    #[test]
    fn only_searched_and_filtered_fields_have_an_index_field() {
        assert_eq!(column(&DataField::string("a")), None);
        assert_eq!(column(&DataField::string("a").full_text()), Some(Edm::String));
        assert_eq!(column(&DataField::string("a.b").filterable()), None);
        assert_eq!(column(&DataField::new("a", DataKind::Json).filterable()), None);
    }
}
