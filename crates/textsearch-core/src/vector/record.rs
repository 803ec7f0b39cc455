//! Records as stores hold them, and the user's own types on top.

use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer, de::DeserializeOwned, ser::SerializeMap as _};
use serde_json::{Map, Value};

use super::{RecordDefinition, RecordKey, VectorField, check::invalid_record};
use crate::{
    Error, ErrorKind, Result, TextSearchResult,
    filter::{DateTime, lookup},
};

/// Vectors by the name of their field.
pub type Vectors = BTreeMap<String, Arc<[f32]>>;

/// A record as a store holds it: a key, JSON data, and vectors, which are never JSON.
///
/// `data` holds the key too, under the name that the definition gives it: so filters and templates see one object.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StoredRecord {
    /// What identifies the record.
    pub key: RecordKey,
    /// The record's fields, the key among them and the vectors not.
    pub data: Map<String, Value>,
    /// The record's vectors by the name of their field.
    pub vectors: Vectors,
}

impl StoredRecord {
    /// A record of `data` without vectors, whose key is the field that `definition` says.
    ///
    /// # Errors
    ///
    /// [`InvalidRecord`](ErrorKind::InvalidRecord) where the key is missing or not of the kind that the definition
    /// says.
    pub fn new(mut data: Map<String, Value>, definition: &RecordDefinition) -> Result<Self> {
        let key = definition.key.take(&mut data)?;
        Ok(Self { key, data, vectors: BTreeMap::new() })
    }

    /// Adds a vector, in place of the one of the same name.
    #[must_use]
    pub fn with_vector(mut self, field: impl Into<String>, vector: impl Into<Arc<[f32]>>) -> Self {
        self.vectors.insert(field.into(), vector.into());
        self
    }

    /// A stored record of anything that serialises as an object; the fields that are vectors become vectors. A record whose
    /// field is null or an empty list has no such vector.
    ///
    /// # Errors
    ///
    /// [`Undecodable`](ErrorKind::Undecodable) where `record` does not serialise as an object, and
    /// [`InvalidRecord`](ErrorKind::InvalidRecord) where its key is not what the definition says, or a vector is no list of
    /// finite numbers.
    pub fn from_serialize(record: &impl Serialize, definition: &RecordDefinition) -> Result<Self> {
        Self::from_data(Self::data_of(record)?, definition)
    }

    /// The fields of anything that serialises as an object.
    pub(crate) fn data_of(record: &impl Serialize) -> Result<Map<String, Value>> {
        match serde_json::to_value(record).map_err(undecodable)? {
            Value::Object(data) => Ok(data),
            _ => {
                let message = "a record must serialise as an object";
                Err(Error::new(ErrorKind::Undecodable, "record", message))
            }
        }
    }

    /// The stored record of all fields; those that are vectors become vectors.
    pub(crate) fn from_data(
        mut data: Map<String, Value>,
        definition: &RecordDefinition,
    ) -> Result<Self> {
        let key = definition.key.take(&mut data)?;
        let mut vectors = BTreeMap::new();
        for VectorField { name, .. } in &definition.vectors {
            let vector = data.remove(name).map_or(Ok(None), |value| elements(&value));
            let vector = vector.map_err(|fault| {
                invalid_record("record", &key, format_args!("its vector `{name}` {fault}"))
            })?;
            vectors.extend(vector.map(|vector| (name.clone(), vector)));
        }
        Ok(Self { key, data, vectors })
    }

    /// The record as a type that deserialises from an object; vectors become lists of numbers.
    ///
    /// # Errors
    ///
    /// [`Undecodable`](ErrorKind::Undecodable) where the fields are not those of the type.
    pub fn into_deserialize<R: DeserializeOwned>(self) -> Result<R> {
        let mut data = self.data;
        for (name, vector) in self.vectors {
            data.insert(name, Value::from(vector.as_ref()));
        }
        serde_json::from_value(Value::Object(data)).map_err(|error| {
            let message = format!("the record `{}` is not of the expected type: {error}", self.key);
            Error::new(ErrorKind::Undecodable, "record", message).with_source(error)
        })
    }
}

