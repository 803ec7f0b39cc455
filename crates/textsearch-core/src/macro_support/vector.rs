//! Records between a type and its stored form, with the vectors moved.

use std::{borrow::Cow, mem, sync::Arc};

use serde::Serialize;
use serde_json::{Map, Value};

use crate::{
    Error, ErrorKind, Result, TextSearchResult,
    vector::{RecordDefinition, StoredRecord, VectorRecord, Vectors, to_data, value_as_text},
};

/// A field that can hold a vector.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot hold a vector",
    label = "a `Vec<f32>`, a `Box<[f32]>`, an `Arc<[f32]>`, an `[f32; N]`, or an `Option` of one"
)]
pub trait VectorValue: Sized {
    /// What stands in the record's JSON while the vector is apart.
    fn placeholder() -> Value;

    /// Takes the vector out; nothing where the field holds none.
    fn take(&mut self) -> Option<Arc<[f32]>>;

    /// The field with `vector`.
    ///
    /// # Errors
    ///
    /// The number of elements that there should be.
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

/// The stored form of a record whose vectors were taken out.
///
/// # Errors
///
/// Those of [`StoredRecord::from_serialize`].
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

/// The vectors that are there, of those that a record can have.
pub fn present<const N: usize>(vectors: [(&str, Option<Arc<[f32]>>); N]) -> Vectors {
    let there = vectors.into_iter().filter_map(|(name, vector)| Some((name.to_owned(), vector?)));
    there.collect()
}

/// The record of a stored one, with something else in place of its vectors, and what puts one of them back.
///
/// # Errors
///
/// Those of [`StoredRecord::into_deserialize`].
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

/// The text of a field of a record, as far as the record can tell it by itself.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "generated code makes it")]
pub enum FieldText<'a> {
    /// It has this text.
    Text(Cow<'a, str>),
    /// It is null.
    Null,
    /// It is to be looked for in the record's JSON.
    Elsewhere,
}

impl<'a> From<Option<Cow<'a, str>>> for FieldText<'a> {
    fn from(text: Option<Cow<'a, str>>) -> Self {
        text.map_or(Self::Null, Self::Text)
    }
}

/// The text of a field that is written as JSON by itself.
pub fn value_text<'a>(value: &(impl Serialize + ?Sized)) -> FieldText<'a> {
    match serde_json::to_value(value) {
        Ok(Value::Null) => FieldText::Null,
        Ok(Value::String(text)) => FieldText::Text(Cow::Owned(text)),
        Ok(value) => FieldText::Text(Cow::Owned(value_as_text(&value).into_owned())),
        Err(_) => FieldText::Elsewhere,
    }
}

/// The text of a record, made of the texts of its fields.
pub fn text_of<'a, R: VectorRecord>(
    record: &'a R,
    definition: &RecordDefinition,
    field: impl Fn(&str) -> FieldText<'a>,
) -> Cow<'a, str> {
    definition.text_by(&reader(record, field))
}

/// The result of a record, made of the texts of its fields.
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
    // Only what the record cannot tell by itself, such as a path into an object, is worth writing it as JSON.
    let whole = std::cell::OnceCell::<Map<String, Value>>::new();
    move |name| match field(name) {
        FieldText::Text(text) => Some(text),
        FieldText::Null => None,
        FieldText::Elsewhere => {
            let data = whole.get_or_init(|| to_data(record).unwrap_or_default());
            let value = crate::filter::lookup(data, name).filter(|value| !value.is_null())?;
            Some(Cow::Owned(value_as_text(value).into_owned()))
        }
    }
}
