//! What a record must be able to say of itself.

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
    /// The text to put into a prompt.
    fn text(&self) -> Cow<'_, str>;

    /// The record as name, value and link; the connector's name is filled in as its source by the search.
    fn to_result(&self) -> TextSearchResult;

    /// What [`text`](Self::text) returns; a record that holds it as such gives it up without a copy.
    fn into_text(self) -> String
    where
        Self: Sized,
    {
        self.text().into_owned()
    }

    /// What [`to_result`](Self::to_result) returns; a record that holds it as such gives it up without a copy.
    fn into_result(self) -> TextSearchResult
    where
        Self: Sized,
    {
        self.to_result()
    }

    /// The record with its type erased; one that others hold too stays where it is.
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

/// The JSON schema of what an `R` is written as: a field may have another name, or none, when it is read.
pub(crate) fn schema_of<R: JsonSchema>() -> Schema {
    SchemaSettings::default().for_serialize().into_generator().into_root_schema_for::<R>()
}