/// The vector that a field holds in JSON, if it holds one; what is wrong with it as an error.
fn elements(value: &Value) -> Result<Option<Arc<[f32]>>, String> {
    let items = match value {
        Value::Null => return Ok(None),
        Value::Array(items) => items,
        _ => return Err("is no list: expected is a list of numbers".to_owned()),
    };
    let element = |(place, item): (usize, &Value)| {
        let element = item.as_f64().map(|element| element as f32);
        element.filter(|element| element.is_finite()).ok_or_else(|| {
            let found = match item {
                Value::Null => "null, which NaN and infinity are in JSON,",
                Value::Number(_) => "a number beyond 32 bits",
                _ => "what is no number",
            };
            format!("holds {found} at index {place}: expected are finite numbers")
        })
    };
    let vector: Arc<[f32]> = items.iter().enumerate().map(element).collect::<Result<_, _>>()?;
    Ok(Some(vector).filter(|vector| !vector.is_empty()))
}

fn undecodable(error: serde_json::Error) -> Error {
    let message = format!("a record cannot be written as JSON: {error}");
    Error::new(ErrorKind::Undecodable, "record", message).with_source(error)
}

/// The data alone, as templates and models see it.
impl Serialize for StoredRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.data.len()))?;
        for (name, value) in &self.data {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl JsonSchema for StoredRecord {
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("StoredRecord")
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object" })
    }
}

/// A record that a collection can hold and a text search can return: [`StoredRecord`], or a [`VectorRecord`].
pub trait CollectionRecord: Serialize + JsonSchema + Send + Sync + Sized + 'static {
    /// The record as stores hold it.
    ///
    /// # Errors
    ///
    /// [`InvalidRecord`](ErrorKind::InvalidRecord) or [`Undecodable`](ErrorKind::Undecodable) where it does not have
    /// the shape that `definition` says.
    fn into_stored(self, definition: &RecordDefinition) -> Result<StoredRecord>;

    /// The record that a store held.
    ///
    /// # Errors
    ///
    /// [`Undecodable`](ErrorKind::Undecodable) where the stored fields are not those of the type.
    fn from_stored(stored: StoredRecord) -> Result<Self>;

    /// The record without its vectors, which then are as where it is read without them, and the vectors that it had.
    ///
    /// # Errors
    ///
    /// Those of [`into_stored`](Self::into_stored) and [`from_stored`](Self::from_stored).
    fn split_vectors(self, definition: &RecordDefinition) -> Result<(Self, Vectors)>;

    /// The text to put into a prompt.
    fn text(&self, definition: &RecordDefinition) -> Cow<'_, str>;

    /// The record as name, value and link.
    fn to_result(&self, definition: &RecordDefinition) -> TextSearchResult;
}

/// A type of the user's own whose values are records: it says once what its fields are.
///
/// With the feature `macros` it is derived, which also moves vectors in and out apart from the JSON. By hand, the rest
/// goes by serde: data fields and vectors serialise under the names in the definition. A vector field is then
/// `#[serde(default)]`, since records are usually read without their vectors; an empty list is no vector. A type that can
/// do better overrides the conversions.
///
/// ```
/// use schemars::JsonSchema;
/// use serde::{Deserialize, Serialize};
/// use textsearch_core::{schemars, vector::{DataField, RecordDefinition, VectorRecord}};
///
/// #[derive(Serialize, Deserialize, JsonSchema)]
/// struct Recipe {
///     id: String,
///     title: String,
///     steps: String,
/// }
///
/// impl VectorRecord for Recipe {
///     fn definition() -> RecordDefinition {
///         RecordDefinition::new("id")
///             .with_data(DataField::string("title").full_text_in("en"))
///             .with_data(DataField::string("steps").full_text_in("en"))
///             .with_name_field("title")
///             .with_value_field("steps")
///     }
/// }
/// ```
pub trait VectorRecord: Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static {
    /// What the fields are.
    fn definition() -> RecordDefinition;

    /// The record as stores hold it.
    ///
    /// # Errors
    ///
    /// Those of [`StoredRecord::from_serialize`].
    fn into_stored(self, definition: &RecordDefinition) -> Result<StoredRecord> {
        StoredRecord::from_serialize(&self, definition)
    }

    /// The record that a store held.
    ///
    /// # Errors
    ///
    /// Those of [`StoredRecord::into_deserialize`].
    fn from_stored(stored: StoredRecord) -> Result<Self> {
        stored.into_deserialize()
    }

    /// The record without its vectors, which then are as where it is read without them, and the vectors that it had.
    ///
    /// It is written and read back for this, unless the type is derived or can do better by hand: a field that serde reads
    /// and does not write is lost on the way, and a vector that serde does not write is not found: a search with
    /// [diversity](super::VectorStoreTextSearch::with_diversity) refuses such a type.
    ///
    /// # Errors
    ///
    /// Those of [`into_stored`](Self::into_stored) and [`from_stored`](Self::from_stored).
    fn split_vectors(self, definition: &RecordDefinition) -> Result<(Self, Vectors)> {
        let mut stored = VectorRecord::into_stored(self, definition)?;
        let vectors = std::mem::take(&mut stored.vectors);
        Ok((<Self as VectorRecord>::from_stored(stored)?, vectors))
    }

