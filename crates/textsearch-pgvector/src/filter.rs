//! The part of a filter that the server checks.

use textsearch_core::{
    Filter,
    vector::{
        DataKind, KeyKind, RecordDefinition,
        sql::{SqlColumn, SqlDialect, SqlFilters, SqlValue},
    },
};
use tokio_postgres::types::Type;

use crate::{
    columns::has_column,
    query::{Query, Value},
};

/// A condition, and whether it is all of the filter.
#[derive(Debug)]
pub(crate) struct Condition {
    pub(crate) sql: String,
    pub(crate) is_exact: bool,
}

/// Returns the condition of the rows that may match. Its values become parameters of `query`.
pub(crate) fn condition(
    filter: Option<&Filter>,
    definition: &RecordDefinition,
    query: &mut Query,
) -> Condition {
    let Some(filter) = filter else { return constant("TRUE", true) };
    let filters = SqlFilters::new(SqlDialect::Postgres, |name| column(name, definition));
    let predicate = filters.predicate(filter, query.parameters() + 1);
    match predicate.values.into_iter().map(typed).collect::<Option<Vec<_>>>() {
        Some(values) => query.extend(values),
        None => return constant("TRUE", false),
    }
    Condition { sql: predicate.sql, is_exact: predicate.is_exact }
}

fn constant(sql: &str, is_exact: bool) -> Condition {
    Condition { sql: sql.to_owned(), is_exact }
}

fn column(name: &str, definition: &RecordDefinition) -> Option<SqlColumn> {
    if name == definition.key.name {
        // Integers are unsigned, and compared here.
        let is_text = definition.key.kind != KeyKind::Integer;
        return is_text.then(|| SqlColumn::new(name, DataKind::String));
    }
    let field = definition.data_field(name).filter(|field| has_column(field))?;
    Some(SqlColumn::new(name, field.kind))
}

/// Returns `None` for a kind that is unknown here.
fn typed(value: SqlValue) -> Option<(Value, Type)> {
    Some(match value {
        SqlValue::Text(text) => (Box::new(text), Type::TEXT),
        SqlValue::Integer(number) => (Box::new(number), Type::INT8),
        SqlValue::Number(number) => (Box::new(number), Type::FLOAT8),
        SqlValue::Boolean(value) => (Box::new(value), Type::BOOL),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use textsearch_core::vector::DataField;

    use super::*;

    fn written(filter: &str) -> (String, bool, usize) {
        let definition = RecordDefinition::new("id")
            .with_data(DataField::string("title").filterable())
            .with_data(DataField::integer("year").filterable())
            .with_data(DataField::strings("tags").filterable());
        let mut query = Query::default();
        query.bind(vec![1.0_f32], Type::FLOAT4_ARRAY);
        let filter: Filter = filter.parse().unwrap();
        let condition = condition(Some(&filter), &definition, &mut query);
        (condition.sql, condition.is_exact, query.parameters())
    }

    #[test]
    fn values_are_parameters_behind_the_others() {
        let (sql, is_exact, parameters) = written(r#"title = "a' or 1" and year >= 2020"#);
        assert_eq!(sql, r#"("title" = $2 AND "year" >= $3)"#);
        assert!(is_exact);
        assert_eq!(parameters, 3);
    }

    #[test]
    fn fields_without_a_column_are_checked_here() {
        let (sql, is_exact, _) = written(r#"tags contains "a" and year = 1"#);
        assert_eq!((sql.as_str(), is_exact), (r#""year" = $2"#, false));
        assert_eq!(written(r#"tags contains "a""#), ("TRUE".to_owned(), false, 1));
    }

    #[test]
    fn long_lists_are_checked_here() {
        let list: Vec<String> = (0..10_001).map(|number| number.to_string()).collect();
        let (sql, is_exact, parameters) = written(&format!("year in [{}]", list.join(", ")));
        assert_eq!((sql.as_str(), is_exact, parameters), ("TRUE", false, 1));
    }
}
