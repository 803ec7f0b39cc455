//! Moves vectors between a type and its stored form.

use std::{borrow::Cow, mem, sync::Arc};

use serde::Serialize;
use serde_json::{Map, Value};

use crate::{
    Error, ErrorKind, Result, TextSearchResult,
    vector::{RecordDefinition, StoredRecord, VectorRecord, Vectors, value_as_text},
};

/// A field that can hold a vector.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot hold a vector",
    label = "a `Vec<f32>`, a `Box<[f32]>`, an `Arc<[f32]>`, an `[f32; N]`, or an `Option` of one"
)]
pub trait VectorValue: Sized {
    /// Returns the placeholder in the record's JSON while the vector is stored separately.
    fn placeholder() -> Value;

    /// Takes the vector out; `None` if the field holds none.
    fn take(&mut self) -> Option<Arc<[f32]>>;

    /// Makes the field from `vector`.
    ///
    /// # Errors
    ///
    /// Returns the expected number of elements.
    fn of(vector: Option<Arc<[f32]>>) -> Result<Self, usize>;
}

macro_rules! lists {
    ($($kind:ty),*) => {$(
        impl VectorValue for $kind {
            fn placeholder() -> Value {
                Value::Array(Vec::new())
            }

            fn take(&mut self) -> Option<Arc<[f32]>> {
                let vector = mem::take(self);
                (!vector.is_empty()).then(|| vector.into())
            }

            fn of(vector: Option<Arc<[f32]>>) -> Result<Self, usize> {
                Ok(vector.as_deref().map(<$kind>::from).unwrap_or_default())
            }
        }
    )*};
}

lists!(Vec<f32>, Box<[f32]>);

impl VectorValue for Arc<[f32]> {
    fn placeholder() -> Value {
        Value::Array(Vec::new())
    }

    fn take(&mut self) -> Option<Arc<[f32]>> {
        let vector = mem::take(self);
        (!vector.is_empty()).then_some(vector)
    }

    fn of(vector: Option<Arc<[f32]>>) -> Result<Self, usize> {
        Ok(vector.unwrap_or_default())
    }
}

impl<const N: usize> VectorValue for [f32; N] {
    fn placeholder() -> Value {
        Value::from([0_u8; N].as_slice())
    }

    fn take(&mut self) -> Option<Arc<[f32]>> {
        let vector = mem::replace(self, [0.0; N]);
        vector.iter().any(|element| *element != 0.0).then(|| vector.into())
    }

    fn of(vector: Option<Arc<[f32]>>) -> Result<Self, usize> {
        vector.map_or(Ok([0.0; N]), |vector| Self::try_from(&*vector).map_err(|_| N))
    }
}

impl<T: VectorValue> VectorValue for Option<T> {
    fn placeholder() -> Value {
        Value::Null
    }

    fn take(&mut self) -> Option<Arc<[f32]>> {
        mem::take(self).and_then(|mut vector| vector.take())
    }

    fn of(vector: Option<Arc<[f32]>>) -> Result<Self, usize> {
        vector.map(|vector| T::of(Some(vector))).transpose()
    }
}

/// Returns the stored form of a record whose vectors were taken out.
///
/// # Errors
///
/// Returns the errors of [`StoredRecord::from_serialize`].
pub fn into_stored<R: VectorRecord, const N: usize>(
    record: &R,
    vectors: [(&str, Option<Arc<[f32]>>); N],
    definition: &RecordDefinition,
) -> Result<StoredRecord> {
    let mut data = StoredRecord::data_of(record)?;
    for (name, _) in &vectors {
        data.remove(*name);
    }
    let mut stored = StoredRecord::from_data(data, definition)?;
    stored.vectors.extend(present(vectors));
    Ok(stored)
}

/// Returns the vectors that the record has.
pub fn present<const N: usize>(vectors: [(&str, Option<Arc<[f32]>>); N]) -> Vectors {
    let there = vectors.into_iter().filter_map(|(name, vector)| Some((name.to_owned(), vector?)));
    there.collect()
}

/// Restores a record: fills its vectors with placeholders, then calls `put_back`.
///
/// # Errors
///
/// Returns [`ErrorKind::Undecodable`] if the record is of another type, or if
/// `put_back` rejects the length of a vector.
pub fn from_stored<R: VectorRecord>(
    mut stored: StoredRecord,
    placeholders: impl IntoIterator<Item = (&'static str, Value)>,
    put_back: impl FnOnce(&mut R, &mut Vectors) -> Result<(), (&'static str, usize)>,
) -> Result<R> {
    let mut vectors = mem::take(&mut stored.vectors);
    let key = stored.key.clone();
    stored.data.extend(placeholders.into_iter().map(|(name, value)| (name.to_owned(), value)));
    let mut record: R = stored.into_deserialize()?;
    put_back(&mut record, &mut vectors).map_err(|(field, expected)| {
        let message = format!(
            "the vector `{field}` of the record `{key}` is of another length: the type has {expected} elements"
        );
        Error::new(ErrorKind::Undecodable, "record", message)
    })?;
    Ok(record)
}

/// The text of a record's field, as far as the record can read it directly.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "generated code makes it")]
pub enum FieldText<'a> {
    /// The text.
    Text(Cow<'a, str>),
    /// The field is null.
    Null,
    /// The record's JSON has the text.
    Elsewhere,
}

impl<'a> From<Option<Cow<'a, str>>> for FieldText<'a> {
    fn from(text: Option<Cow<'a, str>>) -> Self {
        text.map_or(Self::Null, Self::Text)
    }
}

/// Returns the text of a field by serialising it alone.
pub fn value_text<'a>(value: &(impl Serialize + ?Sized)) -> FieldText<'a> {
    match serde_json::to_value(value) {
        Ok(Value::Null) => FieldText::Null,
        Ok(Value::String(text)) => FieldText::Text(Cow::Owned(text)),
        Ok(value) => FieldText::Text(Cow::Owned(value_as_text(&value).into_owned())),
        Err(_) => FieldText::Elsewhere,
    }
}

/// Returns the text of a record, from the texts of its fields.
pub fn text_of<'a, R: VectorRecord>(
    record: &'a R,
    definition: &RecordDefinition,
    field: impl Fn(&str) -> FieldText<'a>,
) -> Cow<'a, str> {
    definition.text_by(&reader(record, field))
}

/// Returns the result of a record, from the texts of its fields.
pub fn result_of<'a, R: VectorRecord>(
    record: &'a R,
    definition: &RecordDefinition,
    field: impl Fn(&str) -> FieldText<'a>,
) -> TextSearchResult {
    definition.result_by(&reader(record, field))
}

fn reader<'a, R: VectorRecord>(
    record: &'a R,
    field: impl Fn(&str) -> FieldText<'a>,
) -> impl Fn(&str) -> Option<Cow<'a, str>> {
    // Serialise the record only for a field it cannot read directly, such as a path into an object.
    let whole = std::cell::OnceCell::<Map<String, Value>>::new();
    move |name| match field(name) {
        FieldText::Text(text) => Some(text),
        FieldText::Null => None,
        FieldText::Elsewhere => {
            let data = whole.get_or_init(|| StoredRecord::data_of(record).unwrap_or_default());
            let value = crate::filter::lookup(data, name).filter(|value| !value.is_null())?;
            Some(Cow::Owned(value_as_text(value).into_owned()))
        }
    }
}
