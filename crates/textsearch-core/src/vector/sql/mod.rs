//! Filters as SQL with parameters, for stores in relational databases.

mod bounds;
mod column;
mod condition;
#[cfg(test)]
mod tests;

use std::fmt;

use self::bounds::{compare_floats, compare_integers, sign};
use crate::{
    Filter,
    filter::{Comparison, FilterValue, PushDown, Pushed},
    vector::DataKind,
};

pub use self::{
    column::{SqlColumn, SqlDialect},
    condition::{SqlCondition, SqlValue},
};

/// Fewer than the parameters that a statement may have: 32,766 in SQLite, 65,535 in Postgres.
const MAX_VALUES: usize = 10_000;

/// The part of a filter that a database checks: made by [`SqlFilters::predicate`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SqlPredicate {
    /// A condition for `WHERE`: `TRUE` or `FALSE` if it depends on no column.
    pub sql: String,
    /// The values of the parameters in `sql`, in order.
    pub values: Vec<SqlValue>,
    /// Whether the rows are exactly those that match. If not, the store checks each record again with
    /// [`Filter::matches_object`].
    pub is_exact: bool,
}

impl SqlPredicate {
    fn constant(sql: &str, is_exact: bool) -> Self {
        Self { sql: sql.to_owned(), values: Vec::new(), is_exact }
    }
}

/// Writes filters as SQL conditions, with all values as parameters.
///
/// Fields without a column, dates, lists and nested values are [`Unknown`](Pushed::Unknown): the
/// store then checks each record with [`Filter::matches_object`](crate::Filter::matches_object).
///
/// ```
/// use textsearch_core::{
///     Filter,
///     vector::{DataKind, sql::{SqlColumn, SqlDialect, SqlFilters, SqlValue}},
/// };
///
/// let filters = SqlFilters::new(SqlDialect::Postgres, |field| match field {
///     "tenant" => Some(SqlColumn::new("tenant", DataKind::String)),
///     "year" => Some(SqlColumn::new("year", DataKind::Integer)),
///     _ => None,
/// });
/// let filter = Filter::eq("tenant", "a' or '1'='1").and(Filter::ge("year", 2020));
///
/// let predicate = filters.predicate(&filter, 1);
/// assert_eq!(predicate.sql, r#"("tenant" = $1 AND "year" >= $2)"#);
/// let values = [SqlValue::Text("a' or '1'='1".to_owned()), SqlValue::Integer(2020)];
/// assert_eq!(predicate.values, values);
/// assert!(predicate.is_exact);
/// ```
pub struct SqlFilters<C> {
    dialect: SqlDialect,
    columns: C,
}

impl<C: Fn(&str) -> Option<SqlColumn>> SqlFilters<C> {
    /// Creates a writer. `columns` returns the column of a field, if it has one.
    pub fn new(dialect: SqlDialect, columns: C) -> Self {
        Self { dialect, columns }
    }

    /// Returns what the database can check of `filter`, with parameters numbered from `first`.
    ///
    /// A filter with more than 10,000 values is left to the store: databases limit the parameters of
    /// a statement.
    pub fn predicate(&self, filter: &Filter, first: usize) -> SqlPredicate {
        self.predicate_of(filter.push_down(self), first)
    }

    /// Returns the same as [`predicate`](Self::predicate), for a filter that a [`PushDown`] of your own
    /// handed to the database, in part through this one.
    pub fn predicate_of(&self, pushed: Pushed<SqlCondition>, first: usize) -> SqlPredicate {
        let is_exact = pushed.is_exact();
        match pushed {
            Pushed::Never => SqlPredicate::constant("FALSE", true),
            Pushed::Always => SqlPredicate::constant("TRUE", true),
            Pushed::Unknown => SqlPredicate::constant("TRUE", false),
            Pushed::Exact(condition) | Pushed::Superset(condition) => {
                let (sql, values) = condition.write(self.dialect, first);
                if values.len() > MAX_VALUES {
                    return SqlPredicate::constant("TRUE", false);
                }
                SqlPredicate { sql, values, is_exact }
            }
        }
    }

