//! A type-erased record.

use std::{any::Any, borrow::Cow, fmt, sync::Arc};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::Value;

use crate::{
    Error, ErrorKind, Result, TextSearchRecord, TextSearchResult,
    results::{Explanation, ExplanationStep},
};

/// A type-erased record, as returned by an `Arc<dyn TextSearch>`. Clones share it.
#[derive(Clone)]
pub struct AnyRecord {
    record: Arc<dyn ErasedRecord>,
    source: Option<Arc<str>>,
    /// Replaces the record's own.
    explanation: Option<Box<Explanation>>,
}

/// The field of a record's JSON with its explanation.
pub(crate) const EXPLANATION: &str = "Explanation";

impl AnyRecord {
    /// Erases the type of `record`.
    pub fn new<R: TextSearchRecord>(record: R) -> Self {
        Self { record: Arc::new(record), source: None, explanation: None }
    }

    pub(crate) fn from_shared<R: TextSearchRecord>(record: Arc<R>) -> Self {
        Self { record, source: None, explanation: None }
    }

    /// Sets the name of the connector, for a wrapper over several searches. A name that the result
    /// has, or that was set before, stays.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use textsearch_core::{TextSearchRecord as _, TextSearchResult, results::AnyRecord};
    ///
    /// let record = AnyRecord::new(TextSearchResult::new("A note.")).with_source(&Arc::from("notes"));
    /// assert_eq!(record.to_result().source.as_deref(), Some("notes"));
    /// ```
    #[must_use]
    pub fn with_source(mut self, connector: &Arc<str>) -> Self {
        self.source.get_or_insert_with(|| Arc::clone(connector));
        self
    }

    /// Adds a step to the [explanation](TextSearchRecord::explanation), for a wrapper that finds,
    /// moves or rescores results. The result and the JSON of the record have it, too.
    #[must_use]
    pub fn with_step(mut self, step: ExplanationStep) -> Self {
        let record = &self.record;
        let own = || Box::new(record.explanation().clone());
        self.explanation.get_or_insert_with(own).push(step);
        self
    }

    /// Returns the record as JSON, with the field names that templates and models see.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Undecodable`] if the record cannot be serialised.
    pub fn to_value(&self) -> Result<Value> {
        self.json().map_err(not_json)
    }

    /// Counts the bytes of the record's JSON, as an estimate of its size in memory.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Undecodable`] if the record cannot be serialised.
    pub fn size(&self) -> Result<usize> {
        let explanation = self.explanation.as_ref().map(serde_json::to_vec);
        let size =
            || Ok(self.record.size()? + explanation.transpose()?.map_or(0, |json| json.len()));
        size().map_err(not_json)
    }

    fn json(&self) -> serde_json::Result<Value> {
        let mut json = self.record.to_value()?;
        if let (Some(explanation), Value::Object(fields)) = (&self.explanation, &mut json) {
            fields.insert(EXPLANATION.to_owned(), serde_json::to_value(explanation)?);
        }
        Ok(json)
    }

    /// Returns the original record if it is an `R`.
    pub fn downcast_ref<R: TextSearchRecord>(&self) -> Option<&R> {
        let any = self.record.as_any();
        // A wrapper over a wrapper erases twice.
        any.downcast_ref().or_else(|| any.downcast_ref::<Self>()?.downcast_ref())
    }
}

impl TextSearchRecord for AnyRecord {
    fn text(&self) -> Cow<'_, str> {
        self.record.text()
    }

    fn to_result(&self) -> TextSearchResult {
        completed(self.record.to_result(), self.source.as_deref(), self.explanation.clone())
    }

    fn explanation(&self) -> &Explanation {
        self.explanation.as_deref().unwrap_or_else(|| self.record.explanation())
    }

    fn into_text(self) -> String {
        self.record.into_text()
    }

    fn into_result(self) -> TextSearchResult {
        completed(self.record.into_result(), self.source.as_deref(), self.explanation)
    }

    fn into_any_record(self) -> AnyRecord {
        self
    }
}

impl Serialize for AnyRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json().map_err(S::Error::custom)?.serialize(serializer)
    }
}

impl JsonSchema for AnyRecord {
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("AnyRecord")
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object" })
    }
}

impl fmt::Debug for AnyRecord {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("AnyRecord").field(&self.json().ok()).finish()
    }
}

fn not_json(error: serde_json::Error) -> Error {
    Error::new(ErrorKind::Undecodable, "record", "a record cannot be written as JSON")
        .with_source(error)
}

fn completed(
    mut result: TextSearchResult,
    source: Option<&str>,
    explanation: Option<Box<Explanation>>,
) -> TextSearchResult {
    if let (None, Some(source)) = (&result.source, source) {
        result.source = Some(source.to_owned());
    }
    if let Some(explanation) = explanation {
        result.explanation = *explanation;
    }
    result
}

trait ErasedRecord: Send + Sync {
    fn text(&self) -> Cow<'_, str>;
    fn to_result(&self) -> TextSearchResult;
    fn explanation(&self) -> &Explanation;
    fn into_text(self: Arc<Self>) -> String;
    fn into_result(self: Arc<Self>) -> TextSearchResult;
    fn to_value(&self) -> serde_json::Result<Value>;
    fn size(&self) -> serde_json::Result<usize>;
    fn as_any(&self) -> &dyn Any;
}

impl<R: TextSearchRecord> ErasedRecord for R {
    fn text(&self) -> Cow<'_, str> {
        TextSearchRecord::text(self)
    }

    fn to_result(&self) -> TextSearchResult {
        TextSearchRecord::to_result(self)
    }

    fn explanation(&self) -> &Explanation {
        TextSearchRecord::explanation(self)
    }

    fn into_text(self: Arc<Self>) -> String {
        Arc::try_unwrap(self)
            .map_or_else(|shared| TextSearchRecord::text(&*shared).into_owned(), R::into_text)
    }

    fn into_result(self: Arc<Self>) -> TextSearchResult {
        Arc::try_unwrap(self)
            .map_or_else(|shared| TextSearchRecord::to_result(&*shared), R::into_result)
    }

    fn to_value(&self) -> serde_json::Result<Value> {
        serde_json::to_value(self)
    }

    fn size(&self) -> serde_json::Result<usize> {
        serde_json::to_vec(self).map(|json| json.len())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
