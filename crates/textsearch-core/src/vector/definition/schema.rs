//! JSON schemas of a definition's fields.

use serde_json::{Value, json};

use super::{DataField, DataKind, KeyKind, RecordDefinition};

impl RecordDefinition {
    /// Excludes the vectors. The key comes first.
    pub(crate) fn json_properties(&self) -> impl Iterator<Item = (&str, Value)> {
        let key = match self.key.kind {
            KeyKind::String => json!({ "type": "string" }),
            KeyKind::Integer => json!({ "type": "integer", "minimum": 0 }),
            KeyKind::Uuid => json!({ "type": "string", "format": "uuid" }),
        };
        let data = self.data.iter().map(|field| (field.name.as_str(), field.json_schema()));
        std::iter::once((self.key.name.as_str(), key)).chain(data)
    }
}

impl DataField {
    /// Returns the JSON schema of one value.
    pub(super) fn json_schema(&self) -> Value {
        let mut schema = match self.kind {
            DataKind::String => json!({ "type": "string" }),
            DataKind::Integer => json!({ "type": "integer" }),
            DataKind::Number => json!({ "type": "number" }),
            DataKind::Boolean => json!({ "type": "boolean" }),
            DataKind::DateTime => json!({ "type": "string", "format": "date-time" }),
            DataKind::Strings => json!({ "type": "array", "items": { "type": "string" } }),
            DataKind::Json => json!({}),
        };
        if let (Some(schema), false) = (schema.as_object_mut(), self.description.is_empty()) {
            schema.insert("description".to_owned(), self.description.as_str().into());
        }
        schema
    }
}
