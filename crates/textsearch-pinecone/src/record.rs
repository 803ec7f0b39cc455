//! Metadata: the whole record as JSON text, and the values that filters read.
//!
//! Pinecone's metadata are flat, without null, and numbers are floats. So a field is written only if
//! its value is of the field's kind. A record lists the fields that it lacks (`UNSET`) and those
//! whose value metadata cannot hold (`ODD`), and conditions take these lists into account.

use serde_json::{Map, Number, Value, json};
use textsearch_core::{
    filter::{DateTime, lookup},
    vector::{DataKind, KeyKind, RecordDefinition, StoredRecord},
};
use uuid::Uuid;

use crate::key::HASHES;

/// The whole record except its vector, as JSON text.
pub(crate) const DATA: &str = "_textsearch_data";

/// The state of the vector. Pinecone requires a vector per record, and rejects all-zero vectors.
pub(crate) const VECTOR: &str = "_textsearch_vector";
pub(crate) const GIVEN: &str = "given";
pub(crate) const ZERO: &str = "zero";
pub(crate) const NONE: &str = "none";

/// Fields that are null or missing.
pub(crate) const UNSET: &str = "_textsearch_unset";

/// Fields with a value that metadata cannot hold.
pub(crate) const ODD: &str = "_textsearch_odd";

/// Which fields are written, as a hash: a filter cannot rely on records of another layout.
pub(crate) const LAYOUT: &str = "_textsearch_layout";

/// The begin of names that no field has in metadata.
const RESERVED: &str = "_textsearch_";

/// Floats represent every integer up to this magnitude exactly.
pub(crate) const LARGEST_FLOAT: f64 = 9_007_199_254_740_992.0;

/// A field that filters read.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: DataKind,
}

#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) columns: Vec<Column>,
    pub(crate) hash: String,
}

impl Layout {
    pub(crate) fn new(definition: &RecordDefinition) -> Self {
        let key_kind = match definition.key.kind {
            KeyKind::Integer => DataKind::Integer,
            KeyKind::String | KeyKind::Uuid => DataKind::String,
        };
        let key = Column { name: definition.key.name.clone(), kind: key_kind };
        let data = definition.data.iter().filter(|field| field.filterable);
        let data = data.map(|field| Column { name: field.name.clone(), kind: field.kind });
        let mut columns: Vec<Column> = [key].into_iter().chain(data).collect();
        columns.retain(|column| {
            let is_free = !column.name.starts_with('$') && !column.name.starts_with(RESERVED);
            is_free && column.kind != DataKind::Json
        });
        columns.sort_by(|column, other| column.name.cmp(&other.name));
        let described = columns.iter().map(|column| (column.name.as_str(), column.kind));
        let described = json!(described.collect::<Vec<_>>()).to_string();
        let hash = Uuid::new_v5(&HASHES, described.as_bytes()).simple().to_string();
        Self { columns, hash }
    }

    pub(crate) fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Returns the metadata of a record; `vector` says what its vector is.
    pub(crate) fn metadata(
        &self,
        record: &StoredRecord,
        vector: &str,
    ) -> serde_json::Result<Map<String, Value>> {
        let mut metadata = Map::new();
        metadata.insert(DATA.to_owned(), serde_json::to_string(&record.data)?.into());
        metadata.insert(VECTOR.to_owned(), vector.into());
        metadata.insert(LAYOUT.to_owned(), self.hash.as_str().into());
        let mut unset = Vec::new();
        let mut odd = Vec::new();
        for column in &self.columns {
            let name = &column.name;
            match lookup(&record.data, name) {
                None | Some(Value::Null) => unset.push(name.as_str()),
                Some(value) => match plain(value, column.kind) {
                    Some(plain) => {
                        if let Some(time) = plain.time {
                            metadata.insert(time_of(name), time);
                        }
                        metadata.insert(name.clone(), plain.value);
                    }
                    None => odd.push(name.as_str()),
                },
            }
        }
        for (list, fields) in [(UNSET, unset), (ODD, odd)] {
            if !fields.is_empty() {
                metadata.insert(list.to_owned(), fields.into());
            }
        }
        Ok(metadata)
    }
}

/// The name of a date's instant, in milliseconds since 1970.
pub(crate) fn time_of(field: &str) -> String {
    format!("{RESERVED}time_{field}")
}

