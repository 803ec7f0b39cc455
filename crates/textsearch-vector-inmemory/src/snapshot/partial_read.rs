//! Parses the parts of a record's data that the store needs, without building a value tree.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use textsearch_core::vector::KeyKind;

use crate::schema::Schema;

pub(super) struct Part {
    /// Null if missing.
    pub(super) key: Value,
    /// The filterable fields in the order of the definition, null if missing.
    pub(super) columns: Vec<Value>,
}

/// The schema must have no full-text field, no filterable path into a field, and no UUID key.
pub(super) fn is_enough(schema: &Schema) -> bool {
    schema.text_fields().is_empty()
        && schema.columns().iter().all(|name| !name.contains('.'))
        && schema.definition().key.kind != KeyKind::Uuid
}

/// Checks all JSON of the record, so that it can be parsed later.
pub(super) fn read_part(text: &str, schema: &Schema) -> serde_json::Result<Part> {
    let mut json = serde_json::Deserializer::from_str(text);
    let part = json.deserialize_map(Record(schema))?;
    json.end()?;
    Ok(part)
}

/// The data may be damaged after the key.
pub(super) fn key(text: &[u8], schema: &Schema) -> Option<String> {
    let mut json = serde_json::Deserializer::from_slice(text);
    match json.deserialize_map(Key(&schema.definition().key.name)).ok()? {
        Value::String(key) => Some(key),
        Value::Number(key) => Some(key.to_string()),
        _ => None,
    }
}

struct Key<'a>(&'a str);

impl<'de> Visitor<'de> for Key<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut key = Value::Null;
        while let Some(name) = map.next_key::<String>()? {
            if name == self.0 {
                key = map.next_value()?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(key)
    }
}

struct Record<'a>(&'a Schema);

impl<'de> Visitor<'de> for Record<'_> {
    type Value = Part;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Part, A::Error> {
        let columns = vec![Value::Null; self.0.columns().len()];
        let mut part = Part { key: Value::Null, columns };
        // If a name is repeated, the last value counts, as in a value tree.
        while let Some(name) = map.next_key_seed(Name(self.0))? {
            match name {
                Field::Key => part.key = map.next_value()?,
                Field::Column(place) => {
                    let value = map.next_value()?;
                    if let Some(column) = part.columns.get_mut(place) {
                        *column = value;
                    }
                }
                Field::Vector => {
                    if !map.next_value::<Value>()?.is_null() {
                        return Err(A::Error::custom("the data contains a vector"));
                    }
                }
                // What serde ignores may have too large numbers, too deep nesting, or half a surrogate
                // pair, with which a later reading would fail.
                Field::Other => map.next_value::<Value>().map(drop)?,
            }
        }
        Ok(part)
    }
}

enum Field {
    Key,
    Column(usize),
    Vector,
    Other,
}

struct Name<'a>(&'a Schema);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = Field;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Field, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = Field;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the name of a field")
    }

    fn visit_str<E>(self, name: &str) -> Result<Field, E> {
        let definition = self.0.definition();
        if name == definition.key.name {
            return Ok(Field::Key);
        }
        if let Some(place) = self.0.column(name) {
            return Ok(Field::Column(place));
        }
        let is_vector = definition.vectors.iter().any(|field| field.name == name);
        Ok(if is_vector { Field::Vector } else { Field::Other })
    }
}
