//! Writes filters.

use serde::{
    Serialize, Serializer,
    ser::{Error as _, SerializeMap},
};

use crate::filter::{Filter, FilterOperator, FilterValue};

#[derive(Serialize)]
struct ComparisonForm<'a> {
    field: &'a str,
    operator: FilterOperator,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'a FilterValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<&'a [FilterValue]>,
}

impl Serialize for Filter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (field, operator, value, values) = match self {
            Self::Compare { field, operator, value } => {
                (field, FilterOperator::from(*operator), Some(value), None)
            }
            Self::In { field, values } => {
                (field, FilterOperator::In, None, Some(values.as_slice()))
            }
            Self::Exists { field } => (field, FilterOperator::Exists, None, None),
            Self::And(filters) => return write_entry(serializer, "and", filters),
            Self::Or(filters) => return write_entry(serializer, "or", filters),
            Self::Not(filter) => return write_entry(serializer, "not", filter),
        };
        ComparisonForm { field, operator, value, values }.serialize(serializer)
    }
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
