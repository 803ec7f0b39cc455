//! The part of a filter that the server checks.

use textsearch_core::{
    Filter,
    filter::{Comparison, DateTime, FilterValue, PushDown, Pushed},
    vector::{DataKind, KeyKind},
};
use tokio_postgres::types::Type;

use crate::{
    columns::{has_column, microseconds, quoted},
    existing::{Column, ColumnKind},
    query::{Query, Value},
    sql::{SqlColumn, SqlCondition, SqlValue, predicate},
    table::Table,
};

/// A condition, and whether it is all of the filter.
#[derive(Debug)]
pub(crate) struct Condition {
    pub(crate) sql: String,
    pub(crate) exact: bool,
}

/// Returns the condition of the rows that may match. Its values become parameters of `query`.
pub(crate) fn condition(filter: Option<&Filter>, table: &Table, query: &mut Query) -> Condition {
    let matching = matching(filter, table, query);
    match table.valid_keys() {
        Some(valid) => Condition { sql: format!("{valid} AND {}", matching.sql), ..matching },
        None => matching,
    }
}

fn matching(filter: Option<&Filter>, table: &Table, query: &mut Query) -> Condition {
    let Some(filter) = filter else { return constant("TRUE", true) };
    let pushed = filter.push_down(&Columns(table));
    let (sql, values, exact) = predicate(pushed, query.parameters() + 1);
    query.extend(values.into_iter().map(typed));
    Condition { sql, exact }
}

/// Compares fields with the columns of a table.
struct Columns<'a>(&'a Table);

impl Columns<'_> {
    /// Returns whether the store's own table has a column of dates for the field.
    fn is_own_date(&self, field: &str) -> bool {
        let column = self.0.definition.data_field(field).filter(|field| has_column(field));
        self.0.existing.is_none() && column.is_some_and(|field| field.kind == DataKind::DateTime)
    }

    /// Columns hold dates rounded down to microseconds.
    fn compare_dates(
        &self,
        field: &str,
        operator: Comparison,
        date: DateTime,
    ) -> Pushed<SqlCondition> {
        let is_whole = date.unix_nanoseconds() % 1_000 == 0;
        let (operator, exact) = match operator {
            Comparison::Lt | Comparison::Ge if is_whole => (operator, true),
            Comparison::Lt | Comparison::Le => (Comparison::Le, false),
            Comparison::Gt | Comparison::Ge => (Comparison::Ge, false),
            Comparison::Eq => (Comparison::Eq, false),
            _ => return Pushed::Unknown,
        };
        let value = FilterValue::Integer(microseconds(date));
        match self.compare_values(field, operator, &value) {
            Pushed::Exact(condition) if !exact => Pushed::Superset(condition),
            pushed => pushed,
        }
    }

    fn compare_values(
        &self,
        field: &str,
        operator: Comparison,
        value: &FilterValue,
    ) -> Pushed<SqlCondition> {
        let column = column(field, self.0);
        column.map_or(Pushed::Unknown, |column| column.compare(field, operator, value))
    }
}

impl PushDown for Columns<'_> {
    type Condition = SqlCondition;

    fn compare(
        &self,
        field: &str,
        operator: Comparison,
        value: &FilterValue,
    ) -> Pushed<SqlCondition> {
        let column = existing_column(field, self.0);
        if let Some(pushed) = column.and_then(|column| column.compare(operator, value)) {
            return pushed;
        }
        match value {
            FilterValue::DateTime(date) if self.is_own_date(field) => {
                self.compare_dates(field, operator, *date)
            }
            // A date may be written in many ways.
            _ if self.is_own_date(field) => Pushed::Unknown,
            value => self.compare_values(field, operator, value),
        }
    }

    fn exists(&self, field: &str) -> Pushed<SqlCondition> {
        match existing_column(field, self.0) {
            // Whatever it holds, also a number or a date without a value to compare.
            Some(existing) => {
                match SqlColumn::new(&existing.name, DataKind::String).exists(field) {
                    // The null of JSON is a value in SQL.
                    Pushed::Exact(set) if existing.kind == ColumnKind::Json => {
                        Pushed::Superset(set)
                    }
                    pushed => pushed,
                }
            }
            None => column(field, self.0).map_or(Pushed::Unknown, |column| column.exists(field)),
        }
    }

    fn is_in(&self, field: &str, values: &[FilterValue]) -> Pushed<SqlCondition> {
        let existing = existing_column(field, self.0);
        match existing.and_then(|column| column.is_in(values)) {
            Some(pushed) => pushed,
            None if self.is_own_date(field) => Pushed::Unknown,
            None => {
                let column = column(field, self.0);
                column.map_or(Pushed::Unknown, |column| column.is_in(field, values))
            }
        }
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

fn constant(sql: &str, exact: bool) -> Condition {
    Condition { sql: sql.to_owned(), exact }
}

fn column(name: &str, table: &Table) -> Option<SqlColumn> {
    let definition = &table.definition;
    if table.existing.is_some() {
        return existing_column(name, table)?.compared();
    }
    if name == definition.key.name {
        // Integers are unsigned, and compared here.
        let is_text = definition.key.kind != KeyKind::Integer;
        return is_text.then(|| SqlColumn::new(name, DataKind::String));
    }
    let field = definition.data_field(name).filter(|field| has_column(field))?;
    if field.kind == DataKind::DateTime {
        // Before version 14, Postgres extracts a float.
        let microseconds = format!("ROUND(EXTRACT(EPOCH FROM {}) * 1000000)", quoted(name));
        return Some(SqlColumn::computed(&microseconds, DataKind::Integer));
    }
    Some(SqlColumn::new(name, field.kind))
}

/// Returns the column of a field in a table of another program.
fn existing_column<'a>(field: &str, table: &'a Table) -> Option<&'a Column> {
    let existing = table.existing.as_ref()?;
    let key = &table.definition.key;
    if field == key.name {
        // Integers are unsigned, and compared here.
        Some(&existing.key).filter(|_| key.kind != KeyKind::Integer)
    } else if field.contains('.') {
        // A path to a nested value.
        None
    } else {
        existing.column(field)
    }
}

