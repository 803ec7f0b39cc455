//! An SQL condition with its values.

use std::{borrow::Cow, fmt::Write as _};

use super::SqlDialect;

/// A value of a parameter.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SqlValue {
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
pub struct SqlCondition {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq)]
enum Part {
    Sql(Cow<'static, str>),
    Value(SqlValue),
}

impl SqlCondition {
    pub(super) fn write(self, dialect: SqlDialect, first: usize) -> (String, Vec<SqlValue>) {
        let (mut sql, mut values) = (String::new(), Vec::new());
        for part in self.parts {
            match part {
                Part::Sql(text) => sql.push_str(&text),
                Part::Value(value) => {
                    let sign = match dialect {
                        SqlDialect::Postgres => '$',
                        SqlDialect::Sqlite => '?',
                    };
                    // Writing to a string cannot fail.
                    let _ = write!(sql, "{sign}{}", first + values.len());
                    values.push(value);
                }
            }
        }
        (sql, values)
    }

    pub(super) fn new(before: String, value: SqlValue, after: &'static str) -> Self {
        let (before, after) = (Part::Sql(before.into()), Part::Sql(after.into()));
        Self { parts: vec![before, Part::Value(value), after] }
    }

    pub(super) fn is_set(sql: &str) -> Self {
        Self { parts: vec![Part::Sql(format!("{sql} IS NOT NULL").into())] }
    }

    pub(super) fn joined(conditions: Vec<Self>, operator: &'static str) -> Self {
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
    pub(super) fn not_true(mut self) -> Self {
        self.parts.insert(0, Part::Sql("(".into()));
        self.parts.push(Part::Sql(") IS NOT TRUE".into()));
        self
    }
}
