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
    /// A number, which compares with every number. An `f32` is widened exactly: `0.1_f32` becomes
    /// `0.10000000149011612`. If it is not finite, it equals nothing, has no
    /// order and cannot be serialised.
    Float(f64),
    /// Text, compared by code point.
    String(String),
    /// An instant, compared with dates as text.
    DateTime(DateTime),
    /// Several values, which equal an array element by element.
    List(Vec<FilterValue>),
}

macro_rules! from {
    ($($source:ty => $variant:ident),*) => {$(
        impl From<$source> for FilterValue {
            fn from(value: $source) -> Self {
                Self::$variant(value.into())
            }
        }
    )*};
}

from!(bool => Bool, i64 => Integer, i32 => Integer, u32 => Integer, f64 => Float, f32 => Float);
from!(&str => String, String => String, DateTime => DateTime);

impl<Value: Into<FilterValue>> From<Vec<Value>> for FilterValue {
    fn from(values: Vec<Value>) -> Self {
        Self::List(values.into_iter().map(Into::into).collect())
    }
}
