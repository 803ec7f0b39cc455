//! A record with the text around it.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer, ser::Error as _};
use textsearch_core::{
    TextSearchRecord, TextSearchResult,
    results::{AnyRecord, Explanation},
    schemars,
};

use crate::store::fields;

/// Serialises as the record, with this text.
pub(super) struct Surrounded {
    record: AnyRecord,
    result: TextSearchResult,
}

impl Surrounded {
    pub(super) fn new(record: AnyRecord, text: String) -> Self {
        let mut result = record.to_result();
        result.value = text;
        Self { record, result }
    }
}

impl TextSearchRecord for Surrounded {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.result.value)
    }

    fn to_result(&self) -> TextSearchResult {
        self.result.clone()
    }

    fn explanation(&self) -> &Explanation {
        self.record.explanation()
    }

    fn into_result(self) -> TextSearchResult {
        self.result
    }
}

impl Serialize for Surrounded {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut value = self.record.to_value().map_err(S::Error::custom)?;
        if let Some(text) = value.get_mut(fields::TEXT) {
            *text = self.result.value.as_str().into();
        }
        value.serialize(serializer)
    }
}

impl JsonSchema for Surrounded {
    fn schema_name() -> Cow<'static, str> {
        AnyRecord::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        AnyRecord::json_schema(generator)
    }
}
