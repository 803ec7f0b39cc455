//! Records as stores hold them, and users' record types.

use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::{RecordDefinition, RecordKey, VectorField};
use crate::{
    Error, ErrorKind, Result, TextSearchResult,
    filter::{DateTime, lookup},
};

/// Vectors by the name of their field.
pub type Vectors = BTreeMap<String, Arc<[f32]>>;

/// A record as a store holds it: a key, JSON data, and vectors.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StoredRecord {
    /// The identifier.
    pub key: RecordKey,
    /// The fields, including the key and excluding the vectors.
    pub data: Map<String, Value>,
    /// The vectors by the name of their field.
    pub vectors: Vectors,
}

impl StoredRecord {
    /// Makes a record without vectors.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidRecord`](ErrorKind::InvalidRecord) if the key is missing or of another
    /// kind.
    pub fn new(mut data: Map<String, Value>, definition: &RecordDefinition) -> Result<Self> {
        let key = definition.key.take(&mut data)?;
        Ok(Self { key, data, vectors: BTreeMap::new() })
    }

    /// Adds or replaces a vector.
    #[must_use]
    pub fn with_vector(mut self, field: impl Into<String>, vector: impl Into<Arc<[f32]>>) -> Self {
        self.vectors.insert(field.into(), vector.into());
        self
    }

    /// Makes a record from anything that serialises as an object. Vector fields become vectors,
    /// unless they are null or empty.
    ///
    /// # Errors
    ///
    /// - [`Undecodable`](ErrorKind::Undecodable) if `record` does not serialise as an object.
    /// - [`InvalidRecord`](ErrorKind::InvalidRecord) if the key does not match the definition, or a
    ///   vector is not a list of finite numbers.
    pub fn from_serialize(record: &impl Serialize, definition: &RecordDefinition) -> Result<Self> {
        Self::from_data(Self::data_of(record)?, definition)
    }

    pub(crate) fn data_of(record: &impl Serialize) -> Result<Map<String, Value>> {
        match serde_json::to_value(record).map_err(undecodable)? {
            Value::Object(data) => Ok(data),
            _ => {
                let message = "a record must serialise as an object";
                Err(Error::new(ErrorKind::Undecodable, "record", message))
            }
        }
    }

    pub(crate) fn from_data(
        mut data: Map<String, Value>,
        definition: &RecordDefinition,
    ) -> Result<Self> {
        let key = definition.key.take(&mut data)?;
        let mut vectors = BTreeMap::new();
        for VectorField { name, .. } in &definition.vectors {
            let vector = data.remove(name).map_or(Ok(None), |value| elements(&value));
            let vector = vector.map_err(|fault| {
                Error::invalid_record("record", &key, format_args!("its vector `{name}` {fault}"))
            })?;
            vectors.extend(vector.map(|vector| (name.clone(), vector)));
        }
        Ok(Self { key, data, vectors })
    }

