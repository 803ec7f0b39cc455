//! Definitions of records, made at run time.

mod filters;
mod same_fields;
mod schema;
mod validation;

use serde::{Deserialize, Serialize};

pub use same_fields::check_same_fields;

use super::{Distance, Distribution, IndexKind, Quantization};
use crate::{Error, Result, languages::language_code};

/// The shape of a collection's records: a key, data fields and vectors. Only the key is required.
///
/// ```
/// use textsearch_core::vector::{DataField, RecordDefinition, VectorField};
///
/// let definition = RecordDefinition::new("id")
///     .with_data(DataField::string("title").full_text())
///     .with_data(DataField::string("body").full_text())
///     .with_data(DataField::string("url"))
///     .with_data(DataField::integer("year").filterable())
///     .with_vector(VectorField::new("embedding", 384).embedded_from(["title", "body"]))
///     .with_name_field("title")
///     .with_value_field("body")
///     .with_link_field("url");
/// definition.validate("docs")?;
/// # Ok::<(), textsearch_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RecordDefinition {
    /// The identifier.
    pub key: KeyField,
    /// The fields that are stored, searched and filtered on.
    #[serde(default)]
    pub data: Vec<DataField>,
    /// The fields that hold embeddings.
    #[serde(default)]
    pub vectors: Vec<VectorField>,
    /// The data field that is the name of a [`TextSearchResult`](crate::TextSearchResult).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name_field: Option<String>,
    /// The data field that is the value and text of a result; all full-text fields if unset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_field: Option<String>,
    /// The data field that is the link of a result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link_field: Option<String>,
    /// The data field with a record's publication date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published_field: Option<String>,
    /// How the records are distributed over a cluster.
    #[serde(default)]
    pub distribution: Distribution,
}

/// The field that identifies a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct KeyField {
    /// The name of the field in the record's JSON.
    pub name: String,
    /// The kind of the keys.
    pub kind: KeyKind,
    /// Whether filters can order text keys; true by default. See [`DataField::without_text_order`].
    #[serde(default = "is_ordered", skip_serializing_if = "is_true")]
    pub text_order: bool,
}

/// The kind of keys.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "each store writes all kinds")]
pub enum KeyKind {
    /// Any text that is not empty.
    #[default]
    String,
    /// An unsigned integer.
    Integer,
    /// A UUID, as 36 lower-case characters. Other spellings are rewritten.
    Uuid,
}

/// A stored data field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DataField {
    /// The name of the field in the record's JSON.
    pub name: String,
    /// A description of the content, for a person or a model.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The kind of the values.
    pub kind: DataKind,
    /// Whether a filter may name the field.
    #[serde(default)]
    pub filterable: bool,
    /// How the words of the field are searched. `None` excludes the field from full-text search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_text: Option<FullText>,
    /// Whether filters on the field are offered to a model by default.
    #[serde(default)]
    pub offered_to_model: bool,
    /// Whether filters can order the texts; true by default. See
    /// [`without_text_order`](Self::without_text_order).
    #[serde(default = "is_ordered", skip_serializing_if = "is_true")]
    pub text_order: bool,
}

/// For definitions written before the setting existed.
const fn is_ordered() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_true(setting: &bool) -> bool {
    *setting
}

/// The kind of a data field's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive] // Stores learn new kinds of data.
pub enum DataKind {
    /// Text.
    String,
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// True or false.
    Boolean,
    /// A point in time, as RFC 3339 text.
    DateTime,
    /// A list of texts.
    Strings,
    /// Anything that JSON can hold.
    Json,
}

/// How the words of a field are searched.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FullText {
    /// The language of stemming and stop words, as an ISO 639-1 code such as `en`. `None` applies
    /// neither.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The assumed mean number of terms in the field, stop words excluded. Longer texts count for
    /// less. `None` uses the actual mean, or a guess if the store does not know it. With a number,
    /// all stores rank alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_length: Option<f64>,
    /// The weight of the field when several fields are searched. `None` means 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
}

/// A field that holds an embedding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct VectorField {
    /// The name of the field.
    pub name: String,
    /// The number of elements of each vector.
    pub dimensions: usize,
    /// How two vectors are compared; cosine similarity by default.
    #[serde(default)]
    pub distance: Distance,
    /// The vector index; exact search by default.
    #[serde(default)]
    pub index: IndexKind,
    /// The data fields to embed if a record lacks this vector.
    #[serde(default)]
    pub embedded_from: Vec<String>,
    /// How vectors may be compressed; uncompressed by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantization: Option<Quantization>,
    /// Whether to keep the vectors on disk if the backend can; false by default.
    #[serde(default)]
    pub on_disk: bool,
}

impl RecordDefinition {
    /// Makes a definition with only text keys in the field `key`.
    pub fn new(key: impl Into<String>) -> Self {
        Self {
            key: KeyField { name: key.into(), kind: KeyKind::String, text_order: true },
            data: Vec::new(),
            vectors: Vec::new(),
            name_field: None,
            value_field: None,
            link_field: None,
            published_field: None,
            distribution: Distribution::default(),
        }
    }

