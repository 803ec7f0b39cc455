//! Comparisons with a column, as SQL with parameters.

mod bounds;
mod condition;
#[cfg(test)]
mod tests;

use textsearch_core::{
    filter::{Comparison, FilterValue, PushDown, Pushed},
    vector::DataKind,
};

use self::bounds::{compare_floats, compare_integers, sign};

pub(crate) use self::condition::{SqlCondition, SqlValue};

/// Fewer than the 65,535 parameters that a statement may have.
const MAX_VALUES: usize = 10_000;

/// The column that holds the values of a field. It pushes filters down, whatever they call the field.
///
/// The column must hold every value of the field, and null only for a missing or null one. An
/// [`Integer`](DataKind::Integer) column holds signed 64-bit integers; a [`Number`](DataKind::Number)
/// column holds 64-bit floats and may round large integers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SqlColumn {
    sql: String,
    kind: DataKind,
    /// The type that values are cast to.
    cast: Option<String>,
}

impl SqlColumn {
    /// Describes the column called `name`, in quotes.
    pub(crate) fn new(name: &str, kind: DataKind) -> Self {
        Self { sql: format!("\"{}\"", name.replace('"', "\"\"")), kind, cast: None }
    }

    /// Describes the column called `name`, whose type reads texts, such as `uuid`. Values are cast to
    /// `sql_type`, so that the database can use an index on the column.
    ///
    /// The type must read each compared text, and order its values as filters order the texts.
    /// `sql_type` is not quoted: text from outside must not be part of it.
    pub(crate) fn typed(name: &str, sql_type: &str) -> Self {
        Self { cast: Some(sql_type.to_owned()), ..Self::new(name, DataKind::String) }
    }

    /// Describes an SQL expression. It is not quoted: text from outside must not be part of it.
    pub(crate) fn computed(expression: &str, kind: DataKind) -> Self {
        Self { sql: format!("({expression})"), kind, cast: None }
    }

    fn compare_texts(&self, operator: Comparison, text: &str) -> Pushed<SqlCondition> {
        // Postgres stores no text with a zero byte.
        if text.contains('\0') {
            let never = operator == Comparison::Eq;
            return if never { Pushed::Never } else { Pushed::Unknown };
        }
        let Self { sql, cast, .. } = self;
        let value = SqlValue::Text(text.to_owned());
        if let Some(cast) = cast {
            let Some(sign) = sign(operator) else { return Pushed::Unknown };
            let before = format!("{sql} {sign} CAST(");
            let after = format!(" AS {cast})");
            return Pushed::Exact(SqlCondition::new(before, value, after));
        }
        let condition = match operator {
            Comparison::Contains => SqlCondition::new(format!("strpos({sql}, "), value, ") > 0"),
            Comparison::StartsWith => SqlCondition::new(format!("starts_with({sql}, "), value, ")"),
            Comparison::Eq => SqlCondition::new(format!("{sql} = "), value, ""),
            other => {
                let Some(sign) = sign(other) else { return Pushed::Unknown };
                // Filters order texts by code point.
                SqlCondition::new(format!("{sql} {sign} "), value, " COLLATE \"C\"")
            }
        };
        Pushed::Exact(condition)
    }
}

impl PushDown for SqlColumn {
    type Condition = SqlCondition;

    fn compare(&self, _: &str, operator: Comparison, value: &FilterValue) -> Pushed<SqlCondition> {
        let Self { sql, kind, .. } = self;
        match (kind, value) {
            (DataKind::DateTime | DataKind::Strings | DataKind::Json, _)
            | (_, FilterValue::DateTime(_)) => Pushed::Unknown,
            (DataKind::String, FilterValue::String(text)) => self.compare_texts(operator, text),
            (DataKind::Boolean, FilterValue::Bool(value)) if operator == Comparison::Eq => {
                let value = SqlValue::Boolean(*value);
                Pushed::Exact(SqlCondition::new(format!("{sql} = "), value, ""))
            }
            (DataKind::Integer, _) => compare_integers(sql, operator, value),
            (DataKind::Number, _) => compare_floats(sql, operator, value),
            // Values of another type are unequal and have no order.
            _ => Pushed::Never,
        }
    }

    fn exists(&self, _: &str) -> Pushed<SqlCondition> {
        Pushed::Exact(SqlCondition::is_set(&self.sql))
    }

    fn is_in(&self, field: &str, values: &[FilterValue]) -> Pushed<SqlCondition> {
        if values.len() > MAX_VALUES {
            return Pushed::Unknown;
        }
        let mut listed = Vec::new();
        let mut is_exact = true;
        for value in values {
            let equal = self.compare(field, Comparison::Eq, value);
            is_exact &= equal.is_exact();
            match equal {
                Pushed::Never => {}
                Pushed::Always | Pushed::Unknown => return Pushed::Unknown,
                Pushed::Exact(equal) | Pushed::Superset(equal) => {
                    listed.extend(equal.into_values());
                }
            }
        }
        if listed.is_empty() {
            return Pushed::Never;
        }
        let condition = SqlCondition::listed(&self.sql, self.cast.as_deref(), listed);
        if is_exact { Pushed::Exact(condition) } else { Pushed::Superset(condition) }
    }

    fn all(&self, conditions: Vec<SqlCondition>) -> SqlCondition {
        SqlCondition::all(conditions)
    }

    fn any(&self, conditions: Vec<SqlCondition>) -> SqlCondition {
        SqlCondition::any(conditions)
    }

    fn not(&self, condition: SqlCondition) -> SqlCondition {
        condition.not_true()
    }
}

/// Returns the condition for `WHERE`, its values, whose parameters are numbered from `first`, and
/// whether the rows are exactly those that match. With too many values, all rows are checked here.
pub(crate) fn predicate(
    pushed: Pushed<SqlCondition>,
    first: usize,
) -> (String, Vec<SqlValue>, bool) {
    let is_exact = pushed.is_exact();
    let constant = |sql: &str, is_exact| (sql.to_owned(), Vec::new(), is_exact);
    match pushed {
        Pushed::Never => constant("FALSE", true),
        Pushed::Always | Pushed::Unknown => constant("TRUE", is_exact),
        Pushed::Exact(condition) | Pushed::Superset(condition) => {
            let (sql, values) = condition.write(first);
            if values.len() > MAX_VALUES {
                return constant("TRUE", false);
            }
            (sql, values, is_exact)
        }
    }
}