fn typed(value: SqlValue) -> (Value, Type) {
    match value {
        SqlValue::Text(text) => (Box::new(text), Type::TEXT),
        SqlValue::Integer(number) => (Box::new(number), Type::INT8),
        SqlValue::Number(number) => (Box::new(number), Type::FLOAT8),
        SqlValue::Boolean(value) => (Box::new(value), Type::BOOL),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use textsearch_core::vector::{DataField, RecordDefinition};

    use super::*;
    use crate::{FullTextRanking, PgVectorTable};

    fn written(filter: &str) -> (String, bool, usize) {
        let definition = RecordDefinition::new("id")
            .with_data(DataField::string("title").filterable())
            .with_data(DataField::integer("year").filterable())
            .with_data(DataField::date_time("at").filterable())
            .with_data(DataField::strings("tags").filterable());
        let definition = Arc::new(definition);
        let settings = PgVectorTable::new();
        let table = Table::new("public", "notes", definition, FullTextRanking::Terms, &settings);
        let mut query = Query::default();
        query.bind(vec![1.0_f32], Type::FLOAT4_ARRAY);
        let filter: Filter = filter.parse().unwrap();
        let condition = condition(Some(&filter), &table, &mut query);
        (condition.sql, condition.exact, query.parameters())
    }

    #[test]
    fn values_are_parameters_behind_the_others() {
        let (sql, exact, parameters) = written(r#"title = "a' or 1" and year >= 2020"#);
        assert_eq!(sql, r#"("title" = $2 AND "year" >= $3)"#);
        assert!(exact);
        assert_eq!(parameters, 3);
    }

    #[test]
    fn fields_without_a_column_are_checked_here() {
        let (sql, exact, _) = written(r#"tags contains "a" and year = 1"#);
        assert_eq!((sql.as_str(), exact), (r#""year" = $2"#, false));
        assert_eq!(written(r#"tags contains "a""#), ("TRUE".to_owned(), false, 1));
    }

    #[test]
    fn dates_are_exact_as_far_as_columns_do_not_round() {
        let column = r#"(ROUND(EXTRACT(EPOCH FROM "at") * 1000000))"#;
        for (filter, sign, exact) in [
            (r#"at >= date "2024-01-01""#, ">=", true),
            (r#"at < date "2024-01-01""#, "<", true),
            (r#"not at < date "2024-01-01""#, "", true),
            (r#"at > date "2024-01-01""#, ">=", false),
            (r#"at <= date "2024-01-01""#, "<=", false),
            (r#"at = date "2024-01-01""#, "=", false),
            (r#"at >= date "2024-01-01T00:00:00.0000001Z""#, ">=", false),
            (r#"at < date "2024-01-01T00:00:00.0000001Z""#, "<=", false),
        ] {
            let (sql, is_exact, _) = written(filter);
            assert!(sql.contains(&format!("{column} {sign}")), "{filter}: {sql}");
            assert_eq!(is_exact, exact, "{filter}");
        }
        assert_eq!(written(r#"at = "2024-01-01""#), ("TRUE".to_owned(), false, 1));
        assert_eq!(written("at exists").0, format!("{column} IS NOT NULL"));
    }

    #[test]
    fn long_lists_are_checked_here() {
        let list: Vec<String> = (0..10_001).map(|number| number.to_string()).collect();
        let (sql, exact, parameters) = written(&format!("year in [{}]", list.join(", ")));
        assert_eq!((sql.as_str(), exact, parameters), ("TRUE", false, 1));
    }
}