struct Plain {
    value: Value,
    time: Option<Value>,
}

/// Returns the value if metadata can hold it so that conditions on it are right.
fn plain(value: &Value, kind: DataKind) -> Option<Plain> {
    let only = |value| Some(Plain { value, time: None });
    match (kind, value) {
        (DataKind::String, Value::String(_)) | (DataKind::Boolean, Value::Bool(_)) => {
            only(value.clone())
        }
        (DataKind::Integer | DataKind::Number, Value::Number(number)) => only(float(number)?),
        (DataKind::DateTime, Value::String(text)) => {
            let time = milliseconds(DateTime::parse(text).ok()?)?;
            Some(Plain { value: value.clone(), time: Some(time.into()) })
        }
        (DataKind::Strings, Value::Array(items)) => {
            let is_plain = !items.is_empty() && items.iter().all(Value::is_string);
            is_plain.then(|| Plain { value: value.clone(), time: None })
        }
        _ => None,
    }
}

/// Pinecone rounds a large integer to a float; here it is certain how.
fn float(number: &Number) -> Option<Value> {
    let float = number.as_f64()?;
    Some(if float.abs() < LARGEST_FLOAT { number.clone().into() } else { float.into() })
}

/// Returns `None` for a fraction of a millisecond.
fn milliseconds(date: DateTime) -> Option<i64> {
    let nanoseconds = date.unix_nanoseconds();
    (nanoseconds % 1_000_000 == 0).then(|| i64::try_from(nanoseconds / 1_000_000).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use textsearch_core::vector::DataField;

    use super::*;

    fn definition() -> RecordDefinition {
        RecordDefinition::new("id")
            .with_data(DataField::string("title").filterable())
            .with_data(DataField::integer("year").filterable())
            .with_data(DataField::date_time("at").filterable())
            .with_data(DataField::strings("tags").filterable())
            .with_data(DataField::string("place.city").filterable())
            .with_data(DataField::string("$set").filterable())
            .with_data(DataField::new("extra", DataKind::Json).filterable())
            .with_data(DataField::string("body"))
    }

    fn metadata(data: Value) -> Value {
        let record = StoredRecord::new(data.as_object().cloned().unwrap(), &definition()).unwrap();
        let mut metadata = Layout::new(&definition()).metadata(&record, GIVEN).unwrap();
        for name in [DATA, VECTOR, LAYOUT] {
            metadata.remove(name).unwrap();
        }
        metadata.into()
    }

    #[test]
    fn values_of_the_kind_are_written() {
        let written = metadata(json!({
            "id": "a", "title": "", "year": 2024, "at": "1970-01-01T01:00:00+00:00", "tags": ["x"],
            "place": { "city": "Rome" }, "$set": "s", "extra": 7, "body": "b"
        }));
        let expected = json!({
            "id": "a", "title": "", "year": 2024, "at": "1970-01-01T01:00:00+00:00",
            "_textsearch_time_at": 3_600_000, "tags": ["x"], "place.city": "Rome"
        });
        assert_eq!(written, expected);
    }

    #[test]
    fn other_values_are_listed() {
        let written = metadata(json!({
            "id": "a", "title": 7, "year": null, "at": "2024-01-01T00:00:00.0001Z", "tags": [],
        }));
        let expected = json!({
            "id": "a", "_textsearch_unset": ["place.city", "year"],
            "_textsearch_odd": ["at", "tags", "title"]
        });
        assert_eq!(written, expected);
        assert_eq!(
            metadata(json!({ "id": "a", "tags": ["a", 1] }))["_textsearch_odd"],
            json!(["tags"])
        );
    }

    #[test]
    fn large_integers_become_floats() {
        let written = metadata(json!({ "id": "a", "year": (1_i64 << 53) + 1 }));
        assert_eq!(written["year"].to_string(), "9007199254740992.0");
    }

    #[test]
    fn layout_depends_on_fields_that_filters_read() {
        let hash = |definition: RecordDefinition| Layout::new(&definition).hash;
        assert_eq!(hash(definition()), hash(definition().with_data(DataField::string("more"))));
        let more = DataField::string("more").filterable();
        assert_ne!(hash(definition()), hash(definition().with_data(more)));
    }
}
