//! What the database can check of a filter, and what it can store.

use rusqlite::types::Value as Sql;
use serde_json::Value;
use textsearch_core::{
    Error, ErrorKind, Filter, Result,
    filter::Pushed,
    vector::{
        DataKind, KeyKind, RecordDefinition, RecordKey, StoredRecord,
        sql::{SqlColumn, SqlDialect, SqlFilters, SqlValue},
    },
};

use crate::CONNECTOR;

/// Returns the SQL that preselects the records, with its parameters from `first`; `None` if no
/// record matches.
///
/// The caller checks each record again: another program may have stored values of other kinds.
pub(crate) fn preselection(
    filter: Option<&Filter>,
    definition: &RecordDefinition,
    first: usize,
) -> Option<(String, Vec<Sql>)> {
    let filters = SqlFilters::new(SqlDialect::Sqlite, |name| column(name, definition));
    match filter.map_or(Pushed::Always, |filter| filter.push_down(&filters)) {
        Pushed::Never => None,
        Pushed::Always | Pushed::Unknown => Some(("TRUE".to_owned(), Vec::new())),
        Pushed::Exact(condition) | Pushed::Superset(condition) => {
            let (sql, values) = filters.write(condition, first);
            Some((sql, values.into_iter().map(parameter).collect()))
        }
    }
}

fn column(name: &str, definition: &RecordDefinition) -> Option<SqlColumn> {
    if name == definition.key.name {
        let is_text = definition.key.kind != KeyKind::Integer;
        return is_text.then(|| SqlColumn::new("key", DataKind::String));
    }
    let field = definition.data_field(name)?;
    // Other names are paths, or would need quotes within quotes.
    let is_plain = name.chars().all(|one| one.is_ascii_alphanumeric() || one == '_');
    is_plain.then(|| SqlColumn::computed(format!("data ->> '$.{name}'"), field.kind))
}

fn parameter(value: SqlValue) -> Sql {
    match value {
        SqlValue::Text(text) => Sql::Text(text),
        SqlValue::Integer(number) => Sql::Integer(number),
        SqlValue::Number(number) => Sql::Real(number),
        SqlValue::Boolean(value) => Sql::Integer(value.into()),
        _ => Sql::Null,
    }
}

/// Checks that the database can hold and compare each value.
///
/// # Errors
/// Returns `InvalidRecord` for a value of another kind, and an integer of more than 64 bits with
/// sign.
pub(crate) fn check_values(record: &StoredRecord, definition: &RecordDefinition) -> Result<()> {
    for field in &definition.data {
        let value = record.data.get(&field.name).unwrap_or(&Value::Null);
        if !fits(value, field.kind) {
            let (key, name, kind) = (&record.key, &field.name, field.kind);
            let message = format!(
                "the record `{key}` cannot be stored: its field `{name}` holds {value}; \
                 store a value of the kind {kind:?}"
            );
            return Err(Error::new(ErrorKind::invalid_record(key.to_string()), CONNECTOR, message));
        }
    }
    Ok(())
}

fn fits(value: &Value, kind: DataKind) -> bool {
    match (kind, value) {
        (_, Value::Null) | (DataKind::Json, _) => true,
        (DataKind::String | DataKind::DateTime, Value::String(_)) => true,
        (DataKind::Boolean, Value::Bool(_)) | (DataKind::Number, Value::Number(_)) => true,
        (DataKind::Integer, Value::Number(number)) => {
            number.is_i64() || number.as_f64().is_some_and(|float| float.fract() == 0.0)
        }
        (DataKind::Strings, Value::Array(items)) => items.iter().all(Value::is_string),
        _ => false,
    }
}

/// Writes keys as texts that sort like the keys.
pub(crate) fn key_text(key: &RecordKey) -> String {
    match key {
        RecordKey::Integer(number) => format!("{number:020}"),
        other => other.to_string(),
    }
}
