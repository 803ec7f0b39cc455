//! A record with its score.

use std::{borrow::Cow, sync::Arc};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::Value;

use super::{CollectionRecord, RecordDefinition, VectorSearchOptions};
use crate::{
    Result, SearchResults, TextSearchRecord, TextSearchResult,
    any_record::EXPLANATION,
    results::{Explanation, ExplanationStep},
};

const SCORE: &str = "Score";

/// A record that a search found, with its score.
///
/// Serialises as the record's fields and a `Score`, and an `Explanation` if it isn't empty, unless the record
/// has a field of that name.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Scored<R> {
    /// The record.
    pub record: R,
    /// How well the record matches, on the search's scale.
    pub score: f64,
    /// Why the record has its place; empty without
    /// [`with_explanation`](super::VectorSearchOptions::with_explanation).
    pub explanation: Explanation,
    definition: Arc<RecordDefinition>,
}

impl<R> Scored<R> {
    /// Adds a score to a record of a collection with this `definition`.
    pub fn new(record: R, score: f64, definition: Arc<RecordDefinition>) -> Self {
        Self { record, score, explanation: Explanation::default(), definition }
    }

    /// Adds a step to the explanation.
    #[must_use]
    pub fn with_step(mut self, step: ExplanationStep) -> Self {
        self.explanation.push(step);
        self
    }

    /// Converts the record with `change` and keeps the rest.
    ///
    /// # Errors
    ///
    /// Any error of `change`.
    pub fn try_map<U>(self, change: impl FnOnce(R) -> Result<U>) -> Result<Scored<U>> {
        let Self { record, score, explanation, definition } = self;
        Ok(Scored { record: change(record)?, score, explanation, definition })
    }
}

/// Adds the ranks and scores of `results` as the step `name`, if the options request explanations.
pub(super) fn explained<R: Send + 'static>(
    results: SearchResults<Scored<R>>,
    options: &VectorSearchOptions,
    name: &'static str,
) -> SearchResults<Scored<R>> {
    if !options.include_explanation {
        return results;
    }
    let detail = (name == ExplanationStep::FUSION).then(|| options.fusion.name().to_owned());
    let mut rank = options.skip;
    results.map(move |scored| {
        rank += 1;
        // A store that knows more added its steps already.
        if name != ExplanationStep::FUSION && !scored.explanation.is_empty() {
            return scored;
        }
        let score = Some(scored.score);
        let detail = detail.clone();
        scored.with_step(ExplanationStep {
            rank: Some(rank),
            score,
            detail,
            ..ExplanationStep::new(name)
        })
    })
}

impl<R: CollectionRecord> TextSearchRecord for Scored<R> {
    fn text(&self) -> Cow<'_, str> {
        self.record.text(&self.definition)
    }

    fn to_result(&self) -> TextSearchResult {
        let mut result = self.record.to_result(&self.definition).with_score(self.score);
        result.explanation.clone_from(&self.explanation);
        result
    }

    fn explanation(&self) -> &Explanation {
        &self.explanation
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
            if !self.explanation.is_empty() {
                let steps = serde_json::to_value(&self.explanation).map_err(S::Error::custom)?;
                fields.entry(EXPLANATION).or_insert(steps);
            }
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
