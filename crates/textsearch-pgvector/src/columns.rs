//! The columns of filterable fields, and the values that they can hold.

use serde_json::{Number, Value};
use textsearch_core::{
    Error, Result,
    filter::DateTime,
    vector::{DataField, DataKind, RecordDefinition, RecordKey, StoredRecord},
};

use crate::CONNECTOR;

/// The begin of names that no field may have.
pub(crate) const RESERVED: &str = "textsearch_";

/// A row of a B-tree, with its overhead, has at most 2,704 bytes.
const LONGEST_KEY: usize = 2_600;

/// Returns the name in quotes.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Returns the fields with a column: filterable texts, numbers, booleans and dates.
///
/// A name with a dot may also be a path to a nested value, which a column does not hold.
pub(crate) fn columns(definition: &RecordDefinition) -> impl Iterator<Item = &DataField> {
    definition.data.iter().filter(|field| has_column(field))
}

pub(crate) fn has_column(field: &DataField) -> bool {
    field.filterable && sql_type(field.kind).is_some() && !field.name.contains('.')
}

/// Texts sort by code point.
pub(crate) const TEXT: &str = "text COLLATE \"C\"";

pub(crate) fn sql_type(kind: DataKind) -> Option<&'static str> {
    match kind {
        DataKind::String => Some(TEXT),
        DataKind::Integer => Some("bigint"),
        DataKind::Number => Some("double precision"),
        DataKind::Boolean => Some("boolean"),
        DataKind::DateTime => Some("timestamptz"),
        _ => None,
    }
}

/// Checks that the table can hold the key and the values of all columns.
///
/// # Errors
/// Returns `InvalidRecord` for a key that is too long, a zero byte in a key or a text, a value of
/// another kind, and an integer beyond 64 bits with sign.
pub(crate) fn check_values(record: &StoredRecord, definition: &RecordDefinition) -> Result<()> {
    if let RecordKey::String(key) = &record.key {
        if key.len() > LONGEST_KEY {
            let fault =
                format!("its key has {} bytes; at most {LONGEST_KEY} are possible", key.len());
            return Err(Error::invalid_record(CONNECTOR, key, fault));
        }
        if key.contains('\0') {
            return Err(Error::invalid_record(
                CONNECTOR,
                key,
                "its key holds a zero byte, which Postgres cannot store",
            ));
        }
    }
    for field in columns(definition) {
        let value = record.data.get(&field.name).unwrap_or(&Value::Null);
        if !fits(value, field.kind) {
            let name = &field.name;
            let kind = field.kind;
            let fault = format!(
                "its field `{name}` holds {value}; store a value of the kind {kind:?}, without \
                 zero bytes and within 64 bits"
            );
            return Err(Error::invalid_record(CONNECTOR, &record.key, fault));
        }
    }
    Ok(())
}

pub(crate) fn fits(value: &Value, kind: DataKind) -> bool {
    match (kind, value) {
        (_, Value::Null) => true,
        (DataKind::String, Value::String(text)) => !text.contains('\0'),
        (DataKind::Integer, Value::Number(number)) => integer(number).is_some(),
        (DataKind::Number, Value::Number(_)) | (DataKind::Boolean, Value::Bool(_)) => true,
        (DataKind::DateTime, Value::String(text)) => DateTime::parse(text).is_ok(),
        _ => false,
    }
}

/// Returns the microseconds since 1970 at or before the date: the precision of Postgres.
pub(crate) fn microseconds(date: DateTime) -> i64 {
    // The years 0 to 9999 fit.
    date.unix_nanoseconds().div_euclid(1_000) as i64
}

/// Returns the number if it is whole and fits into the column.
pub(crate) fn integer(number: &Number) -> Option<i64> {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    let whole = |float: &f64| float.fract() == 0.0 && (-BEYOND..BEYOND).contains(float);
    let float = || number.as_f64().filter(|_| number.is_f64()).filter(whole);
    number.as_i64().or_else(|| float().map(|float| float as i64))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use textsearch_core::ErrorKind;

    use super::*;

    fn record(key: &str, data: Value) -> StoredRecord {
        let mut data = data.as_object().cloned().unwrap();
        data.insert("id".to_owned(), json!(key));
        StoredRecord::new(data, &definition()).unwrap()
    }

    fn definition() -> RecordDefinition {
        RecordDefinition::new("id")
            .with_data(DataField::string("title").filterable())
            .with_data(DataField::integer("year").filterable())
            .with_data(DataField::integer("pages"))
            .with_data(DataField::strings("tags").filterable())
            .with_data(DataField::integer("a.b").filterable())
            .with_data(DataField::date_time("at").filterable())
    }

    #[test]
    fn filterable_scalars_have_columns() {
        let definition = definition();
        let names: Vec<_> = columns(&definition).map(|field| field.name.as_str()).collect();
        assert_eq!(names, ["title", "year", "at"]);
    }

    #[test]
    fn values_outside_of_columns_may_be_anything() {
        let data = json!({ "pages": "many", "tags": 7, "a.b": "text", "title": null });
        assert!(check_values(&record("a", data), &definition()).is_ok());
    }

    #[test]
    fn values_that_no_column_holds_are_refused() {
        let long = "k".repeat(LONGEST_KEY + 1);
        let cases = [
            record("a", json!({ "title": 7 })),
            record("a", json!({ "title": "a\0b" })),
            record("a", json!({ "year": u64::MAX })),
            record("a", json!({ "year": 2020.5 })),
            record("a", json!({ "year": 1e19 })),
            record("a", json!({ "at": "soon" })),
            record("a", json!({ "at": 7 })),
            record("a\0b", json!({})),
            record(&long, json!({})),
        ];
        for record in cases {
            let error = check_values(&record, &definition()).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::InvalidRecord { .. }), "{error}");
        }
    }

    #[test]
    fn dates_are_rounded_down() {
        for (text, expected) in [
            ("1970-01-01T00:00:00.000001999Z", 1),
            ("1969-12-31T23:59:59.999999999Z", -1),
            ("0000-01-01", -62_167_219_200_000_000),
        ] {
            assert_eq!(microseconds(DateTime::parse(text).unwrap()), expected, "{text}");
        }
    }

    #[test]
    fn whole_floats_are_integers() {
        let number = |value: Value| value.as_number().cloned().unwrap();
        assert_eq!(integer(&number(json!(3.0))), Some(3));
        assert_eq!(integer(&number(json!(i64::MIN as f64))), Some(i64::MIN));
        assert_eq!(integer(&number(json!(-(i64::MIN as f64)))), None);
        assert_eq!(integer(&number(json!(u64::MAX))), None);
    }
}
