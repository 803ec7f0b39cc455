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
                let found = lookup(record, field).unwrap_or(&Value::Null);
                operator.holds(found, value)
            }
            Self::In { field, values } => lookup(record, field)
                .is_some_and(|found| values.iter().any(|value| equals(found, value))),
            Self::Exists { field } => lookup(record, field).is_some_and(|found| !found.is_null()),
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
    pub fn holds(self, found: &Value, value: &FilterValue) -> bool {
        match self {
            Self::Eq => equals(found, value),
            Self::Ne => !equals(found, value),
            Self::Lt => order(found, value).is_some_and(Ordering::is_lt),
            Self::Le => order(found, value).is_some_and(Ordering::is_le),
            Self::Gt => order(found, value).is_some_and(Ordering::is_gt),
            Self::Ge => order(found, value).is_some_and(Ordering::is_ge),
            Self::Contains => contains(found, value),
            Self::StartsWith => starts_with(found, value),
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

fn equals(found: &Value, value: &FilterValue) -> bool {
    match (found, value) {
        (Value::Bool(found), FilterValue::Bool(value)) => found == value,
        (Value::Array(found), FilterValue::List(values)) => {
            found.len() == values.len()
                && found.iter().zip(values).all(|(found, value)| equals(found, value))
        }
        _ => order(found, value) == Some(Ordering::Equal),
    }
}

fn order(found: &Value, value: &FilterValue) -> Option<Ordering> {
    match (found, value) {
        (Value::Number(found), FilterValue::Integer(value)) => order_integer(found, *value),
        (Value::Number(found), FilterValue::Float(value)) => order_float(found, *value),
        (Value::String(found), FilterValue::String(value)) => Some(found.as_str().cmp(value)),
        (Value::String(found), FilterValue::DateTime(value)) => {
            DateTime::read(found).ok().map(|found| found.cmp(value))
        }
        _ => None,
    }
}

fn contains(found: &Value, value: &FilterValue) -> bool {
    match (found, value) {
        (Value::String(found), FilterValue::String(value)) => found.contains(value.as_str()),
        (Value::Array(found), value) => found.iter().any(|element| equals(element, value)),
        _ => false,
    }
}

fn starts_with(found: &Value, value: &FilterValue) -> bool {
    match (found, value) {
        (Value::String(found), FilterValue::String(value)) => found.starts_with(value.as_str()),
        _ => false,
    }
}

fn order_integer(found: &Number, value: i64) -> Option<Ordering> {
    match integer(found) {
        Some(found) => Some(found.cmp(&i128::from(value))),
        None => order_exactly(value.into(), found.as_f64()?).map(Ordering::reverse),
    }
}

fn order_float(found: &Number, value: f64) -> Option<Ordering> {
    match integer(found) {
        Some(found) => order_exactly(found, value),
        None => found.as_f64()?.partial_cmp(&value).filter(|_| value.is_finite()),
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
