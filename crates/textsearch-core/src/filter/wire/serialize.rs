//! Writes filters.

use serde::{
    Serialize, Serializer,
    ser::{Error as _, SerializeMap},
};

use crate::filter::{Filter, FilterOperator, FilterValue};

impl Serialize for Filter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Compare { field, operator, value } => {
                write_comparison(serializer, field, (*operator).into(), Some(("value", value)))
            }
            Self::In { field, values } => {
                write_comparison(serializer, field, FilterOperator::In, Some(("values", values)))
            }
            Self::Exists { field } => {
                let nothing: Option<(_, &())> = None;
                write_comparison(serializer, field, FilterOperator::Exists, nothing)
            }
            Self::And(filters) => write_entry(serializer, "and", filters),
            Self::Or(filters) => write_entry(serializer, "or", filters),
            Self::Not(filter) => write_entry(serializer, "not", filter),
        }
    }
}

fn write_comparison<S: Serializer>(
    serializer: S,
    field: &str,
    operator: FilterOperator,
    operand: Option<(&str, &impl Serialize)>,
) -> Result<S::Ok, S::Error> {
    let entries = 2 + usize::from(operand.is_some());
    let mut map = serializer.serialize_map(Some(entries))?;
    map.serialize_entry("field", field)?;
    map.serialize_entry("operator", &operator)?;
    if let Some((key, operand)) = operand {
        map.serialize_entry(key, operand)?;
    }
    map.end()
}

fn write_entry<S: Serializer>(
    serializer: S,
    key: &str,
    value: &impl Serialize,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(key, value)?;
    map.end()
}

impl Serialize for FilterValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Integer(value) => serializer.serialize_i64(*value),
            // JSON would turn it into null.
            Self::Float(value) if !value.is_finite() => {
                Err(S::Error::custom(format_args!("{value} is not finite: it has no JSON form")))
            }
            Self::Float(value) => serializer.serialize_f64(*value),
            Self::String(value) => serializer.serialize_str(value),
            Self::DateTime(value) => write_entry(serializer, "date_time", value),
            Self::List(values) => values.serialize(serializer),
        }
    }
}
