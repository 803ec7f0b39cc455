//! The trait of records.

use std::{borrow::Cow, sync::Arc};

use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde::Serialize;

use crate::{
    TextSearchResult,
    results::{AnyRecord, Explanation},
};

/// A connector's own record, which also reads as text and as a normalised result.
///
/// It serialises to JSON with the field names that templates and models see.
///
/// Derive `JsonSchema` from the [`schemars`](crate::schemars) that this crate re-exports, with both
/// names in scope as below. A derive from another version of `schemars` implements another trait:
/// the compiler reports that `textsearch_core::schemars::JsonSchema` is not implemented. Without
/// `schemars` itself in scope, it reports an unresolved module `schemars`.
///
/// ```
/// use std::borrow::Cow;
/// use textsearch_core::{TextSearchRecord, TextSearchResult, schemars::{self, JsonSchema}};
///
/// #[derive(serde::Serialize, JsonSchema)]
/// struct Recipe {
///     title: String,
///     steps: String,
/// }
///
/// impl TextSearchRecord for Recipe {
///     fn text(&self) -> Cow<'_, str> {
///         Cow::Borrowed(&self.steps)
///     }
///
///     fn to_result(&self) -> TextSearchResult {
///         TextSearchResult::new(&self.steps).with_name(&self.title)
///     }
/// }
/// ```
pub trait TextSearchRecord: Serialize + JsonSchema + Send + Sync + 'static {
    /// Returns the text to put into a prompt.
    fn text(&self) -> Cow<'_, str>;

    /// Returns the record as name, value and link. The search adds a missing source.
    fn to_result(&self) -> TextSearchResult;

    /// Returns why the record has its place; empty by default.
    fn explanation(&self) -> &Explanation {
        Explanation::empty()
    }

    /// Returns [`text`](Self::text), without a copy if possible.
    fn into_text(self) -> String
    where
        Self: Sized,
    {
        self.text().into_owned()
    }

    /// Returns [`to_result`](Self::to_result), without a copy if possible.
    fn into_result(self) -> TextSearchResult
    where
        Self: Sized,
    {
        self.to_result()
    }

    /// Erases the type of the record.
    fn into_any_record(self) -> AnyRecord
    where
        Self: Sized,
    {
        AnyRecord::new(self)
    }
}

impl TextSearchRecord for TextSearchResult {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.value)
    }

    fn to_result(&self) -> TextSearchResult {
        self.clone()
    }

    fn explanation(&self) -> &Explanation {
        &self.explanation
    }

    fn into_text(self) -> String {
        self.value
    }

    fn into_result(self) -> TextSearchResult {
        self
    }
}

/// Copies only what the caller reads of a shared record.
impl<R: TextSearchRecord> TextSearchRecord for Arc<R> {
    fn text(&self) -> Cow<'_, str> {
        (**self).text()
    }

    fn to_result(&self) -> TextSearchResult {
        (**self).to_result()
    }

    fn explanation(&self) -> &Explanation {
        (**self).explanation()
    }

    fn into_text(self) -> String {
        Self::try_unwrap(self).map_or_else(|shared| shared.text().into_owned(), R::into_text)
    }

    fn into_result(self) -> TextSearchResult {
        Self::try_unwrap(self).map_or_else(|shared| shared.to_result(), R::into_result)
    }

    fn into_any_record(self) -> AnyRecord {
        AnyRecord::from_shared(self)
    }
}

/// Returns the JSON schema of `R` as serialised; deserialising may use other names or fields.
pub(crate) fn schema_of<R: JsonSchema>() -> Schema {
    SchemaSettings::default().for_serialize().into_generator().into_root_schema_for::<R>()
}
