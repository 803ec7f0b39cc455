//! The order of values in a scan, for backends that sort by themselves.

use std::{borrow::Cow, cmp::Ordering};

use crate::filter::DateTime;
use serde_json::{Number, Value};

/// A value to order by. Kinds order as declared here.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "each kind of JSON value has a place")]
pub enum SortValue<'a> {
    /// False before true.
    Boolean(bool),
    /// A number, by value.
    Number(Number),
    /// An instant, from a date field.
    Date(DateTime),
    /// A text, by code point.
    Text(Cow<'a, str>),
    /// A list, as its JSON text.
    List(String),
    /// An object, as its JSON text.
    Object(String),
}

impl<'a> SortValue<'a> {
    /// Makes a sort value; `None` for null. `is_date` says whether the field holds dates.
    pub(super) fn new(value: Cow<'a, Value>, is_date: bool) -> Option<Self> {
        if let (true, Value::String(text)) = (is_date, value.as_ref())
            && let Ok(date) = DateTime::parse(text)
        {
            return Some(Self::Date(date));
        }
        Some(match value {
            Cow::Borrowed(Value::String(text)) => Self::Text(Cow::Borrowed(text)),
            Cow::Owned(Value::String(text)) => Self::Text(Cow::Owned(text)),
            other => match other.as_ref() {
                Value::Null => return None,
                Value::Bool(value) => Self::Boolean(*value),
                Value::Number(value) => Self::Number(value.clone()),
                Value::Array(_) => Self::List(other.to_string()),
                _ => Self::Object(other.to_string()),
            },
        })
    }

    /// Compares two values of any kinds.
    #[inline]
    pub(super) fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Boolean(left), Self::Boolean(right)) => left.cmp(right),
            (Self::Number(left), Self::Number(right)) => order_numbers(left, right),
            (Self::Date(left), Self::Date(right)) => left.cmp(right),
            (Self::Text(left), Self::Text(right)) => left.cmp(right),
            (Self::List(left), Self::List(right)) => left.cmp(right),
            (Self::Object(left), Self::Object(right)) => left.cmp(right),
            _ => self.kind().cmp(&other.kind()),
        }
    }

    fn kind(&self) -> u8 {
        match self {
            Self::Boolean(_) => 0,
            Self::Number(_) => 1,
            Self::Date(_) => 2,
            Self::Text(_) => 3,
            Self::List(_) => 4,
            Self::Object(_) => 5,
        }
    }
}

/// Rounds no large integers, as a cast to `f64` would.
fn order_numbers(left: &Number, right: &Number) -> Ordering {
    match (whole(left), whole(right)) {
        (Some(left), Some(right)) => left.cmp(&right),
        (Some(left), None) => order_mixed(left, float(right)),
        (None, Some(right)) => order_mixed(right, float(left)).reverse(),
        (None, None) => float(left).total_cmp(&float(right)),
    }
}

fn order_mixed(whole: i128, float: f64) -> Ordering {
    // The cast is exact, or saturates far beyond 64 bits.
    whole.cmp(&(float.trunc() as i128)).then_with(|| 0.0_f64.total_cmp(&(float.fract() + 0.0)))
}

fn whole(number: &Number) -> Option<i128> {
    let whole = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    // A whole float, including minus zero, counts as its integer.
    whole.or_else(|| {
        let float = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 1e18)?;
        Some(float as i128)
    })
}

fn float(number: &Number) -> f64 {
    number.as_f64().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn order(left: Value, right: Value) -> Ordering {
        let value = |value| SortValue::new(Cow::Owned(value), false).unwrap();
        value(left).order(&value(right))
    }

    #[test]
    fn numbers_order_by_value_whatever_their_form() {
        assert_eq!(order(json!(1), json!(1.0)), Ordering::Equal);
        assert_eq!(order(json!(-0.0), json!(0)), Ordering::Equal);
        assert_eq!(order(json!(2), json!(1.5)), Ordering::Greater);
        assert_eq!(order(json!(-2), json!(-1.5)), Ordering::Less);
        assert_eq!(order(json!(u64::MAX), json!(u64::MAX - 1)), Ordering::Greater);
        assert_eq!(
            order(json!(9_007_199_254_740_993_u64), json!(9_007_199_254_740_992.0)),
            Ordering::Greater
        );
        assert_eq!(order(json!(1e300), json!(u64::MAX)), Ordering::Greater);
        assert_eq!(order(json!(-1e300), json!(i64::MIN)), Ordering::Less);
    }

    #[test]
    fn kinds_order_in_a_fixed_way() {
        let kinds = [
            json!(false),
            json!(true),
            json!(7),
            json!(""),
            json!("a"),
            json!([1]),
            json!({ "a": 1 }),
        ];
        for (place, left) in kinds.iter().enumerate() {
            for right in kinds.iter().skip(place + 1) {
                assert_eq!(order(left.clone(), right.clone()), Ordering::Less, "{left} {right}");
            }
        }
    }

    #[test]
    fn dates_order_by_instant_in_date_fields() {
        let date = |text: &str| SortValue::new(Cow::Owned(json!(text)), true).unwrap();
        let early = date("2024-01-01T01:00:00+02:00");
        let late = date("2024-01-01T00:00:00Z");
        assert_eq!(early.order(&late), Ordering::Less);
        assert_eq!(date("no date").order(&late), Ordering::Greater);
    }
}
