//! Conditions that the server evaluates, as JSON.

use serde_json::{Value, json};

/// The server makes one parameter of SQL of each; SQLite has room for 32,766.
pub(crate) const MAX_VALUES: usize = 10_000;

/// The server's parser of JSON accepts fewer than 64.
pub(crate) const DEEPEST: usize = 20;

/// A condition on metadata, or one on documents.
#[derive(Debug)]
pub(crate) enum Condition {
    /// A field, an operator and a value.
    Compare(String, &'static str, Value),
    /// Text in a document.
    Contains(String),
    Any(Vec<Condition>),
    All(Vec<Condition>),
    Not(Box<Condition>),
}

impl Condition {
    /// Returns whether the server should evaluate it.
    pub(crate) fn is_small(&self, max_conditions: usize) -> bool {
        let (conditions, values, depth) = self.size();
        conditions <= max_conditions && values <= MAX_VALUES && depth <= DEEPEST
    }

    /// Returns the numbers of comparisons, of values, and of levels.
    fn size(&self) -> (usize, usize, usize) {
        match self {
            Self::Compare(_, _, Value::Array(values)) => (1, values.len(), 1),
            Self::Compare(..) | Self::Contains(_) => (1, 1, 1),
            Self::Not(inner) => inner.size(),
            Self::Any(parts) | Self::All(parts) => {
                let sizes = parts.iter().map(Self::size);
                let (conditions, values, depth) = sizes.fold((0, 0, 0), |sum, other| {
                    (sum.0 + other.0, sum.1 + other.1, sum.2.max(other.2))
                });
                (conditions, values, depth + 1)
            }
        }
    }

    /// The server has no `not`. Every operator that occurs negated has an opposite.
    pub(crate) fn write(&self, negated: bool) -> Value {
        match self {
            Self::Compare(field, operator, value) => {
                let operator = match (negated, *operator) {
                    (true, "$eq") => "$ne",
                    (true, "$in") => "$nin",
                    (_, operator) => operator,
                };
                json!({ field: { operator: value } })
            }
            Self::Contains(needle) => {
                let operator = if negated { "$not_contains" } else { "$contains" };
                json!({ operator: needle })
            }
            Self::Not(inner) => inner.write(!negated),
            Self::Any(parts) | Self::All(parts) => {
                let is_any = matches!(self, Self::Any(_)) != negated;
                let parts: Vec<Value> = parts.iter().map(|part| part.write(negated)).collect();
                if is_any { json!({ "$or": parts }) } else { json!({ "$and": parts }) }
            }
        }
    }
}
