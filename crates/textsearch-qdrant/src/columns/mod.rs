//! Columns: extra payload fields that filters read, written together with the record.
//!
//! Qdrant compares loosely: a condition on a field matches any element of a list, numbers lose bits
//! beyond 53, dates are cut to microseconds, and texts have no order. So only *plain* values, by
//! far the most common, are queried in their own payload field. For any other value, the point
//! lists the field's name, and conditions read the field's *columns*.

mod canonical;
mod text_order;

use qdrant_client::qdrant::{ListValue, Struct, Value, value::Kind};
use serde_json::Value as JsonValue;
use textsearch_core::{filter::DateTime, vector::DataKind};

pub(crate) use self::{
    canonical::{canonical_date, canonical_filter, canonical_json},
    text_order::{LONGEST_COMPARED, part_name, parts, parts_of_prefix},
};

pub(crate) const TEXT: &str = "text";

pub(crate) const ORDER: &str = "order";

/// A number that a float represents exactly.
pub(crate) const NUMBER: &str = "number";

/// The halves of an integer that no float represents exactly.
pub(crate) const HIGH: &str = "high";
pub(crate) const LOW: &str = "low";

pub(crate) const BOOLEAN: &str = "boolean";

/// The instant of a text that is a date.
pub(crate) const SECONDS: &str = "seconds";
pub(crate) const NANOSECONDS: &str = "nanoseconds";

pub(crate) const LIST: &str = "list";

/// One text for each element of a list.
pub(crate) const ELEMENTS: &str = "elements";

/// Floats represent every integer up to this magnitude exactly.
pub(crate) const LARGEST_FLOAT: i128 = 1 << 53;