    /// Sets the kind of the keys.
    #[must_use]
    pub fn with_key_kind(mut self, kind: KeyKind) -> Self {
        self.key.kind = kind;
        self
    }

    /// Disables ordering filters on text keys: see [`DataField::without_text_order`].
    #[must_use]
    pub fn without_key_order(mut self) -> Self {
        self.key.text_order = false;
        self
    }

    /// Adds a data field.
    #[must_use]
    pub fn with_data(mut self, field: DataField) -> Self {
        self.data.push(field);
        self
    }

    /// Adds a vector field.
    #[must_use]
    pub fn with_vector(mut self, field: VectorField) -> Self {
        self.vectors.push(field);
        self
    }

    /// Sets [`name_field`](Self::name_field).
    #[must_use]
    pub fn with_name_field(mut self, field: impl Into<String>) -> Self {
        self.name_field = Some(field.into());
        self
    }

    /// Sets [`value_field`](Self::value_field).
    #[must_use]
    pub fn with_value_field(mut self, field: impl Into<String>) -> Self {
        self.value_field = Some(field.into());
        self
    }

    /// Sets [`link_field`](Self::link_field).
    #[must_use]
    pub fn with_link_field(mut self, field: impl Into<String>) -> Self {
        self.link_field = Some(field.into());
        self
    }

    /// Sets [`published_field`](Self::published_field).
    #[must_use]
    pub fn with_published_field(mut self, field: impl Into<String>) -> Self {
        self.published_field = Some(field.into());
        self
    }

    /// Sets [`distribution`](Self::distribution).
    #[must_use]
    pub fn with_distribution(mut self, distribution: Distribution) -> Self {
        self.distribution = distribution;
        self
    }

    /// Returns the data field `name`.
    pub fn data_field(&self, name: &str) -> Option<&DataField> {
        self.data.iter().find(|field| field.name == name)
    }

    /// Returns the vector field `name`, or the first one if `name` is `None`.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](crate::ErrorKind::InvalidOptions), which names `connector`, if
    /// there is no such field.
    pub fn vector_field(&self, name: Option<&str>, connector: &str) -> Result<&VectorField> {
        let field = match name {
            Some(name) => self.vectors.iter().find(|field| field.name == name),
            None => self.vectors.first(),
        };
        field.ok_or_else(|| {
            let names: Vec<&str> = self.vectors.iter().map(|field| field.name.as_str()).collect();
            let allowed = match names.as_slice() {
                [] => "none: the collection has no vectors".to_owned(),
                names => names.join(", "),
            };
            Error::invalid_options(connector, "vector_field", name.unwrap_or("not set"), allowed)
        })
    }

    /// Returns the data fields that full-text search reads.
    pub fn full_text_fields(&self) -> impl Iterator<Item = &DataField> {
        self.data.iter().filter(|field| field.full_text.is_some())
    }

    /// Checks that a text can be searched by its words, without an embedding generator.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](crate::ErrorKind::InvalidOptions), which names `connector`, if
    /// there is no full-text field.
    pub fn check_text_input(&self, connector: &str) -> Result<()> {
        if self.full_text_fields().next().is_some() {
            return Ok(());
        }
        let allowed = "a vector, an embedding generator (`VectorStoreExt::with_embedding_generator`), \
                       or a full-text field (`DataField::full_text`)";
        let value = "a text, without an embedding generator and without a full-text field";
        Err(Error::invalid_options(connector, "input", value, allowed))
    }

    /// Returns the full-text fields in `names`, or all if it is empty, in the definition's order.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](crate::ErrorKind::InvalidOptions), which names `connector`, if
    /// there is no full-text field or `names` contains anything else.
    pub fn full_text_fields_among(
        &self,
        names: &[String],
        connector: &str,
    ) -> Result<Vec<&DataField>> {
        let known: Vec<&str> = self.full_text_fields().map(|field| field.name.as_str()).collect();
        let refused = |value: &dyn std::fmt::Display, allowed: &str| {
            Err(Error::invalid_options(connector, "full_text_fields", value, allowed))
        };
        if known.is_empty() {
            let allowed = "a collection with a full-text field: mark one with `DataField::full_text` \
                           or `DataField::full_text_in`";
            return refused(&"used on a collection without any", allowed);
        }
        if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
            return refused(&format_args!("`{name}`"), &known.join(", "));
        }
        let is_wanted = |field: &&DataField| names.is_empty() || names.contains(&field.name);
        Ok(self.full_text_fields().filter(is_wanted).collect())
    }

    /// Returns the names of the key and the data fields.
    pub(super) fn data_names(&self) -> impl Iterator<Item = &str> {
        let data = self.data.iter().map(|field| field.name.as_str());
        std::iter::once(self.key.name.as_str()).chain(data)
    }
}

