//! Wrappers that change how a connector's records are read.

use std::{borrow::Cow, fmt, sync::Arc};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

use crate::{
    CheckedOptions, Result, SearchOptions, SearchResults, TextSearch, TextSearchConnector,
    TextSearchRecord, TextSearchResult,
    description::description_of,
    results::{AnyRecord, Explanation},
    wrapper::TextSearchWrapper,
};

/// A record with the application's text or result, and the record's own JSON.
#[derive(Debug, Clone)]
pub struct Mapped<R> {
    record: R,
    text: Option<String>,
    result: Option<TextSearchResult>,
}

impl<R> Mapped<R> {
    /// Replaces the [result](TextSearchRecord::to_result) of `record`. Its text, its JSON and its
    /// explanation stay.
    pub fn new(record: R, result: TextSearchResult) -> Self {
        Self { record, text: None, result: Some(result) }
    }

    /// Returns the connector's record.
    pub fn record(&self) -> &R {
        &self.record
    }
}

/// Returns `result` with the explanation of its record.
fn explained(mut result: TextSearchResult, record: &impl TextSearchRecord) -> TextSearchResult {
    result.explanation.clone_from(record.explanation());
    result
}

impl<R: TextSearchRecord> TextSearchRecord for Mapped<R> {
    fn text(&self) -> Cow<'_, str> {
        match &self.text {
            Some(text) => Cow::Borrowed(text),
            None => self.record.text(),
        }
    }

    fn to_result(&self) -> TextSearchResult {
        match &self.result {
            Some(result) => explained(result.clone(), &self.record),
            None => self.record.to_result(),
        }
    }

    fn explanation(&self) -> &Explanation {
        self.record.explanation()
    }

    fn into_text(self) -> String {
        self.text.unwrap_or_else(|| self.record.into_text())
    }

    fn into_result(self) -> TextSearchResult {
        match self.result {
            Some(result) => explained(result, &self.record),
            None => self.record.into_result(),
        }
    }
}

impl<R: Serialize> Serialize for Mapped<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.record.serialize(serializer)
    }
}

impl<R: JsonSchema> JsonSchema for Mapped<R> {
    fn schema_name() -> Cow<'static, str> {
        R::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        R::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        R::json_schema(generator)
    }
}

/// A connector whose records have the application's text or result: see
/// [`TextSearchConnector::with_text`] and [`TextSearchConnector::with_result`].
pub struct MappedSearch<C: TextSearchConnector> {
    inner: C,
    map: Arc<Map<C::Record>>,
}

type Map<R> = dyn Fn(R) -> Mapped<R> + Send + Sync;

impl<C: TextSearchConnector> MappedSearch<C> {
    pub(crate) fn with_text(
        inner: C,
        text: impl Fn(&C::Record) -> String + Send + Sync + 'static,
    ) -> Self {
        let map = move |record| Mapped { text: Some(text(&record)), result: None, record };
        Self { inner, map: Arc::new(map) }
    }

    pub(crate) fn with_result(
        inner: C,
        result: impl Fn(&C::Record) -> TextSearchResult + Send + Sync + 'static,
    ) -> Self {
        let map = move |record| {
            let result = result(&record);
            Mapped::new(record, result)
        };
        Self { inner, map: Arc::new(map) }
    }
}

impl<C: TextSearchConnector> TextSearchConnector for MappedSearch<C> {
    type Record = Mapped<C::Record>;

    description_of!(self => self.inner);

    async fn search_records(
        &self,
        query: &str,
        options: &CheckedOptions<'_, Self>,
    ) -> Result<SearchResults<Self::Record>> {
        let map = Arc::clone(&self.map);
        Ok(self.inner.records(query, options).await?.map(move |record| map(record)))
    }
}

impl<C: TextSearchConnector + Clone> Clone for MappedSearch<C> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone(), map: Arc::clone(&self.map) }
    }
}

/// Any text search as a connector, to wrap and map it.
#[derive(Clone)]
pub struct AnyTextSearch {
    inner: Arc<dyn TextSearch>,
}

impl AnyTextSearch {
    /// Creates a connector from `search`.
    pub fn new(search: impl TextSearch + 'static) -> Self {
        Self { inner: Arc::new(search) }
    }
}

impl TextSearchWrapper for AnyTextSearch {
    fn inner(&self) -> &dyn TextSearch {
        &self.inner
    }

    async fn search_inner(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchResults<AnyRecord>> {
        self.inner.search_any(query, options).await
    }
}

impl<C: TextSearchConnector> fmt::Debug for MappedSearch<C> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("MappedSearch").field(&self.inner.name()).finish()
    }
}

impl fmt::Debug for AnyTextSearch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("AnyTextSearch").field(&self.inner.name()).finish()
    }
}
