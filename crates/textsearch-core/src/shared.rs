//! A record that more than one hold.

use std::{borrow::Cow, ops::Deref, sync::Arc};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

use crate::{AnyRecord, Result, TextSearchRecord, TextSearchResult};

/// A record that others hold too, such as the search that it comes from: it is copied only as far as a caller asks for
/// parts of it.
///
/// It reads, compares and serialises as the record does.
///
/// ```
/// use textsearch_core::{Shared, TextSearchRecord as _, TextSearchResult};
///
/// let kept = Shared::new(TextSearchResult::new("A text.").with_name("Page"));
/// assert_eq!(kept.clone().into_text(), "A text.");
/// assert_eq!(kept.name.as_deref(), Some("Page"));
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct Shared<R>(pub(crate) Arc<R>);

impl<R> Shared<R> {
    /// Makes a record one that can be shared.
    pub fn new(record: R) -> Self {
        Self(Arc::new(record))
    }
}

impl<R: TextSearchRecord> TextSearchRecord for Shared<R> {
    fn text(&self) -> Cow<'_, str> {
        self.0.text()
    }

    fn to_result(&self) -> TextSearchResult {
        self.0.to_result()
    }

    fn into_text(self) -> String {
        match Arc::try_unwrap(self.0) {
            Ok(record) => record.into_text(),
            Err(shared) => shared.text().into_owned(),
        }
    }

    fn into_result(self) -> TextSearchResult {
        match Arc::try_unwrap(self.0) {
            Ok(record) => record.into_result(),
            Err(shared) => shared.to_result(),
        }
    }

    fn into_any_record(self) -> AnyRecord {
        self.into()
    }
}

impl<R> Clone for Shared<R> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<R> Deref for Shared<R> {
    type Target = R;

    fn deref(&self) -> &R {
        &self.0
    }
}

impl<R> AsRef<R> for Shared<R> {
    fn as_ref(&self) -> &R {
        &self.0
    }
}

impl<R: PartialEq> PartialEq<R> for Shared<R> {
    fn eq(&self, other: &R) -> bool {
        *self.0 == *other
    }
}

impl<R: Serialize> Serialize for Shared<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<R: JsonSchema> JsonSchema for Shared<R> {
    fn schema_name() -> Cow<'static, str> {
        R::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        R::schema_id()
    }

    fn inline_schema() -> bool {
        R::inline_schema()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        R::json_schema(generator)
    }
}
