//! Filters and values in terms of the database's columns.

use rusqlite::types::Value as Sql;
use serde_json::{Number, Value};
use textsearch_core::{
    Error, Filter, Result,
    filter::{Comparison, FilterValue, PushDown, Pushed},
    vector::{DataField, DataKind, KeyKind, RecordDefinition, RecordKey, StoredRecord},
};

use crate::CONNECTOR;

/// SQLite reads each operator as one level of depth, and allows 1,000.
const MAX_VALUES: usize = 500;

/// Returns the SQL that preselects the records, with its parameters. The caller checks each record
/// again.
pub(crate) fn preselection(
    filter: Option<&Filter>,
    definition: &RecordDefinition,
) -> (String, Vec<Sql>) {
    match filter.map(|filter| filter.push_down(&Columns(definition))) {
        Some(Pushed::Never) => ("FALSE".to_owned(), Vec::new()),
        Some(Pushed::Exact(condition) | Pushed::Superset(condition))
            if condition.values.len() <= MAX_VALUES =>
        {
            (condition.sql, condition.values)
        }
        _ => ("TRUE".to_owned(), Vec::new()),
    }
}

/// SQL with a `?` for each value.
struct Condition {
    sql: String,
    values: Vec<Sql>,
}

impl Condition {
    fn joined(conditions: Vec<Self>, operator: &str) -> Self {
        let mut parts = Vec::new();
        let mut values = Vec::new();
        for condition in conditions {
            parts.push(condition.sql);
            values.extend(condition.values);
        }
        Self { sql: format!("({})", parts.join(operator)), values }
    }
}

/// Compares texts, integers and truth values. The caller checks everything else.
struct Columns<'a>(&'a RecordDefinition);

impl PushDown for Columns<'_> {
    type Condition = Condition;

    fn compare(
        &self,
        field: &str,
        operator: Comparison,
        value: &FilterValue,
    ) -> Pushed<Condition> {
        let Some((column, kind)) = column(field, self.0) else { return Pushed::Unknown };
        let sign = match operator {
            Comparison::Eq => "=",
            Comparison::Lt => "<",
            Comparison::Le => "<=",
            Comparison::Gt => ">",
            Comparison::Ge => ">=",
            _ => return Pushed::Unknown,
        };
        let value = match (kind, value) {
            // SQLite orders texts by code point, as filters do.
            (DataKind::String, FilterValue::String(text)) => Sql::Text(text.clone()),
            (DataKind::Integer, FilterValue::Integer(number)) => Sql::Integer(*number),
            (DataKind::Boolean, FilterValue::Bool(value)) if operator == Comparison::Eq => {
                Sql::Integer((*value).into())
            }
            _ => return Pushed::Unknown,
        };
        Pushed::Exact(Condition { sql: format!("{column} {sign} ?"), values: vec![value] })
    }

    fn exists(&self, _: &str) -> Pushed<Condition> {
        Pushed::Unknown
    }

    fn all(&self, conditions: Vec<Condition>) -> Condition {
        Condition::joined(conditions, " AND ")
    }

    fn any(&self, conditions: Vec<Condition>) -> Condition {
        Condition::joined(conditions, " OR ")
    }

    /// A comparison with null is null, and so is its negation: `NOT` would lose records.
    fn not(&self, condition: Condition) -> Condition {
        Condition { sql: format!("({}) IS NOT TRUE", condition.sql), ..condition }
    }
}

/// Returns the SQL of a field's value, and its kind. Fields with a dot in their name may be paths into
/// nested data, so the database can't know them.
fn column(name: &str, definition: &RecordDefinition) -> Option<(String, DataKind)> {
    if name == definition.key.name {
        let is_text = definition.key.kind != KeyKind::Integer;
        return is_text.then(|| ("\"key\"".to_owned(), DataKind::String));
    }
    let field = definition.data_field(name).filter(|field| is_indexed(field))?;
    let name = name.replace('\'', "''");
    let value = format!(
        "(SELECT value FROM fields WHERE fields.collection = records.collection \
         AND fields.key = records.key AND fields.field = '{name}')"
    );
    Some((value, field.kind))
}

/// Floats round large integers, so the caller compares numbers.
fn is_indexed(field: &DataField) -> bool {
    let is_scalar =
        matches!(field.kind, DataKind::String | DataKind::Integer | DataKind::Boolean);
    field.filterable && is_scalar && !field.name.contains(['.', '\0'])
}

/// Returns the values that filters compare, by field.
///
/// # Errors
/// Returns `InvalidRecord` for a value of another kind than defined, and for an integer that isn't a
/// signed 64-bit one.
pub(crate) fn values<'a>(
    record: &StoredRecord,
    definition: &'a RecordDefinition,
) -> Result<Vec<(&'a str, Sql)>> {
    let mut values = Vec::new();
    for field in &definition.data {
        let value = record.data.get(&field.name).unwrap_or(&Value::Null);
        let Some(sql) = sql_of(value, field.kind) else {
            let key = &record.key;
            let name = &field.name;
            let kind = field.kind;
            let fault = format!(
                "its field `{name}` holds another kind of value; store one of the kind {kind:?}"
            );
            return Err(Error::invalid_record(CONNECTOR, key, fault));
        };
        if is_indexed(field) && sql != Sql::Null {
            values.push((field.name.as_str(), sql));
        }
    }
    Ok(values)
}

/// `None` for a value that doesn't fit, and null for one that no column holds.
fn sql_of(value: &Value, kind: DataKind) -> Option<Sql> {
    match (kind, value) {
        (_, Value::Null) | (DataKind::Json, _) => Some(Sql::Null),
        (DataKind::String, Value::String(text)) => Some(Sql::Text(text.clone())),
        (DataKind::DateTime, Value::String(_)) => Some(Sql::Null),
        (DataKind::Boolean, Value::Bool(value)) => Some(Sql::Integer((*value).into())),
        (DataKind::Number, Value::Number(number)) => number.as_f64().map(Sql::Real),
        (DataKind::Integer, Value::Number(number)) => integer(number).map(Sql::Integer),
        (DataKind::Strings, Value::Array(items)) => {
            items.iter().all(Value::is_string).then_some(Sql::Null)
        }
        _ => None,
    }
}

fn integer(number: &Number) -> Option<i64> {
    // 2^63, the first float that is no signed 64-bit integer.
    const END: f64 = 9_223_372_036_854_775_808.0;
    let float = number.as_f64().filter(|float| float.fract() == 0.0 && (-END..END).contains(float));
    number.as_i64().or_else(|| float.filter(|_| number.is_f64()).map(|float| float as i64))
}

/// Writes keys as texts that sort like the keys.
pub(crate) fn key_text(key: &RecordKey) -> String {
    match key {
        RecordKey::Integer(number) => format!("{number:020}"),
        other => other.to_string(),
    }
}
