//! A record with its score.

use std::{borrow::Cow, sync::Arc};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::Value;

use super::{CollectionRecord, RecordDefinition};
use crate::{Result, TextSearchRecord, TextSearchResult};

const SCORE: &str = "Score";

/// A record that a search found, with its score.
///
/// Serialises as the record's fields and a `Score`, unless the record has a field of that name.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Scored<R> {
    /// The record.
    pub record: R,
    /// How well the record matches, on the search's scale.
    pub score: f64,
    definition: Arc<RecordDefinition>,
}

impl<R> Scored<R> {
    /// Adds a score to a record of a collection with this `definition`.
    pub fn new(record: R, score: f64, definition: Arc<RecordDefinition>) -> Self {
        Self { record, score, definition }
    }

    /// Converts the record with `change` and keeps the score.
    ///
    /// # Errors
    ///
    /// Any error of `change`.
    pub fn try_map<U>(self, change: impl FnOnce(R) -> Result<U>) -> Result<Scored<U>> {
        Ok(Scored::new(change(self.record)?, self.score, self.definition))
    }
}

impl<R: CollectionRecord> TextSearchRecord for Scored<R> {
    fn text(&self) -> Cow<'_, str> {
        self.record.text(&self.definition)
    }

    fn to_result(&self) -> TextSearchResult {
        self.record.to_result(&self.definition).with_score(self.score)
    }
}

impl<R: Serialize> Serialize for Scored<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut value = serde_json::to_value(&self.record).map_err(S::Error::custom)?;
        if let Value::Object(fields) = &mut value {
            // Embeddings would drown the rest.
            for vector in &self.definition.vectors {
                fields.remove(&vector.name);
            }
            fields.entry(SCORE).or_insert_with(|| Value::from(self.score));
        }
        value.serialize(serializer)
    }
}

impl<R: JsonSchema> JsonSchema for Scored<R> {
    fn schema_name() -> Cow<'static, str> {
        Cow::Owned(format!("Scored{}", R::schema_name()))
    }

    fn schema_id() -> Cow<'static, str> {
        // Different record types may have the same name.
        Cow::Owned(format!("{}::Scored<{}>", module_path!(), R::schema_id()))
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = R::json_schema(generator);
        let fields = schema
            .ensure_object()
            .entry("properties")
            .or_insert_with(|| Value::Object(Default::default()));
        if let Value::Object(fields) = fields {
            let score = json_schema!({ "type": "number", "description": "How well the record fits the query" });
            fields.entry(SCORE).or_insert_with(|| score.into());
        }
        schema
    }
}