    fn compare_column(
        &self,
        column: &SqlColumn,
        operator: Comparison,
        value: &FilterValue,
    ) -> Pushed<SqlCondition> {
        let SqlColumn { sql, kind, .. } = column;
        match (kind, value) {
            (DataKind::DateTime | DataKind::Strings | DataKind::Json, _)
            | (_, FilterValue::DateTime(_)) => Pushed::Unknown,
            (DataKind::String, FilterValue::String(text)) => {
                self.compare_texts(column, operator, text)
            }
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

    fn compare_texts(
        &self,
        SqlColumn { sql, cast, .. }: &SqlColumn,
        operator: Comparison,
        text: &str,
    ) -> Pushed<SqlCondition> {
        // Postgres stores no text with a zero byte, and functions of SQLite stop at one.
        if text.contains('\0') {
            return match (self.dialect, operator) {
                (SqlDialect::Postgres, Comparison::Eq) => Pushed::Never,
                _ => Pushed::Unknown,
            };
        }
        let value = SqlValue::Text(text.to_owned());
        if let Some(cast) = cast {
            let Some(sign) = sign(operator) else { return Pushed::Unknown };
            let (before, after) = (format!("{sql} {sign} CAST("), format!(" AS {cast})"));
            return Pushed::Exact(SqlCondition::new(before, value, after));
        }
        let condition = match (operator, self.dialect) {
            (Comparison::Contains, SqlDialect::Postgres) => {
                SqlCondition::new(format!("strpos({sql}, "), value, ") > 0")
            }
            (Comparison::Contains, SqlDialect::Sqlite) => {
                SqlCondition::new(format!("instr({sql}, "), value, ") > 0")
            }
            (Comparison::StartsWith, SqlDialect::Postgres) => {
                SqlCondition::new(format!("starts_with({sql}, "), value, ")")
            }
            (Comparison::StartsWith, SqlDialect::Sqlite) => {
                let characters = text.chars().count();
                SqlCondition::new(format!("substr({sql}, 1, {characters}) = "), value, "")
            }
            (Comparison::Eq, _) => SqlCondition::new(format!("{sql} = "), value, ""),
            (other, dialect) => {
                let Some(sign) = sign(other) else { return Pushed::Unknown };
                // Filters order texts by code point. SQLite does so by default.
                let collation = match dialect {
                    SqlDialect::Postgres => " COLLATE \"C\"",
                    SqlDialect::Sqlite => "",
                };
                SqlCondition::new(format!("{sql} {sign} "), value, collation)
            }
        };
        Pushed::Exact(condition)
    }
}

impl<C> fmt::Debug for SqlFilters<C> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SqlFilters").field("dialect", &self.dialect).finish_non_exhaustive()
    }
}

impl<C: Fn(&str) -> Option<SqlColumn>> PushDown for SqlFilters<C> {
    type Condition = SqlCondition;

    fn compare(
        &self,
        field: &str,
        operator: Comparison,
        value: &FilterValue,
    ) -> Pushed<SqlCondition> {
        match (self.columns)(field) {
            Some(column) => self.compare_column(&column, operator, value),
            None => Pushed::Unknown,
        }
    }

    fn exists(&self, field: &str) -> Pushed<SqlCondition> {
        match (self.columns)(field) {
            Some(column) => Pushed::Exact(SqlCondition::is_set(&column.sql)),
            None => Pushed::Unknown,
        }
    }

    fn is_in(&self, field: &str, values: &[FilterValue]) -> Pushed<SqlCondition> {
        if values.len() > MAX_VALUES {
            return Pushed::Unknown;
        }
        let Some(column) = (self.columns)(field) else { return Pushed::Unknown };
        let (mut listed, mut is_exact) = (Vec::new(), true);
        for value in values {
            let equal = match self.compare_column(&column, Comparison::Eq, value) {
                Pushed::Never => continue,
                Pushed::Always | Pushed::Unknown => return Pushed::Unknown,
                Pushed::Superset(equal) => {
                    is_exact = false;
                    equal
                }
                Pushed::Exact(equal) => equal,
            };
            listed.extend(equal.into_values());
        }
        if listed.is_empty() {
            Pushed::Never
        } else if is_exact {
            Pushed::Exact(SqlCondition::listed(&column, listed))
        } else {
            Pushed::Superset(SqlCondition::listed(&column, listed))
        }
    }

    fn all(&self, conditions: Vec<SqlCondition>) -> SqlCondition {
        SqlCondition::joined(conditions, " AND ")
    }

    fn any(&self, conditions: Vec<SqlCondition>) -> SqlCondition {
        SqlCondition::joined(conditions, " OR ")
    }

    fn not(&self, condition: SqlCondition) -> SqlCondition {
        condition.not_true()
    }
}
