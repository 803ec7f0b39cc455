//! The columns of a collection, and the values that they can hold.

use serde_json::{Number, Value};
use textsearch_core::{
    Error, Result,
    vector::{DataField, DataKind, KeyKind, RecordDefinition, RecordKey, StoredRecord},
};

use crate::{CONNECTOR, names};

/// The record without its vectors, as JSON.
pub(crate) const DATA: &str = "textsearch_data";

/// The same in pieces, if it is too long for [`DATA`].
pub(crate) const LONG: &str = "textsearch_long";

/// The columns of vectors that the record lacks: they hold a placeholder.
pub(crate) const ABSENT: &str = "textsearch_absent";

/// The words of the record, as a sparse vector.
pub(crate) const TERMS: &str = "textsearch_terms";

/// The dimensions of [`TERMS`], to count the records with a word.
pub(crate) const TERM_NUMBERS: &str = "textsearch_term_numbers";

/// The most bytes of a text in a column.
pub(crate) const LONGEST_TEXT: usize = 65_535;

/// The most elements of a list in a column.
pub(crate) const MAX_ELEMENTS: usize = 4_096;

#[derive(Debug)]
pub(crate) struct Columns {
    pub(crate) key: String,
    pub(crate) key_kind: KeyKind,
    pub(crate) data: Vec<DataColumn>,
    pub(crate) vectors: Vec<VectorColumn>,
    /// Whether there is a sparse vector. A collection must have some vector.
    pub(crate) has_terms: bool,
}

#[derive(Debug)]
pub(crate) struct DataColumn {
    pub(crate) field: String,
    pub(crate) column: String,
    pub(crate) kind: DataKind,
}

#[derive(Debug)]
pub(crate) struct VectorColumn {
    pub(crate) field: String,
    pub(crate) column: String,
    pub(crate) dimensions: usize,
}

impl Columns {
    pub(crate) fn new(definition: &RecordDefinition) -> Self {
        let data = definition.data.iter().filter(|field| has_column(field));
        let data = data.map(|field| DataColumn {
            field: field.name.clone(),
            column: names::encode(&field.name),
            kind: field.kind,
        });
        let vectors = definition.vectors.iter().map(|field| VectorColumn {
            field: field.name.clone(),
            column: names::encode(&field.name),
            dimensions: field.dimensions,
        });
        Self {
            key: names::encode(&definition.key.name),
            key_kind: definition.key.kind,
            data: data.collect(),
            vectors: vectors.collect(),
            has_terms: definition.vectors.is_empty()
                || definition.full_text_fields().next().is_some(),
        }
    }

    pub(crate) fn data(&self, field: &str) -> Option<&DataColumn> {
        self.data.iter().find(|column| column.field == field)
    }

    pub(crate) fn vector(&self, field: &str) -> Option<&VectorColumn> {
        self.vectors.iter().find(|column| column.field == field)
    }

    /// Checks that the columns can hold the record.
    ///
    /// # Errors
    /// Returns `InvalidRecord`, which names the record and the field, for a key or a text that is
    /// too long, a list with too many elements, a value of another kind, and an integer beyond 64
    /// bits with sign.
    pub(crate) fn check(&self, record: &StoredRecord) -> Result<()> {
        if let RecordKey::String(key) = &record.key
            && key.len() > LONGEST_TEXT
        {
            let fault = format!("its key has {} bytes; {TEXT_LIMIT}", key.len());
            return Err(Error::invalid_record(CONNECTOR, key, fault));
        }
        for column in &self.data {
            let value = record.data.get(&column.field).unwrap_or(&Value::Null);
            if let Some(fault) = fault(value, column.kind) {
                let fault = format!("its field `{}` holds {fault}", column.field);
                return Err(Error::invalid_record(CONNECTOR, &record.key, fault));
            }
        }
        Ok(())
    }
}

/// Returns whether a field has a column: filterable texts, numbers, booleans and lists of texts.
///
/// A name with a dot may also be a path to a nested value, which a column does not hold.
pub(crate) fn has_column(field: &DataField) -> bool {
    use DataKind::{Boolean, Integer, Number, String, Strings};

    let is_typed = matches!(field.kind, String | Integer | Number | Boolean | Strings);
    field.filterable && is_typed && !field.name.contains('.')
}