    /// The text to put into a prompt, by the roles that `definition` gives the fields.
    fn text_by(&self, definition: &RecordDefinition) -> Cow<'_, str> {
        let data = to_data(self).unwrap_or_default();
        Cow::Owned(definition.text_of(&data).into_owned())
    }

    /// The record as name, value and link, by the roles that `definition` gives the fields.
    fn result_by(&self, definition: &RecordDefinition) -> TextSearchResult {
        definition.result_of(&to_data(self).unwrap_or_default())
    }
}

impl<R: VectorRecord> CollectionRecord for R {
    fn into_stored(self, definition: &RecordDefinition) -> Result<StoredRecord> {
        VectorRecord::into_stored(self, definition)
    }

    fn from_stored(stored: StoredRecord) -> Result<Self> {
        VectorRecord::from_stored(stored)
    }

    fn split_vectors(self, definition: &RecordDefinition) -> Result<(Self, Vectors)> {
        VectorRecord::split_vectors(self, definition)
    }

    fn text(&self, definition: &RecordDefinition) -> Cow<'_, str> {
        self.text_by(definition)
    }

    fn to_result(&self, definition: &RecordDefinition) -> TextSearchResult {
        self.result_by(definition)
    }
}

/// The record as a JSON object; nothing where it is none.
pub(crate) fn to_data(record: &impl Serialize) -> Option<Map<String, Value>> {
    match serde_json::to_value(record) {
        Ok(Value::Object(data)) => Some(data),
        _ => None,
    }
}

impl CollectionRecord for StoredRecord {
    fn into_stored(self, _: &RecordDefinition) -> Result<StoredRecord> {
        Ok(self)
    }

    fn from_stored(stored: StoredRecord) -> Result<Self> {
        Ok(stored)
    }

    fn split_vectors(mut self, _: &RecordDefinition) -> Result<(Self, Vectors)> {
        let vectors = std::mem::take(&mut self.vectors);
        Ok((self, vectors))
    }

    fn text(&self, definition: &RecordDefinition) -> Cow<'_, str> {
        definition.text_of(&self.data)
    }

    fn to_result(&self, definition: &RecordDefinition) -> TextSearchResult {
        definition.result_of(&self.data)
    }
}

/// Reading a record by the roles that the definition gives its fields.
impl RecordDefinition {
    fn text_of<'a>(&self, data: &'a Map<String, Value>) -> Cow<'a, str> {
        self.text_by(&|field| text_in(data, field))
    }

    fn result_of(&self, data: &Map<String, Value>) -> TextSearchResult {
        self.result_by(&|field| text_in(data, field))
    }

    /// The text of a record whose fields are read by `read`, which gives nothing for one that is missing or null.
    pub(crate) fn text_by<'a>(&self, read: &impl Fn(&str) -> Option<Cow<'a, str>>) -> Cow<'a, str> {
        if let Some(field) = &self.value_field {
            return read(field).unwrap_or_default();
        }
        let texts = self.full_text_fields().filter_map(|field| read(&field.name));
        let texts: Vec<Cow<'a, str>> = texts.collect();
        Cow::Owned(texts.join("\n"))
    }

    /// The result of a record whose fields are read by `read`.
    pub(crate) fn result_by<'a>(
        &self,
        read: &impl Fn(&str) -> Option<Cow<'a, str>>,
    ) -> TextSearchResult {
        let role = |field: &Option<String>| read(field.as_deref()?).map(Cow::into_owned);
        let mut result = TextSearchResult::new(self.text_by(read));
        result.name = role(&self.name_field);
        result.link = role(&self.link_field).filter(|link| !link.trim().is_empty());
        result.id = read(&self.key.name).map(Cow::into_owned);
        result.published = role(&self.published_field).and_then(|date| DateTime::parse(&date).ok());
        result
    }
}

fn text_in<'a>(data: &'a Map<String, Value>, field: &str) -> Option<Cow<'a, str>> {
    lookup(data, field).filter(|value| !value.is_null()).map(value_as_text)
}

/// The text that a value is in a prompt.
pub(crate) fn value_as_text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => Cow::Borrowed(""),
        Value::String(text) => Cow::Borrowed(text),
        Value::Array(items) => {
            Cow::Owned(items.iter().map(value_as_text).collect::<Vec<_>>().join("\n"))
        }
        other => Cow::Owned(other.to_string()),
    }
}
