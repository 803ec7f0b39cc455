//! Conditions of steps.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::{
    order::{is_same, order},
    plan::shown,
};

/// A comparison that decides whether a step runs.
///
/// A reference that matches nothing fails the step, except with `empty` and `not_empty`, which take it
/// for null.
///
/// ```
/// use serde_json::json;
/// use textsearch_plan::{Condition, Operator};
///
/// let written = json!({ "value": "$.steps.forecast.result.degrees", "is": "less_than", "other": 32 });
/// let condition: Condition = serde_json::from_value(written)?;
/// assert_eq!(condition, Condition::new("$.steps.forecast.result.degrees", Operator::LessThan).with_other(32));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Condition {
    /// The value to examine: a reference, or a value with references in it.
    pub value: Value,
    /// The comparison.
    pub is: Operator,
    /// The value to compare with, also null. `empty` and `not_empty` take none.
    #[serde(default, deserialize_with = "written", skip_serializing_if = "Option::is_none")]
    pub other: Option<Value>,
}

/// A null is a value to compare with. Serde would read it as no value.
fn written<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// A comparison of a [`Condition`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Operator {
    /// Both are the same JSON value; `1` equals `1.0`.
    EqualTo,
    /// They are different JSON values.
    NotEqualTo,
    /// A smaller number, or a text that sorts before the other by code points.
    LessThan,
    /// A smaller or equal number, or a text that doesn't sort after the other.
    AtMost,
    /// A larger number, or a text that sorts after the other.
    GreaterThan,
    /// A larger or equal number, or a text that doesn't sort before the other.
    AtLeast,
    /// A list that has the other value as an item, or a text that has the other text in it.
    Contains,
    /// Null, or a text, list or object of length 0.
    Empty,
    /// Any value that isn't empty.
    NotEmpty,
}

impl Condition {
    /// Creates a condition on `value`: a reference, or a value with references in it.
    pub fn new(value: impl Into<Value>, is: Operator) -> Self {
        Self { value: value.into(), is, other: None }
    }

    /// Sets the value to compare with.
    #[must_use]
    pub fn with_other(mut self, other: impl Into<Value>) -> Self {
        self.other = Some(other.into());
        self
    }
}

impl Operator {
    pub(crate) const fn takes_other(self) -> bool {
        !matches!(self, Self::Empty | Self::NotEmpty)
    }

    pub(crate) const fn needs_order(self) -> bool {
        matches!(self, Self::LessThan | Self::AtMost | Self::GreaterThan | Self::AtLeast)
    }

    /// `None` if the two values have no order, or `value` can't contain anything.
    pub(crate) fn holds(self, value: &Value, other: &Value) -> Option<bool> {
        Some(match self {
            Self::EqualTo => is_same(value, other),
            Self::NotEqualTo => !is_same(value, other),
            Self::LessThan => order(value, other)?.is_lt(),
            Self::AtMost => order(value, other)?.is_le(),
            Self::GreaterThan => order(value, other)?.is_gt(),
            Self::AtLeast => order(value, other)?.is_ge(),
            Self::Contains => match (value, other) {
                (Value::Array(items), other) => items.iter().any(|item| is_same(item, other)),
                (Value::String(text), Value::String(part)) => text.contains(part.as_str()),
                _ => return None,
            },
            Self::Empty => is_empty(value),
            Self::NotEmpty => !is_empty(value),
        })
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Writes the spelling in a plan, such as `less_than`.
impl fmt::Display for Operator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(formatter)
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} is {}", shown(&self.value), self.is)?;
        match &self.other {
            Some(other) => write!(formatter, " {}", shown(other)),
            None => Ok(()),
        }
    }
}