pub(crate) struct Columns {
    pub(crate) columns: Vec<(&'static str, Value)>,
    pub(crate) is_in_columns: bool,
}

pub(crate) fn columns(value: &JsonValue, kind: DataKind, is_ordered: bool) -> Columns {
    let is_in_columns = !value.is_null() && !is_plain(value, kind);
    let mut columns = Vec::new();
    match value {
        JsonValue::String(text) => {
            if is_ordered {
                columns.push(order_column(text));
            }
            text_columns(text, kind, is_in_columns, &mut columns);
        }
        JsonValue::Array(items) => list_columns(value, items, is_in_columns, &mut columns),
        JsonValue::Number(number) if is_in_columns => number_columns(number, &mut columns),
        JsonValue::Bool(value) if is_in_columns => columns.push((BOOLEAN, (*value).into())),
        _ => {}
    }
    Columns { columns, is_in_columns }
}

/// Returns whether conditions on the field itself can read the value.
fn is_plain(value: &JsonValue, kind: DataKind) -> bool {
    match (kind, value) {
        (DataKind::String, JsonValue::String(_)) | (DataKind::Boolean, JsonValue::Bool(_)) => true,
        (DataKind::Integer, JsonValue::Number(number)) => !number.is_f64() && is_float(number),
        (DataKind::Number, JsonValue::Number(number)) => is_float(number),
        (DataKind::DateTime, JsonValue::String(text)) => is_plain_date(text),
        (DataKind::Strings, JsonValue::Array(items)) => {
            !items.is_empty() && items.iter().all(JsonValue::is_string)
        }
        _ => false,
    }
}

fn is_float(number: &serde_json::Number) -> bool {
    number.is_f64() || integer(number).is_some_and(|number| number.abs() <= LARGEST_FLOAT)
}

fn integer(number: &serde_json::Number) -> Option<i128> {
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}

/// Qdrant reads dates correctly if they have whole microseconds and no leap second.
fn is_plain_date(text: &str) -> bool {
    DateTime::parse(text).is_ok_and(|date| date.unix_nanoseconds() % 1_000 == 0)
        && !text.contains(":60")
}

fn order_column(text: &str) -> (&'static str, Value) {
    let numbered = (0..).zip(parts(text));
    let order = numbered.map(|(place, part)| (part_name(place), part.into()));
    (ORDER, structure(order))
}

fn text_columns(
    text: &str,
    kind: DataKind,
    is_in_columns: bool,
    columns: &mut Vec<(&'static str, Value)>,
) {
    if is_in_columns {
        columns.push((TEXT, text.into()));
    }
    if (is_in_columns || kind != DataKind::DateTime)
        && let Ok(date) = DateTime::parse(text)
    {
        let (seconds, nanoseconds) = seconds_of(date);
        columns.push((SECONDS, seconds.into()));
        columns.push((NANOSECONDS, nanoseconds.into()));
    }
}

/// Seconds are rounded down.
pub(crate) fn seconds_of(date: DateTime) -> (i64, i64) {
    let nanoseconds = date.unix_nanoseconds();
    // Years 0 to 9999 fit easily into 64 bits.
    let seconds = nanoseconds.div_euclid(1_000_000_000);
    let rest = nanoseconds.rem_euclid(1_000_000_000);
    (seconds as i64, rest as i64)
}

fn list_columns(
    value: &JsonValue,
    items: &[JsonValue],
    is_in_columns: bool,
    columns: &mut Vec<(&'static str, Value)>,
) {
    columns.push((LIST, canonical_json(value).into()));
    let dates = items.iter().filter_map(JsonValue::as_str);
    let dates = dates.filter_map(|text| DateTime::parse(text).ok().map(canonical_date));
    let mut elements: Vec<Value> = dates.map(Value::from).collect();
    if is_in_columns {
        elements.extend(items.iter().map(|item| Value::from(canonical_json(item))));
    }
    if !elements.is_empty() {
        columns.push((ELEMENTS, values(elements)));
    }
}

fn number_columns(number: &serde_json::Number, columns: &mut Vec<(&'static str, Value)>) {
    match integer(number).filter(|number| number.abs() > LARGEST_FLOAT) {
        Some(large) => {
            let (high, low) = halves(large);
            columns.push((HIGH, high.into()));
            columns.push((LOW, low.into()));
        }
        None => columns.push((NUMBER, number.as_f64().unwrap_or_default().into())),
    }
}

/// Floats represent both halves exactly, and the pairs sort like the integers.
pub(crate) fn halves(number: i128) -> (f64, f64) {
    ((number >> 32) as f64, (number & 0xffff_ffff) as f64)
}

pub(crate) fn values(values: Vec<Value>) -> Value {
    Kind::ListValue(ListValue { values }).into()
}

pub(crate) fn structure(fields: impl IntoIterator<Item = (String, Value)>) -> Value {
    Kind::StructValue(Struct { fields: fields.into_iter().collect() }).into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn names(value: JsonValue, kind: DataKind) -> (Vec<&'static str>, bool) {
        let written = columns(&value, kind, true);
        (written.columns.into_iter().map(|(name, _)| name).collect(), written.is_in_columns)
    }

    #[test]
    fn value_of_field_kind_is_plain_with_few_columns() {
        assert_eq!(names(json!(7), DataKind::Integer), (vec![], false));
        assert_eq!(names(json!(7.5), DataKind::Number), (vec![], false));
        assert_eq!(names(json!(true), DataKind::Boolean), (vec![], false));
        assert_eq!(names(json!("a"), DataKind::String), (vec![ORDER], false));
        assert_eq!(names(json!("2024-01-01"), DataKind::DateTime), (vec![ORDER], false));
        assert_eq!(names(json!(["a"]), DataKind::Strings), (vec![LIST], false));
        assert_eq!(names(json!(null), DataKind::Json), (vec![], false));
    }

    #[test]
    fn text_without_order_has_no_order_columns() {
        let names = |value: JsonValue, kind| {
            let columns = columns(&value, kind, false).columns;
            columns.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        assert!(names(json!("a"), DataKind::String).is_empty());
        assert_eq!(names(json!("a"), DataKind::Integer), [TEXT]);
        assert_eq!(names(json!("2024-01-01"), DataKind::String), [SECONDS, NANOSECONDS]);
    }

    #[test]
    fn value_of_another_kind_is_in_columns() {
        assert_eq!(names(json!(7.5), DataKind::Integer), (vec![NUMBER], true));
        assert_eq!(names(json!(u64::MAX), DataKind::Integer), (vec![HIGH, LOW], true));
        assert_eq!(names(json!("a"), DataKind::Integer), (vec![ORDER, TEXT], true));
        assert_eq!(names(json!(["a"]), DataKind::String), (vec![LIST, ELEMENTS], true));
        assert_eq!(names(json!([]), DataKind::Strings), (vec![LIST], true));
        assert_eq!(names(json!({}), DataKind::Json), (vec![], true));
    }

    #[test]
    fn date_beyond_microseconds_is_in_columns_with_nanoseconds() {
        let written = columns(&json!("1969-12-31T23:59:59.999999999Z"), DataKind::DateTime, true);
        assert!(written.is_in_columns);
        let column =
            |name| written.columns.iter().find(|(column, _)| *column == name).unwrap().1.clone();
        assert_eq!(column(SECONDS), Value::from(-1_i64));
        assert_eq!(column(NANOSECONDS), Value::from(999_999_999_i64));
    }
}
