//! The trait of records: their text, their result and their schema.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde::Serialize;

use crate::{TextSearchResult, results::AnyRecord};

/// A connector's own record: the raw item that it finds, which can also be read as text and as a normalised result.
///
/// The record serialises to JSON under the field names that templates and models see.
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

    /// Returns the record as name, value and link; the search sets the connector's name as its
    /// source.
    fn to_result(&self) -> TextSearchResult;

    /// Returns [`text`](Self::text), without a copy if the record holds it in that form.
    fn into_text(self) -> String
    where
        Self: Sized,
    {
        self.text().into_owned()
    }

    /// Returns [`to_result`](Self::to_result), without a copy if the record holds it in that form.
    fn into_result(self) -> TextSearchResult
    where
        Self: Sized,
    {
        self.to_result()
    }

    /// Erases the type of the record; a shared record is not moved.
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

    fn into_text(self) -> String {
        self.value
    }

    fn into_result(self) -> TextSearchResult {
        self
    }
}

/// Returns the JSON schema of `R` as serialised; deserialising may use other names or fields.
pub(crate) fn schema_of<R: JsonSchema>() -> Schema {
    SchemaSettings::default().for_serialize().into_generator().into_root_schema_for::<R>()
}
