//! Reading of a record's data only what the store needs, without a tree of all of them.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use textsearch_core::vector::KeyKind;

use crate::schema::Schema;

/// What the store reads of the data of a record.
pub(super) struct Skimmed {
    /// Null where there is none.
    pub(super) key: Value,
    /// The values of the filterable fields in the order of the definition, null where there is none.
    pub(super) columns: Vec<Value>,
}

/// Whether nothing else is read of records of this schema: words are not indexed, no filterable field is part of
/// another, and keys are spelled in one way.
pub(super) fn is_enough(schema: &Schema) -> bool {
    schema.text_fields().is_empty()
        && schema.columns().iter().all(|name| !name.contains('.'))
        && schema.definition().key.kind != KeyKind::Uuid
}

/// Reads the data of a record, whose JSON is checked to its end.
pub(super) fn skim(text: &str, schema: &Schema) -> serde_json::Result<Skimmed> {
    let mut json = serde_json::Deserializer::from_str(text);
    let skimmed = json.deserialize_map(Record(schema))?;
    json.end()?;
    Ok(skimmed)
}

struct Record<'a>(&'a Schema);

impl<'de> Visitor<'de> for Record<'_> {
    type Value = Skimmed;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Skimmed, A::Error> {
        let columns = vec![Value::Null; self.0.columns().len()];
        let mut skimmed = Skimmed { key: Value::Null, columns };
        // Of fields of the same name the last one holds, as in a tree.
        while let Some(name) = map.next_key_seed(Name(self.0))? {
            match name {
                Field::Key => skimmed.key = map.next_value()?,
                Field::Column(place) => {
                    let value = map.next_value()?;
                    if let Some(column) = skimmed.columns.get_mut(place) {
                        *column = value;
                    }
                }
                Field::Vector => {
                    if !map.next_value::<Value>()?.is_null() {
                        return Err(A::Error::custom("a vector stands among the data"));
                    }
                }
                Field::Other => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(skimmed)
    }
}

/// What a field is to the store.
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
