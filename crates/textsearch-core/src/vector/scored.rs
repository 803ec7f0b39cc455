//! A record with its score.

use std::{borrow::Cow, sync::Arc};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::Value;

use super::{CollectionRecord, RecordDefinition};
use crate::{Result, TextSearchRecord, TextSearchResult};

/// The name under which the score stands beside the fields of a record.
const SCORE: &str = "Score";

/// A record that a search found, and how well it fits.
///
/// It serialises as the record's own fields and a `Score`, unless the record has a field of that name itself.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Scored<R> {
    /// The record.
    pub record: R,
    /// How well it fits, on the scale of the search that found it.
    pub score: f64,
    definition: Arc<RecordDefinition>,
}

impl<R> Scored<R> {
    /// The `record` of a collection with `definition`, and its `score`.
    pub fn new(record: R, score: f64, definition: Arc<RecordDefinition>) -> Self {
        Self { record, score, definition }
    }

    /// The same score for what `change` makes of the record.
    ///
    /// # Errors
    ///
    /// That of `change`.
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
            // Embeddings are of no use to a reader of results and would drown the rest.
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
        // Records of the same name are not of the same type.
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