    /// Converts the record to any type that deserialises from an object. Vectors become lists of
    /// numbers.
    ///
    /// # Errors
    ///
    /// Returns [`Undecodable`](ErrorKind::Undecodable) if the fields do not match the type.
    pub(crate) fn into_deserialize<R: DeserializeOwned>(self) -> Result<R> {
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

fn elements(value: &Value) -> Result<Option<Arc<[f32]>>, String> {
    let items = match value {
        Value::Null => return Ok(None),
        Value::Array(items) => items,
        _ => return Err("isn't a list: expected a list of numbers".to_owned()),
    };
    let element = |(place, item): (usize, &Value)| {
        let element = item.as_f64().map(|element| element as f32);
        element.filter(|element| element.is_finite()).ok_or_else(|| {
            let value = match item {
                Value::Null => "null, which NaN and infinity are in JSON,",
                Value::Number(_) => "a number beyond 32 bits",
                _ => "a value that isn't a number",
            };
            format!("holds {value} at index {place}: expected are finite numbers")
        })
    };
    let vector: Arc<[f32]> = items.iter().enumerate().map(element).collect::<Result<_, _>>()?;
    Ok(Some(vector).filter(|vector| !vector.is_empty()))
}

fn undecodable(error: serde_json::Error) -> Error {
    let message = format!("a record cannot be written as JSON: {error}");
    Error::new(ErrorKind::Undecodable, "record", message).with_source(error)
}

/// Serialises the data alone.
impl Serialize for StoredRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.data.serialize(serializer)
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

/// A record that a collection holds and a text search returns: [`StoredRecord`], or a
/// [`VectorRecord`].
pub trait CollectionRecord: Serialize + JsonSchema + Send + Sync + Sized + 'static {
    /// Converts the record to its stored form.
    ///
    /// # Errors
    ///
    /// [`InvalidRecord`](ErrorKind::InvalidRecord) or [`Undecodable`](ErrorKind::Undecodable) if
    /// the record does not match `definition`.
    fn into_stored(self, definition: &RecordDefinition) -> Result<StoredRecord>;

    /// Converts a stored record to this type.
    ///
    /// # Errors
    ///
    /// [`Undecodable`](ErrorKind::Undecodable) if the fields do not match the type.
    fn from_stored(stored: StoredRecord) -> Result<Self>;

    /// Splits the record into its vectors and a record that equals one read without vectors.
    ///
    /// # Errors
    ///
    /// Errors of [`into_stored`](Self::into_stored) and [`from_stored`](Self::from_stored).
    fn split_vectors(self, definition: &RecordDefinition) -> Result<(Self, Vectors)>;

    /// Returns the text to put into a prompt.
    fn text(&self, definition: &RecordDefinition) -> Cow<'_, str>;

    /// Returns the record as name, value and link.
    fn to_result(&self, definition: &RecordDefinition) -> TextSearchResult;
}

/// A user's type whose values are records.
///
/// The feature `macros` has a derive for it. In a manual implementation, data fields and vectors
/// serialise under the names in the definition. A vector field then needs `#[serde(default)]`,
/// because records are usually read without vectors. An empty list is no vector.
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
    /// Returns the definition of the fields.
    fn definition() -> RecordDefinition;

    /// Converts the record to its stored form.
    ///
    /// # Errors
    ///
    /// Errors of [`StoredRecord::from_serialize`].
    fn into_stored(self, definition: &RecordDefinition) -> Result<StoredRecord> {
        StoredRecord::from_serialize(&self, definition)
    }

    /// Converts a stored record to this type.
    ///
    /// # Errors
    ///
    /// Returns [`Undecodable`](ErrorKind::Undecodable) if the record is of another type.
    fn from_stored(stored: StoredRecord) -> Result<Self> {
        stored.into_deserialize()
    }

    /// Splits the record into its vectors and a record that equals one read without vectors.
    ///
    /// By default, serde writes the record and reads it back, so a field that it does not write is
    /// lost. A search with [diversity](super::VectorStoreTextSearch::with_diversity) rejects a type
    /// whose vectors serde does not write. Derived types do without serde.
    ///
    /// # Errors
    ///
    /// Errors of [`into_stored`](Self::into_stored) and [`from_stored`](Self::from_stored).
    fn split_vectors(self, definition: &RecordDefinition) -> Result<(Self, Vectors)> {
        let mut stored = VectorRecord::into_stored(self, definition)?;
        let vectors = std::mem::take(&mut stored.vectors);
        Ok((<Self as VectorRecord>::from_stored(stored)?, vectors))
    }

    /// Returns the text to put into a prompt.
    fn text_by(&self, definition: &RecordDefinition) -> Cow<'_, str> {
        let data = StoredRecord::data_of(self).unwrap_or_default();
        Cow::Owned(definition.text_of(&data).into_owned())
    }

    /// Returns the record as name, value and link.
    fn result_by(&self, definition: &RecordDefinition) -> TextSearchResult {
        definition.result_of(&StoredRecord::data_of(self).unwrap_or_default())
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

impl RecordDefinition {
    fn text_of<'a>(&self, data: &'a Map<String, Value>) -> Cow<'a, str> {
        self.text_by(&|field| text_in(data, field))
    }

    fn result_of(&self, data: &Map<String, Value>) -> TextSearchResult {
        self.result_by(&|field| text_in(data, field))
    }

    /// `read` returns a field's text, or `None` if it is missing or null.
    pub(crate) fn text_by<'a>(&self, read: &impl Fn(&str) -> Option<Cow<'a, str>>) -> Cow<'a, str> {
        if let Some(field) = &self.value_field {
            return read(field).unwrap_or_default();
        }
        let texts = self.full_text_fields().filter_map(|field| read(&field.name));
        let texts: Vec<Cow<'a, str>> = texts.collect();
        Cow::Owned(texts.join("\n"))
    }

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
