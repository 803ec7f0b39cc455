//! The values of filters.

use super::DateTime;

/// A value to compare a field with.
///
/// `==` compares the form: `Integer(1)` and `Float(1.0)` differ, but both match `1`.
///
/// In JSON, a date is `{"date_time":"2024-08-14T00:00:00Z"}`, and every other value is itself. An
/// integer beyond `i64` is refused: write it with a decimal point to compare as a float.
///
/// ```
/// use textsearch_core::filter::FilterValue;
///
/// assert_eq!(FilterValue::from(2020), FilterValue::Integer(2020));
/// assert_eq!(FilterValue::from(vec!["a"]).to_string(), r#"["a"]"#);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a store compares each kind of value")]
pub enum FilterValue {
    /// True or false; without an order.
    Bool(bool),
    /// An integer, which compares with every number.
    Integer(i64),
    /// A number, which compares with every number. If it is not finite, it equals nothing, has no
    /// order and cannot be serialised.
    Float(f64),
    /// Text, compared by code point.
    String(String),
    /// An instant, compared with dates as text.
    DateTime(DateTime),
    /// Several values, which equal an array element by element.
    List(Vec<FilterValue>),
}

impl From<bool> for FilterValue {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for FilterValue {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<i32> for FilterValue {
    fn from(value: i32) -> Self {
        Self::Integer(value.into())
    }
}

impl From<u32> for FilterValue {
    fn from(value: u32) -> Self {
        Self::Integer(value.into())
    }
}

impl From<f64> for FilterValue {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<f32> for FilterValue {
    /// Widens the number exactly: `0.1_f32` becomes `0.10000000149011612`.
    fn from(value: f32) -> Self {
        Self::Float(value.into())
    }
}

impl From<&str> for FilterValue {
    fn from(value: &str) -> Self {
        Self::String(value.to_owned())
    }
}

impl From<String> for FilterValue {
    fn from(value: String) -> Self {
        Self::String(value)
    }
}

impl From<DateTime> for FilterValue {
    fn from(value: DateTime) -> Self {
        Self::DateTime(value)
    }
}

impl<Value: Into<FilterValue>> From<Vec<Value>> for FilterValue {
    fn from(values: Vec<Value>) -> Self {
        Self::List(values.into_iter().map(Into::into).collect())
    }
}
