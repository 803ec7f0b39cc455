//! Evaluates filters over JSON. Allocates nothing, since stores run it for each record.

use std::cmp::Ordering;

use serde_json::{Map, Number, Value};

use super::{Comparison, DateTime, Filter, FilterValue};

impl Filter {
    /// Returns whether `record` matches. A value other than an object has no fields.
    ///
    /// ```
    /// use serde_json::json;
    /// use textsearch_core::Filter;
    ///
    /// let filter = Filter::ge("year", 2020).and(Filter::ne("language", "de"));
    /// assert!(filter.matches(&json!({ "year": 2020.5 })));
    /// assert!(!filter.matches(&json!({ "year": "2020" })));
    /// ```
    pub fn matches(&self, record: &Value) -> bool {
        match record {
            Value::Object(object) => self.matches_object(object),
            _ => self.matches_object(&Map::new()),
        }
    }

    /// Returns whether a record with these fields matches.
    pub fn matches_object(&self, record: &Map<String, Value>) -> bool {
        match self {
            Self::Compare { field, operator, value } => {
                // No value of a filter equals null, so a missing field may count as null.
                let stored = lookup(record, field).unwrap_or(&Value::Null);
                operator.holds(stored, value)
            }
            Self::In { field, values } => lookup(record, field)
                .is_some_and(|stored| values.iter().any(|value| equals(stored, value))),
            Self::Exists { field } => lookup(record, field).is_some_and(|stored| !stored.is_null()),
            Self::And(filters) => filters.iter().all(|filter| filter.matches_object(record)),
            Self::Or(filters) => filters.iter().any(|filter| filter.matches_object(record)),
            Self::Not(filter) => !filter.matches_object(record),
        }
    }
}

impl Comparison {
    /// Returns whether a record's value compares this way with a filter's. A null counts as
    /// missing.
    ///
    /// ```
    /// use serde_json::json;
    /// use textsearch_core::filter::{Comparison, FilterValue};
    ///
    /// assert!(Comparison::Lt.holds(&json!(1.5), &FilterValue::from(2)));
    /// assert!(!Comparison::Lt.holds(&json!("1.5"), &FilterValue::from(2)));
    /// ```
    pub fn holds(self, stored: &Value, value: &FilterValue) -> bool {
        match self {
            Self::Eq => equals(stored, value),
            Self::Ne => !equals(stored, value),
            Self::Lt => order(stored, value).is_some_and(Ordering::is_lt),
            Self::Le => order(stored, value).is_some_and(Ordering::is_le),
            Self::Gt => order(stored, value).is_some_and(Ordering::is_gt),
            Self::Ge => order(stored, value).is_some_and(Ordering::is_ge),
            Self::Contains => contains(stored, value),
            Self::StartsWith => starts_with(stored, value),
        }
    }
}

/// Finds a field: the key of that exact name, or else a dotted path into nested objects. Each step
/// tries the rest of the name as an exact key before it splits off another part.
///
/// ```
/// use serde_json::json;
/// use textsearch_core::filter::lookup;
///
/// let record = json!({ "author": { "name": "Ada" }, "a.b": 1, "a": { "b": 2 } });
/// let record = record.as_object().unwrap();
/// assert_eq!(lookup(record, "author.name"), Some(&json!("Ada")));
/// assert_eq!(lookup(record, "a.b"), Some(&json!(1)));
/// assert_eq!(lookup(record, "author.email"), None);
/// ```
pub fn lookup<'record>(record: &'record Map<String, Value>, field: &str) -> Option<&'record Value> {
    let mut object = record;
    let mut name = field;
    loop {
        if let Some(value) = object.get(name) {
            return Some(value);
        }
        let (parent, rest) = name.split_once('.')?;
        object = object.get(parent)?.as_object()?;
        name = rest;
    }
}

fn equals(stored: &Value, value: &FilterValue) -> bool {
    match (stored, value) {
        (Value::Bool(stored), FilterValue::Bool(value)) => stored == value,
        (Value::Array(stored), FilterValue::List(values)) => {
            stored.len() == values.len()
                && stored.iter().zip(values).all(|(stored, value)| equals(stored, value))
        }
        _ => order(stored, value) == Some(Ordering::Equal),
    }
}

fn order(stored: &Value, value: &FilterValue) -> Option<Ordering> {
    match (stored, value) {
        (Value::Number(stored), FilterValue::Integer(value)) => order_integer(stored, *value),
        (Value::Number(stored), FilterValue::Float(value)) => order_float(stored, *value),
        (Value::String(stored), FilterValue::String(value)) => Some(stored.as_str().cmp(value)),
        (Value::String(stored), FilterValue::DateTime(value)) => {
            DateTime::read(stored).ok().map(|stored| stored.cmp(value))
        }
        _ => None,
    }
}

fn contains(stored: &Value, value: &FilterValue) -> bool {
    match (stored, value) {
        (Value::String(stored), FilterValue::String(value)) => stored.contains(value.as_str()),
        (Value::Array(stored), value) => stored.iter().any(|element| equals(element, value)),
        _ => false,
    }
}

fn starts_with(stored: &Value, value: &FilterValue) -> bool {
    match (stored, value) {
        (Value::String(stored), FilterValue::String(value)) => stored.starts_with(value.as_str()),
        _ => false,
    }
}

fn order_integer(stored: &Number, value: i64) -> Option<Ordering> {
    match integer(stored) {
        Some(stored) => Some(stored.cmp(&i128::from(value))),
        None => order_exactly(value.into(), stored.as_f64()?).map(Ordering::reverse),
    }
}

fn order_float(stored: &Number, value: f64) -> Option<Ordering> {
    match integer(stored) {
        Some(stored) => order_exactly(stored, value),
        None => stored.as_f64()?.partial_cmp(&value).filter(|_| value.is_finite()),
    }
}

fn integer(number: &Number) -> Option<i128> {
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}

/// Compares without the rounding of a cast to `f64`: whole parts first, then the fraction.
fn order_exactly(integer: i128, float: f64) -> Option<Ordering> {
    if !float.is_finite() {
        return None;
    }
    // Exact, or saturated far beyond 64 bits.
    let whole = float.trunc() as i128;
    let fraction = 0.0.partial_cmp(&float.fract())?;
    Some(integer.cmp(&whole).then(fraction))
}