impl FullText {
    /// Returns the weight; 1 if unset.
    pub fn weight_or_default(&self) -> f64 {
        self.weight.unwrap_or(1.0)
    }
}

impl DataField {
    /// Makes a field that is only stored.
    pub fn new(name: impl Into<String>, kind: DataKind) -> Self {
        Self {
            name: name.into(),
            description: String::new(),
            kind,
            filterable: false,
            full_text: None,
            offered_to_model: false,
            text_order: true,
        }
    }

    /// Makes a text field.
    pub fn string(name: impl Into<String>) -> Self {
        Self::new(name, DataKind::String)
    }

    /// Makes a whole-number field.
    pub fn integer(name: impl Into<String>) -> Self {
        Self::new(name, DataKind::Integer)
    }

    /// Makes a number field.
    pub fn number(name: impl Into<String>) -> Self {
        Self::new(name, DataKind::Number)
    }

    /// Makes a Boolean field.
    pub fn boolean(name: impl Into<String>) -> Self {
        Self::new(name, DataKind::Boolean)
    }

    /// Makes a field for points in time.
    pub fn date_time(name: impl Into<String>) -> Self {
        Self::new(name, DataKind::DateTime)
    }

    /// Makes a field for lists of texts.
    pub fn strings(name: impl Into<String>) -> Self {
        Self::new(name, DataKind::Strings)
    }

    /// Describes the content of the field.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = description.into();
        self
    }

    /// Lets filters name the field.
    #[must_use]
    pub fn filterable(mut self) -> Self {
        self.filterable = true;
        self
    }

    /// Lets filters name the field, and offers them to a model by default.
    #[must_use]
    pub fn offered_to_model(mut self) -> Self {
        self.offered_to_model = true;
        self.filterable()
    }

    /// Disables ordering filters on the field's texts: every store then rejects `<`, `<=`, `>` and
    /// `>=` with a text, and `starts_with`. Stores that cannot compare texts, such as Qdrant, then
    /// write records faster.
    #[must_use]
    pub fn without_text_order(mut self) -> Self {
        self.text_order = false;
        self
    }

    /// Lets full-text search read the field, with words as they are written.
    #[must_use]
    pub fn full_text(mut self) -> Self {
        self.full_text.get_or_insert_default().language = None;
        self
    }

    /// Lets full-text search read the field with the stemming and stop words of `language`: an ISO
    /// 639-1 code such as `en`, or an English name such as `english`.
    ///
    /// [`validate`](RecordDefinition::validate) rejects languages without rules. Use
    /// [`full_text`](Self::full_text) for them.
    #[must_use]
    pub fn full_text_in(mut self, language: impl Into<String>) -> Self {
        let language = language.into();
        let language = language_code(&language).map_or_else(|| language.clone(), str::to_owned);
        self.full_text.get_or_insert_default().language = Some(language);
        self
    }

    /// Sets the [mean number of terms](FullText::mean_length), so that scores do not change with
    /// other records. Turns on full text, without a language unless one was set.
    #[must_use]
    pub fn with_mean_length(mut self, terms: f64) -> Self {
        self.full_text.get_or_insert_default().mean_length = Some(terms);
        self
    }

    /// Sets the weight among several fields: 1 by default; 2 suits titles. Turns on full text,
    /// without a language unless one was set.
    #[must_use]
    pub fn with_weight(mut self, weight: f64) -> Self {
        self.full_text.get_or_insert_default().weight = Some(weight);
        self
    }
}

impl VectorField {
    /// Makes a vector field with `dimensions` elements, cosine similarity and exact search.
    pub fn new(name: impl Into<String>, dimensions: usize) -> Self {
        Self {
            name: name.into(),
            dimensions,
            distance: Distance::default(),
            index: IndexKind::default(),
            embedded_from: Vec::new(),
            quantization: None,
            on_disk: false,
        }
    }

    /// Sets [`distance`](Self::distance).
    #[must_use]
    pub fn with_distance(mut self, distance: Distance) -> Self {
        self.distance = distance;
        self
    }

    /// Sets [`index`](Self::index).
    #[must_use]
    pub fn with_index(mut self, index: impl Into<IndexKind>) -> Self {
        self.index = index.into();
        self
    }

    /// Sets [`quantization`](Self::quantization).
    #[must_use]
    pub fn with_quantization(mut self, quantization: Quantization) -> Self {
        self.quantization = Some(quantization);
        self
    }

    /// Keeps the vectors on disk if the backend can.
    #[must_use]
    pub fn on_disk(mut self) -> Self {
        self.on_disk = true;
        self
    }

    /// Sets the data fields to embed if a record lacks this vector.
    #[must_use]
    pub fn embedded_from<S: Into<String>>(mut self, fields: impl IntoIterator<Item = S>) -> Self {
        self.embedded_from = fields.into_iter().map(Into::into).collect();
        self
    }
}
