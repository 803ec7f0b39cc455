//! An SQL condition with its values.

use std::{borrow::Cow, fmt::Write as _};

/// A value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SqlValue {
    /// Text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// Any finite number.
    Number(f64),
    /// True or false.
    Boolean(bool),
}

/// An SQL condition and the values of its parameters.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SqlCondition {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq)]
enum Part {
    Sql(Cow<'static, str>),
    Value(SqlValue),
}

impl SqlCondition {
    pub(super) fn write(self, first: usize) -> (String, Vec<SqlValue>) {
        let mut sql = String::new();
        let mut values = Vec::new();
        for part in self.parts {
            match part {
                Part::Sql(text) => sql.push_str(&text),
                Part::Value(value) => {
                    // Writing to a string cannot fail.
                    let _ = write!(sql, "${}", first + values.len());
                    values.push(value);
                }
            }
        }
        (sql, values)
    }

    pub(super) fn new(
        before: String,
        value: SqlValue,
        after: impl Into<Cow<'static, str>>,
    ) -> Self {
        let before = Part::Sql(before.into());
        let after = Part::Sql(after.into());
        Self { parts: vec![before, Part::Value(value), after] }
    }

    pub(super) fn is_set(sql: &str) -> Self {
        Self { parts: vec![Part::Sql(format!("{sql} IS NOT NULL").into())] }
    }

    /// Compares a column with a list of values, which are cast to a type if there is one.
    pub(super) fn listed(column: &str, cast: Option<&str>, values: Vec<SqlValue>) -> Self {
        let (before, after) = match cast {
            Some(cast) => ("CAST(", format!(" AS {cast})")),
            None => ("", String::new()),
        };
        let mut parts = vec![Part::Sql(format!("{column} IN ({before}").into())];
        for (number, value) in values.into_iter().enumerate() {
            if number > 0 {
                parts.push(Part::Sql(format!("{after}, {before}").into()));
            }
            parts.push(Part::Value(value));
        }
        parts.push(Part::Sql(format!("{after})").into()));
        Self { parts }
    }

    pub(super) fn into_values(self) -> impl Iterator<Item = SqlValue> {
        self.parts.into_iter().filter_map(|part| match part {
            Part::Value(value) => Some(value),
            Part::Sql(_) => None,
        })
    }

    pub(crate) fn all(conditions: Vec<Self>) -> Self {
        Self::joined(conditions, " AND ")
    }

    pub(crate) fn any(conditions: Vec<Self>) -> Self {
        Self::joined(conditions, " OR ")
    }

    fn joined(conditions: Vec<Self>, operator: &'static str) -> Self {
        let mut parts = vec![Part::Sql("(".into())];
        for (number, condition) in conditions.into_iter().enumerate() {
            if number > 0 {
                parts.push(Part::Sql(operator.into()));
            }
            parts.extend(condition.parts);
        }
        parts.push(Part::Sql(")".into()));
        Self { parts }
    }

    /// A comparison with null is null, and so is its negation: `NOT` would lose records.
    pub(crate) fn not_true(mut self) -> Self {
        self.parts.insert(0, Part::Sql("(".into()));
        self.parts.push(Part::Sql(") IS NOT TRUE".into()));
        self
    }
}