const TEXT_LIMIT: &str = "a column of Milvus holds at most 65535: store a shorter one";

fn fault(value: &Value, kind: DataKind) -> Option<String> {
    match (kind, value) {
        (_, Value::Null)
        | (DataKind::Number, Value::Number(_))
        | (DataKind::Boolean, Value::Bool(_)) => None,
        (DataKind::String, Value::String(text)) => text_fault(text),
        (DataKind::Integer, Value::Number(number)) if integer(number).is_some() => None,
        (DataKind::Strings, Value::Array(items)) if items.iter().all(Value::is_string) => {
            if items.len() > MAX_ELEMENTS {
                let count = items.len();
                return Some(format!("{count} elements; at most {MAX_ELEMENTS} can be filtered"));
            }
            items.iter().find_map(|item| text_fault(item.as_str()?))
        }
        _ => {
            let shown: String = value.to_string().chars().take(80).collect();
            let within = if kind == DataKind::Integer { ", within 64 bits" } else { "" };
            Some(format!("{shown}; store a value of the kind {kind:?}{within}"))
        }
    }
}

fn text_fault(text: &str) -> Option<String> {
    (text.len() > LONGEST_TEXT).then(|| format!("a text of {} bytes; {TEXT_LIMIT}", text.len()))
}

/// Returns the number if it is whole and fits into 64 bits.
pub(crate) fn integer(number: &Number) -> Option<i64> {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    let whole = |float: &f64| float.fract() == 0.0 && (-BEYOND..BEYOND).contains(float);
    let float = || number.as_f64().filter(|_| number.is_f64()).filter(whole);
    number.as_i64().or_else(|| float().map(|float| float as i64))
}

/// Converts an integer key to a number of the server. The upper half of the keys becomes negative.
pub(crate) const fn signed(key: u64) -> i64 {
    key.cast_signed()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use textsearch_core::ErrorKind;

    use super::*;

    fn definition() -> RecordDefinition {
        RecordDefinition::new("id")
            .with_data(DataField::string("title").filterable())
            .with_data(DataField::integer("year").filterable())
            .with_data(DataField::integer("pages"))
            .with_data(DataField::strings("tags").filterable())
            .with_data(DataField::date_time("changed").filterable())
            .with_data(DataField::integer("a.b").filterable())
    }

    fn check(key: &str, data: Value) -> Result<()> {
        let mut data = data.as_object().cloned().unwrap();
        data.insert("id".to_owned(), json!(key));
        let record = StoredRecord::new(data, &definition()).unwrap();
        Columns::new(&definition()).check(&record)
    }

    #[test]
    fn filterable_scalars_and_lists_have_columns() {
        let columns = Columns::new(&definition());
        let names: Vec<_> = columns.data.iter().map(|column| column.column.as_str()).collect();
        assert_eq!(names, ["title", "year", "tags"]);
        assert!(columns.has_terms, "a collection needs some vector");
    }

    #[test]
    fn values_outside_of_columns_may_be_anything() {
        let data = json!({ "pages": "many", "changed": 7, "a.b": "text", "title": null });
        assert!(check("a", data).is_ok());
        assert!(
            check("a", json!({ "year": 3.0, "tags": [], "title": "t".repeat(65_535) })).is_ok()
        );
    }

    #[test]
    fn values_that_no_column_holds_are_refused_by_name() {
        let cases = [
            (json!({ "title": 7 }), "title"),
            (json!({ "title": "é".repeat(32_768) }), "65536 bytes"),
            (json!({ "year": u64::MAX }), "year"),
            (json!({ "year": 2020.5 }), "within 64 bits"),
            (json!({ "tags": ["a", 1] }), "tags"),
            (json!({ "tags": vec!["a"; 4_097] }), "4097 elements"),
            (json!({ "tags": ["t".repeat(65_536)] }), "tags"),
        ];
        for (data, expected) in cases {
            let error = check("a", data).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::InvalidRecord { .. }), "{error}");
            assert!(error.message().contains(expected), "{error}");
            assert!(error.message().contains("`a`"), "{error}");
        }
        assert!(check(&"k".repeat(65_536), json!({})).is_err());
    }

    #[test]
    fn large_integer_keys_become_negative() {
        assert_eq!(signed(7), 7);
        assert_eq!(signed(u64::MAX), -1);
    }
}
