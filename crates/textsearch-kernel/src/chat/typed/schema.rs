//! The schema of a type, as a model that must fill it in reads it.

use std::sync::Arc;

use schemars::{JsonSchema, Schema, generate::SchemaSettings, transform::RecursiveTransform};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::{
    function::ValueCheck,
    read::{ReadError, read_value},
    schema::schema_of_input,
};

/// Returns the mistake of a wrong answer as the error.
pub(super) type Reader<T> = dyn Fn(Value) -> Result<T, String> + Send + Sync;

pub(super) struct TypeSchema<T> {
    pub(super) name: String,
    pub(super) schema: Value,
    pub(super) read: Arc<Reader<T>>,
}

// Services accept only objects at the root. No doc comment: the model would read it.
#[derive(Deserialize, JsonSchema)]
struct Wrapped<T> {
    answer: T,
}

impl<T: DeserializeOwned + JsonSchema + 'static> TypeSchema<T> {
    pub(super) fn new() -> Self {
        let schema = schema_of_answer::<T>();
        let is_object = schema.get("type").is_some_and(|name| name == "object");
        let is_one = !["anyOf", "oneOf"].iter().any(|word| schema.get(word).is_some());
        let name = name_of::<T>();
        if is_object && is_one {
            return Self { name, schema, read: reader::<T, T>(|value| value) };
        }
        let schema = schema_of_answer::<Wrapped<T>>();
        Self { name, schema, read: reader::<Wrapped<T>, T>(|wrapped| wrapped.answer) }
    }
}

fn reader<W, T>(unwrap: fn(W) -> T) -> Arc<Reader<T>>
where
    W: DeserializeOwned + JsonSchema + 'static,
    T: 'static,
{
    let check = ValueCheck::of_whole_schema(&schema_of_input::<W>());
    Arc::new(move |value| {
        let read = read_value::<W>(&value).map_err(|error| mistake(&error))?;
        // The type says nothing about bounds.
        match check.apply(value) {
            Ok(_) => Ok(unwrap(read)),
            Err(error) => Err(mistake(&ReadError::new(&error.path, &error.message))),
        }
    })
}

pub(super) fn mistake(error: &ReadError) -> String {
    format!("the answer has a mistake at {error}")
}

/// Requires every field. Strict services do so anyway, and let the model write null for an optional
/// field, which `#[serde(default)]` can't read.
fn schema_of_answer<T: JsonSchema>() -> Value {
    let require_all = RecursiveTransform(|schema: &mut Schema| {
        let properties = schema.get("properties").and_then(Value::as_object);
        if let Some(names) =
            properties.map(|properties| json!(properties.keys().collect::<Vec<_>>()))
        {
            schema.insert("required".to_owned(), names);
        }
    });
    let mut settings = SchemaSettings::draft2020_12().with_transform(require_all);
    settings.meta_schema = None;
    settings.into_generator().into_root_schema_for::<T>().into()
}

/// As services accept names.
fn name_of<T: JsonSchema>() -> String {
    let is_allowed =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    let name = T::schema_name();
    name.chars()
        .map(|character| if is_allowed(character) { character } else { '_' })
        .take(64)
        .collect()
}
